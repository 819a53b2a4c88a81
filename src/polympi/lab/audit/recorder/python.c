/* Which line of Python calls MPI. The thread is inside MPI, so its frames stay as they are, and they are read
   without the interpreter's lock, which mpi4py has given up. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder.h"

enum { MOST_FRAMES = 200, LOWEST = 4096 };

bool python_present;
struct python python;
static void *(*thread_state)(void);
static int (*initialized)(void);
static int memory = -1; /* /proc/self/mem: what isn't there gives an error instead of a signal */
static enum { UNKNOWN, GOOD, BAD } trust;

bool peek(uintptr_t address, void *into, size_t bytes) {
    return pread(memory, into, bytes, (off_t)address) == (ssize_t)bytes;
}

RARE void find_python(void) {
    const char *wanted = getenv("POLYMPI_AUDIT_PYTHON");
    if (wanted && strcmp(wanted, "0") == 0)
        return;
    thread_state = (void *(*)(void))real_dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
    initialized = (int (*)(void))real_dlsym(RTLD_DEFAULT, "Py_IsInitialized");
    if (!thread_state || !initialized || !read_offsets())
        return;
    memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    python_present = memory >= 0;
}

static bool plausible(uintptr_t pointer) { return pointer > LOWEST && pointer % sizeof(void *) == 0; }

static uintptr_t word(uintptr_t object, int offset) {
    return *(const uintptr_t *)(object + (uintptr_t)offset);
}

/* Objects in frames carry marks in their lowest bits since 3.14. */
static uintptr_t code_of(uintptr_t frame) { return word(frame, python.frame_code) & ~(uintptr_t)3; }

static bool is_code(uintptr_t object) {
    return plausible(object) && word(object, python.type) == python.code_type;
}

static uintptr_t innermost(uintptr_t state) {
    if (python.cframe) {
        uintptr_t cframe = word(state, python.cframe);
        return plausible(cframe) ? word(cframe, python.thread_frame) : 0;
    }
    return word(state, python.thread_frame);
}

/* The first look at a process checks every step, so that others need not. */
static RARE bool try_once(uintptr_t state) {
    uintptr_t frame = 0, code = 0, type = 0, from = state;
    trust = BAD;
    if (python.cframe && !peek(state + (uintptr_t)python.cframe, &from, sizeof from))
        return false;
    if (!peek(from + (uintptr_t)python.thread_frame, &frame, sizeof frame))
        return false;
    for (int k = 0; k < MOST_FRAMES && plausible(frame); k++) {
        if (!peek(frame + (uintptr_t)python.frame_code, &code, sizeof code))
            return false;
        code &= ~(uintptr_t)3;
        if (plausible(code) && peek(code + (uintptr_t)python.type, &type, sizeof type) &&
            type == python.code_type) {
            trust = GOOD;
            return true;
        }
        if (!peek(frame + (uintptr_t)python.frame_previous, &frame, sizeof frame))
            return false;
    }
    return false;
}

static bool skipped(struct thread *thread, uintptr_t code) {
    uintptr_t file = word(code, python.code_file);
    struct cached_site *cached = &thread->codes[(code * 0x9e3779b97f4a7c15u) >> 54];
    if (UNLIKELY(cached->place != code || cached->code != file))
        *cached = (struct cached_site){code, file, library_code(code)};
    return cached->site;
}

static uint32_t place_of(struct thread *thread, uintptr_t frame, uintptr_t code) {
    uintptr_t instruction = word(frame, python.frame_instruction);
    if (python.version == 310)
        instruction &= 0xffffffff; /* an int: the number of the instruction */
    uint64_t identity = mix(code, word(code, python.code_name) ^ word(code, python.code_file) << 1) | 1;
    identity += *(const uint32_t *)(code + (uintptr_t)python.code_first_line);
    struct cached_site *cached = &thread->sites[((identity ^ instruction) * 0x9e3779b97f4a7c15u) >> 54];
    if (UNLIKELY(cached->place != instruction || cached->code != identity)) {
        struct site site = decode_python(code, instruction);
        *cached = (struct cached_site){instruction, identity, add_site(&site)};
    }
    return cached->site;
}

/* The innermost frame outside mpi4py and polympi; false if this thread runs no Python. */
bool python_site(struct thread *thread, uint32_t *site) {
    if (!initialized() || trust == BAD)
        return false;
    uintptr_t state = (uintptr_t)thread_state();
    if (!state || (trust == UNKNOWN && !try_once(state)))
        return false;
    uintptr_t frame = innermost(state);
    for (int k = 0; k < MOST_FRAMES && plausible(frame); k++, frame = word(frame, python.frame_previous)) {
        uintptr_t code = code_of(frame);
        if (!is_code(code) || skipped(thread, code))
            continue;
        *site = place_of(thread, frame, code);
        return true;
    }
    return false;
}
