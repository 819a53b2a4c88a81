/* The layout of CPython's objects, and what a code object says of a place in it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

enum { MOST_TEXT = 4096, MOST_TABLE = 1 << 20 };

/* Taken from the headers of 3.10 to 3.12 with offsetof, on a 64-bit Linux. */
static const struct python known[] = {
    {.version = 310,
     .thread_frame = 24,
     .frame_code = 32,
     .frame_previous = 24,
     .frame_instruction = 96,
     .code_file = 104,
     .code_name = 112,
     .code_qualname = 112,
     .code_table = 120,
     .code_first_line = 40},
    {.version = 311,
     .cframe = 56,
     .thread_frame = 8,
     .frame_code = 32,
     .frame_previous = 48,
     .frame_instruction = 56,
     .code_file = 112,
     .code_name = 120,
     .code_qualname = 128,
     .code_table = 136,
     .code_first_line = 72,
     .code_instructions = 184},
    {.version = 312,
     .cframe = 56,
     .thread_frame = 0,
     .frame_code = 0,
     .frame_previous = 8,
     .frame_instruction = 56,
     .code_file = 112,
     .code_name = 120,
     .code_qualname = 128,
     .code_table = 136,
     .code_first_line = 68,
     .code_instructions = 192},
};

/* Since 3.13 the interpreter begins with a table of its offsets for debuggers. It has grown in between, so
   its parts are found by what they must hold: of a thread's state, `prev`, `next` and `interp` are its first
   three words. */
static bool read_table(const uint64_t *table) {
    enum { FIRST = 3, LAST = 80 };
    int thread = 0, frame = 0, code = 0;
    for (int k = FIRST; k < LAST && !thread; k++)
        if (table[k] == 0 && table[k + 1] == 8 && table[k + 2] == 16 && table[k - 1] > 100)
            thread = k - 1;
    for (int k = thread + 5; thread && k < LAST && !frame; k++)
        if (table[k] == 8 && table[k + 1] == 0 && table[k - 1] >= 64 && table[k - 1] < 256)
            frame = k - 1;
    for (int k = frame + 5; frame && k < LAST && !code; k++)
        if (table[k] > 48 && table[k + 1] == table[k] + 8 && table[k + 2] == table[k] + 16 &&
            table[k + 3] == table[k] + 24 && table[k - 1] > table[k + 3] && table[k - 1] < 1024)
            code = k - 1;
    if (!code || table[code + 9] > table[code] || table[frame + 3] > table[frame])
        return false;
    python.thread_frame = (int)table[thread + 4];
    python.frame_previous = (int)table[frame + 1], python.frame_code = (int)table[frame + 2];
    python.frame_instruction = (int)table[frame + 3];
    python.code_file = (int)table[code + 1], python.code_name = (int)table[code + 2];
    python.code_qualname = (int)table[code + 3], python.code_table = (int)table[code + 4];
    python.code_first_line = (int)table[code + 5], python.code_instructions = (int)table[code + 9];
    python.free_threaded = table[2] != 0;
    return true;
}

static int version(void) {
    const char *(*said)(void) = (const char *(*)(void))real_dlsym(RTLD_DEFAULT, "Py_GetVersion");
    const char *text = said ? said() : "";
    return strncmp(text, "3.", 2) == 0 ? 300 + (int)strtol(text + 2, NULL, 10) : 0;
}

static uintptr_t type_named(const char *name) { return (uintptr_t)real_dlsym(RTLD_DEFAULT, name); }

/* False for a Python that isn't known. */
bool read_offsets(void) {
    int running = version();
    python = (struct python){0};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (known[k].version == running)
            python = known[k];
    const char *table = real_dlsym(RTLD_DEFAULT, "_PyRuntime");
    if (running >= 313 && table && strncmp(table, "xdebugpy", 8) == 0 && read_table((const uint64_t *)table))
        python.version = running;
    python.head = python.free_threaded ? 32 : 16;
    python.type = python.head - 8;
    python.code_type = type_named("PyCode_Type");
    python.bytes_type = type_named("PyBytes_Type");
    python.text_type = type_named("PyUnicode_Type");
    return python.version && python.code_type && python.bytes_type && python.text_type;
}

static uintptr_t word_at(uintptr_t address) {
    uintptr_t word = 0;
    return peek(address, &word, sizeof word) ? word : 0;
}

static bool is(uintptr_t object, uintptr_t type) {
    return object && word_at(object + (uintptr_t)python.type) == type;
}

/* ---- text ---- */

static size_t put_utf8(char *into, uint32_t letter) {
    if (letter < 0x80) {
        into[0] = (char)letter;
        return 1;
    }
    int more = letter < 0x800 ? 1 : letter < 0x10000 ? 2 : 3;
    static const unsigned char marks[] = {0, 0xc0, 0xe0, 0xf0};
    for (int k = more; k > 0; k--, letter >>= 6)
        into[k] = (char)(0x80 | (letter & 0x3f));
    into[0] = (char)(marks[more] | letter);
    return (size_t)more + 1;
}

/* Copies a str as UTF-8, with a zero at the end; its length, 0 if it can't be read. */
static size_t copy_text(uintptr_t object, char into[MOST_TEXT + 4]) {
    uint32_t state = 0;
    into[0] = 0;
    uintptr_t head = (uintptr_t)python.head;
    if (!is(object, python.text_type) || !peek(object + head + 16, &state, sizeof state))
        return 0;
    uint64_t length = word_at(object + head);
    if (python.free_threaded) /* the first bits have become a separate byte */
        state = state >> 8 << 2;
    uint32_t kind = state >> 2 & 7, compact = state >> 5 & 1, ascii = state >> 6 & 1;
    if (!compact || (kind != 1 && kind != 2 && kind != 4) || length > MOST_TEXT / 4)
        return 0;
    uintptr_t size_of_ascii = head + (python.version < 312 ? 32 : 24), rest = python.version < 312 ? 24 : 16;
    char data[MOST_TEXT];
    if (!peek(object + size_of_ascii + (ascii ? 0 : rest), data, length * kind))
        return 0;
    size_t bytes = 0;
    for (uint64_t k = 0; k < length; k++) {
        uint32_t letter = 0;
        memcpy(&letter, data + k * kind, kind);
        bytes += put_utf8(into + bytes, letter);
    }
    into[bytes] = 0;
    return bytes;
}

static bool below(const char *path, const char *folder) { return strstr(path, folder) != NULL; }

bool library_code(uintptr_t code) {
    static const char *const folders[] = {
        "/site-packages/mpi4py/",  "/dist-packages/mpi4py/",  "/src/mpi4py/",
        "/site-packages/polympi/", "/dist-packages/polympi/", "/src/polympi/",
    };
    char path[MOST_TEXT + 4];
    copy_text(word_at(code + (uintptr_t)python.code_file), path);
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++)
        if (below(path, folders[k]))
            return true;
    return strncmp(path, "<frozen ", 8) == 0 || strncmp(path, "mpi4py/", 7) == 0;
}

/* ---- lines ---- */

static uint32_t variable(const unsigned char **at, const unsigned char *end) {
    uint32_t value = 0;
    for (int shift = 0; *at < end && shift < 32; shift += 6) {
        unsigned char byte = *(*at)++;
        value |= (uint32_t)(byte & 63) << shift;
        if (!(byte & 64))
            break;
    }
    return value;
}

static int signed_variable(const unsigned char **at, const unsigned char *end) {
    uint32_t value = variable(at, end);
    return value & 1 ? -(int)(value >> 1) : (int)(value >> 1);
}

/* Source: Objects/locations.md of CPython 3.11: an entry has a code, a number of instructions, and what
 * follows. */
static int line_in_table(const unsigned char *at, const unsigned char *end, int line, int64_t instruction) {
    enum { NO_LINE = 15, LONG_FORM = 14, NO_COLUMN = 13, ONE_LINE = 10 };
    int64_t passed = 0;
    while (at < end) {
        int code = *at >> 3 & 15;
        passed += (*at++ & 7) + 1;
        if (code == LONG_FORM || code == NO_COLUMN)
            line += signed_variable(&at, end);
        else if (code >= ONE_LINE && code < NO_COLUMN)
            line += code - ONE_LINE;
        if (instruction < passed)
            return code == NO_LINE ? -1 : line;
        while (at < end && !(*at & 128))
            at++;
    }
    return -1;
}

/* Source: Objects/lnotab_notes.txt of CPython 3.10: pairs of a distance in bytes and one in lines. */
static int line_of_310(const unsigned char *at, const unsigned char *end, int line, int64_t instruction) {
    enum { NONE = -128 };
    int64_t passed = 0;
    for (; at + 1 < end; at += 2) {
        int lines = (signed char)at[1];
        passed += at[0];
        if (lines != NONE)
            line += lines;
        if (2 * instruction < passed)
            return lines == NONE ? -1 : line;
    }
    return -1;
}

static int line_of(uintptr_t code, uintptr_t instruction, int first) {
    uintptr_t table = word_at(code + (uintptr_t)python.code_table), head = (uintptr_t)python.head;
    int64_t number = (int64_t)instruction;
    if (python.version >= 311)
        number = ((int64_t)instruction - (int64_t)(code + (uintptr_t)python.code_instructions)) / 2;
    uint64_t bytes = is(table, python.bytes_type) ? word_at(table + head) : 0;
    unsigned char *copy = bytes && bytes < MOST_TABLE && number >= 0 ? malloc(bytes) : NULL;
    int line = -1;
    if (copy && peek(table + head + 16, copy, bytes))
        line = python.version == 310 ? line_of_310(copy, copy + bytes, first, number)
                                     : line_in_table(copy, copy + bytes, first, number);
    free(copy);
    return line > 0 ? line
                    : first; /* a thread's own copy of the instructions, without the lock, isn't known */
}

struct site decode_python(uintptr_t code, uintptr_t instruction) {
    char text[MOST_TEXT + 4];
    int first = 0;
    struct site site = {.python = 1};
    peek(code + (uintptr_t)python.code_first_line, &first, sizeof first);
    size_t bytes = copy_text(word_at(code + (uintptr_t)python.code_file), text);
    site.file = put_string(text, bytes);
    bytes = copy_text(word_at(code + (uintptr_t)python.code_qualname), text);
    site.function = put_string(text, bytes);
    site.line = line_of(code, instruction, first);
    return site;
}
