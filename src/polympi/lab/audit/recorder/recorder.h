/* What the parts of the recorder share. Its procedures take and pass on every argument as a word: the calling
   conventions of x86-64 and aarch64 do the same with integers, handles and pointers, so one library serves
   every ABI of MPI. */
#ifndef POLYMPI_AUDIT_RECORDER_H
#define POLYMPI_AUDIT_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "layout.h"

#define EXPORT __attribute__((visibility("default")))
#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define RARE __attribute__((noinline, cold))

enum { MAX_ARGUMENTS = 16 };

/* ---- procedures ---- */

/* How a procedure is treated; packaging/mpi_procedures.py says which one has which kind. */
enum kind {
    OTHER,
    SEND,
    RECV,
    SENDRECV,
    ISEND,
    IRECV,
    ISENDRECV,
    SEND_INIT,
    RECV_INIT,
    START,
    STARTALL,
    WAIT,
    WAITALL,
    WAITANY,
    WAITSOME,
    TEST,
    TESTALL,
    TESTANY,
    TESTSOME,
    GET_STATUS,
    REQUEST_FREE,
    PROBE,
    IPROBE,
    RMA,
    WINDOW,
    WINDOW_SYNC,
    WINDOW_PEER,
    FILE_OPEN,
    FILE_SYNC,
    FILE_ACCESS,
    COMM_DUP,
    COMM_IDUP,
    COMM_NEW,
    COMM_GROUP,
    COMM_FREE,
    COMM_NAME,
    TYPE_FREE,
    SESSION_BEGIN,
    SESSION_END,
    INIT,
    FINALIZE,
    ABORT,
    COLLECTIVE,
    ICOLLECTIVE,
    COLLECTIVE_INIT,
};

/* How many bytes a rank contributes to a collective and receives from it. */
enum shape {
    NOTHING,
    FROM_ROOT,      /* Bcast */
    TO_ROOT,        /* Gather */
    PARTS_OF_ROOT,  /* Scatter */
    TO_ALL,         /* Allgather */
    ALL_TO_ALL,     /* Alltoall */
    REDUCED,        /* Reduce */
    REDUCED_TO_ALL, /* Allreduce, Scan */
    REDUCED_PARTS,  /* Reduce_scatter */
    REDUCED_BLOCKS, /* Reduce_scatter_block */
    NEIGHBOURS,
};

/* A buffer of a call: the places of its arguments, or -1. */
struct block {
    int8_t buffer;
    int8_t count; /* one number */
    int8_t counts;
    int8_t type;
    int8_t types;
    bool wide;   /* counts are MPI_Count, not int */
    bool output; /* MPI writes it */
};

/* A procedure: what its arguments mean, as places or -1. */
struct procedure {
    const char *name;
    const char *signature;
    uint8_t kind;
    uint8_t arguments;
    uint8_t shape;
    int8_t communicator, new_communicator, dest, source, tag, second_tag, root, request, requests, value;
    int8_t number, index, outcount, indices, flag, status, statuses, message, window, new_window, file,
        new_file;
    int8_t group, partitions;
    struct block first, second;
};

enum number {
#define P(NAME, KIND, COUNT, SIGNATURE) NUMBER_##NAME,
#include "procedures.h"
    PROCEDURES
};

extern struct procedure procedures[PROCEDURES];
void explain_procedures(void);
int procedure_number(const char *name); /* -1 if there is none */
void *wrapper_of(int number);

/* ---- the MPI library ---- */

/* What differs between the ABIs of MPI. */
struct abi {
    int handle_bytes; /* in arrays, and in registers */
    int status_bytes, source_at, tag_at;
    int any_source, any_tag, proc_null, root;
    intptr_t in_place, status_ignore, statuses_ignore;
    intptr_t world, self, comm_null, request_null, group_null, byte, window_null, file_null, no_proc;
    enum { MPICH, OPEN_MPI, STANDARD } family;
};

extern struct abi abi;
void choose_abi(void);
void *library_symbol(const char *name); /* in the MPI library of this process, without its loader */
void *other_symbol(const char *name);   /* in any object but this library */
const char *library_path(void);
void *real_dlsym(void *handle, const char *name);
void *resolve(int number); /* the library's own procedure, or one that fails */
bool present(int number);
bool of_library(void *address, int number);
extern void *reals[PROCEDURES]; /* those resolved so far */
extern bool settled;            /* MPI has begun, so its library stays */

static inline void *real_of(int number) {
    void *real = reals[number];
    return LIKELY(real != NULL) ? real : resolve(number);
}

static inline int as_code(intptr_t result) { return (int)result; }

/* Calls the library's own procedure. */
typedef intptr_t (*with_one)(intptr_t);
typedef intptr_t (*with_two)(intptr_t, intptr_t);
typedef intptr_t (*with_three)(intptr_t, intptr_t, intptr_t);
typedef intptr_t (*with_four)(intptr_t, intptr_t, intptr_t, intptr_t);
typedef intptr_t (*with_five)(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t);
typedef intptr_t (*with_six)(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t);
typedef intptr_t (*with_seven)(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t);
#define MPI1(NAME, A) as_code(((with_one)real_of(NUMBER_MPI_##NAME))((intptr_t)(A)))
#define MPI2(NAME, A, B) as_code(((with_two)real_of(NUMBER_MPI_##NAME))((intptr_t)(A), (intptr_t)(B)))
#define MPI3(NAME, A, B, C)                                                                                  \
    as_code(((with_three)real_of(NUMBER_MPI_##NAME))((intptr_t)(A), (intptr_t)(B), (intptr_t)(C)))
#define MPI4(NAME, A, B, C, D)                                                                               \
    as_code(                                                                                                 \
        ((with_four)real_of(NUMBER_MPI_##NAME))((intptr_t)(A), (intptr_t)(B), (intptr_t)(C), (intptr_t)(D)))
#define MPI5(NAME, A, B, C, D, E)                                                                            \
    as_code(((with_five)real_of(NUMBER_MPI_##NAME))((intptr_t)(A), (intptr_t)(B), (intptr_t)(C),             \
                                                    (intptr_t)(D), (intptr_t)(E)))
#define MPI6(NAME, A, B, C, D, E, F)                                                                         \
    as_code(((with_six)real_of(NUMBER_MPI_##NAME))((intptr_t)(A), (intptr_t)(B), (intptr_t)(C),              \
                                                   (intptr_t)(D), (intptr_t)(E), (intptr_t)(F)))
#define MPI7(NAME, A, B, C, D, E, F, G)                                                                      \
    as_code(((with_seven)real_of(NUMBER_MPI_##NAME))((intptr_t)(A), (intptr_t)(B), (intptr_t)(C),            \
                                                     (intptr_t)(D), (intptr_t)(E), (intptr_t)(F),            \
                                                     (intptr_t)(G)))

/* A handle as a number of the ABI's width: of an int, the register's upper half is undefined. */
static inline intptr_t handle_of(intptr_t argument) {
    return abi.handle_bytes == 4 ? (intptr_t)(uint32_t)argument : argument;
}

static inline intptr_t handle_at(intptr_t array, long place) {
    if (abi.handle_bytes == 4)
        return (intptr_t)((const uint32_t *)array)[place];
    return ((const intptr_t *)array)[place];
}

/* ---- the file ---- */

extern struct header *file_header;
extern struct site *file_sites;
extern struct communicator *file_communicators;
bool open_file(const char *folder, uint32_t events, int ranks);
uint64_t add_segment(void); /* its offset, 0 if none could be added */
void *map_segment(uint64_t offset);
bool allocate(uint64_t offset, uint64_t bytes); /* so that a full disk can't end the program later */
void leave_file(void);                          /* of a child after fork */
uint32_t put_string(const char *text, size_t bytes);
void say(const char *sentence, const char *detail);

/* ---- threads ---- */

struct communicator_state;

enum { SITE_CACHE = 1024, TYPE_CACHE = 64 };

struct cached_site {
    uint64_t place;
    uint64_t code;
    uint32_t site;
};

struct cached_type {
    intptr_t handle;
    uint64_t bytes;
    uint32_t generation;
};

/* What the recorder knows of a thread. */
struct thread {
    int depth; /* 1 while it is inside MPI */
    struct segment *segment;
    struct current
        poll; /* what the segment has of the last poll, while the thread is in a call between two polls */
    uint64_t polled, waits_since; /* when the last poll ended, and when the wait began that it belongs to */
    uint64_t computed;            /* of that, what was not waiting */
    uint64_t ran;                 /* the thread's processor time at the last poll, 0 if unknown */
    uint32_t looks;               /* polls with nothing between them */
    bool asks;                    /* for that time, as more passes between polls than a loop of them takes */
    struct entry *entries;
    struct pending *pending;
    struct peer *peers;
    struct event *events;
    uint64_t next_event, ring, allocated; /* the place of the next event; records that can be written */
    uint64_t events_offset;               /* in the file */
    int live_pending, next_pending, used_entries;
    intptr_t last_handle;
    uint32_t last_generation;
    struct communicator_state *last_communicator;
    void *handles;  /* copies of the requests of a call */
    char *statuses; /* for a caller that ignores them */
    long room;
    struct cached_site sites[SITE_CACHE];
    struct cached_type types[TYPE_CACHE];
    struct cached_site codes[SITE_CACHE];
};

extern __thread struct thread *self __attribute__((tls_model("initial-exec")));
extern bool recording;
struct thread *attach(void); /* NULL if this thread can't be recorded */
bool have_room(struct thread *thread, long number);
void measure_cost(void);

/* ---- the clock ---- */

extern bool counter; /* whether ticks are the processor's */
void choose_clock(void);
uint64_t nanoseconds(void);
void take_moment(struct moment *moment);

static inline uint64_t ticks(void) {
#if defined(__x86_64__)
    if (LIKELY(counter))
        return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    if (LIKELY(counter)) {
        uint64_t now;
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
        return now;
    }
#endif
    return nanoseconds();
}

/* ---- communicators ---- */

/* A communicator, a window or a file: what a group of ranks calls MPI with. */
struct communicator_state {
    uint16_t index;
    bool foreign; /* its peers are ranks of another job */
    int size;     /* of the group that messages go to */
    int *world;   /* their ranks in MPI_COMM_WORLD; NULL if they are the same */
    int local_size, local_rank;
    bool topology;             /* whether the degrees are known */
    int degree_in, degree_out; /* neighbours in its topology */
    uint64_t id, collectives;
    intptr_t handle;
    struct communicator *file;
};

enum handle_kind {
    OF_COMMUNICATOR,
    OF_WINDOW,
    OF_FILE,
    OF_REQUEST,
    OF_TYPE,
    OF_GROUP,
    OF_MESSAGE,
    HANDLE_KINDS
};

extern uint32_t communicator_generation;
extern int world_rank, world_size;
extern struct communicator_state *world_state;
struct communicator_state *search_communicator(struct thread *thread, intptr_t handle);
struct communicator_state *search_other(enum handle_kind kind, intptr_t handle);
void begin_communicators(intptr_t world_group, uint64_t id, bool with_self);
struct communicator_state *add_communicator(intptr_t handle, uint64_t parent, uint64_t seed);
void add_by_members(intptr_t handle, uint64_t tag);
void add_derived(enum handle_kind kind, intptr_t handle, struct communicator_state *parent, uint64_t number,
                 const char *name);
void forget_handle(enum handle_kind kind, intptr_t handle);
void name_communicator(struct communicator_state *state, const char *name);
uint64_t mix(uint64_t left, uint64_t right);

static inline struct communicator_state *find_communicator(struct thread *thread, intptr_t handle) {
    if (LIKELY(thread->last_handle == handle && thread->last_generation == communicator_generation))
        return thread->last_communicator;
    return search_communicator(thread, handle);
}

/* The rank in MPI_COMM_WORLD of a peer. */
static inline int peer_of(const struct communicator_state *state, int rank) {
    if (rank == abi.proc_null)
        return NOBODY;
    if (rank == abi.any_source)
        return ANY_SOURCE;
    if (!state || rank < 0 || rank >= state->size)
        return NO_PEER;
    return state->world ? state->world[rank] : rank;
}

/* ---- calls ---- */

/* A call while it lasts. */
struct call {
    struct thread *thread;
    const struct procedure *procedure;
    intptr_t *arguments;
    struct communicator_state *state; /* NULL if there is none */
    uint64_t key; /* procedure, communicator and site, as an entry of the profile has them */
    uint64_t begin, end;
    uint64_t sent, received, number;
    uint32_t site, role;
    int32_t peer, tag, root, source;
    int32_t messages_sent, messages_received;
    intptr_t status; /* where MPI writes it */
    long count;      /* of requests */
    bool fortran;    /* handles behind pointers are Fortran's, and indices begin at 1 */
    bool polled;     /* it has found nothing */
};

intptr_t from_fortran(enum handle_kind kind, int handle);

/* A handle in an array of the caller. */
static inline intptr_t caller_handle(const struct call *call, enum handle_kind kind, intptr_t array,
                                     long place) {
    if (UNLIKELY(call->fortran))
        return from_fortran(kind, ((const int *)array)[place]);
    if (kind == OF_FILE) /* a pointer in every ABI */
        return ((const intptr_t *)array)[place];
    return handle_at(array, place);
}

bool enter(struct call *call, int number, intptr_t *arguments, const void *caller, bool fortran);
intptr_t leave(struct call *call, intptr_t code);
uint64_t type_bytes(struct thread *thread, intptr_t type);
uint64_t block_bytes(struct call *call, const struct block *block);
void collective_bytes(struct call *call);
uint64_t status_bytes(intptr_t status, int *source, int *tag);
void forget_types(void);

struct entry *find_entry(struct thread *thread, uint64_t key, bool create);
void write_event(struct thread *thread, const struct event *event);
void count_size(struct entry *entry, uint64_t bytes);

/* ---- polls ---- */

extern uint64_t ticks_per_second; /* 0 while it is unknown, in the first millisecond */
void polls_again(struct call *call);
void found_nothing(struct call *call, bool first);

static inline bool may_poll(const struct procedure *procedure) {
    return (procedure->kind >= TEST && procedure->kind <= GET_STATUS) || procedure->kind == IPROBE;
}

/* ---- requests ---- */

/* A request from its start, or from its creation if it is persistent. */
struct request {
    uint64_t key; /* of the profile's entry that it began with */
    struct pending *pending;
    struct thread *owner;
    struct communicator_state *state;
    uint64_t bytes, since;
    intptr_t new_communicator; /* where Comm_idup writes the handle */
    int32_t peer, tag, source;
    uint32_t role;
    bool persistent, active;
    uint64_t number;
};

void add_request(struct call *call, intptr_t handle, uint32_t role, bool persistent);
struct request *find_request(intptr_t handle);
void start_request(struct call *call, intptr_t handle);
void complete_request(struct call *call, intptr_t handle, intptr_t status);
void free_request(intptr_t handle);
void remember_message(struct call *call, intptr_t message);
void take_message(struct call *call, intptr_t message);

/* ---- sites ---- */

uint32_t native_site(struct thread *thread, const void *caller);
uint32_t add_site(const struct site *site); /* its number */
bool python_site(struct thread *thread, uint32_t *site);
extern bool python_present;
void find_python(void);

/* Where CPython keeps what a frame says; offsets in bytes. */
struct python {
    int version;        /* 310 is Python 3.10 */
    bool free_threaded; /* built without the lock of the interpreter */
    int thread_frame;   /* from the thread's state to its innermost frame, by way of `cframe` up to 3.12 */
    int cframe, frame_code, frame_previous, frame_instruction;
    int code_file, code_name, code_qualname, code_table, code_first_line, code_instructions;
    int head, type; /* bytes of an object's head, and where its type is */
    uintptr_t code_type, bytes_type, text_type;
};
extern struct python python;
bool read_offsets(void);
bool peek(uintptr_t address, void *into, size_t bytes); /* memory that may not be there */
struct site decode_python(uintptr_t code, uintptr_t instruction);
bool library_code(uintptr_t code); /* of a file of mpi4py or polympi, whose caller is meant */

static inline uint32_t site_of(struct thread *thread, const void *caller) {
    uint32_t site;
    if (python_present && python_site(thread, &site))
        return site;
    return native_site(thread, caller);
}

/* ---- begin and end ---- */

void begun(int kind, intptr_t *arguments, intptr_t code);
void finalized(int code);
void before_finalize(void);
void aborted(void);
void begin_fortran(void);
void session_ended(void);
uint64_t greet(bool recorded, uint64_t id);
void compare_clocks(int when); /* 0 at the begin, 1 at the end */

#endif
