/* The harness: all that a program under test needs in addition to its timed loops, for any language.

   A program starts MPI, passes a first barrier, and calls polympi_run, which reads the plan, lays out the
   buffers, fills and checks messages, calls the program's loops and times them, and writes the samples
   (docs/protocol.md says what each of these is). bindings/c/bench.c is the model. The parts it is made of
   stand below it, for a program that cannot be called back.

   The functions and structs are plain: fixed-width integers, doubles, pointers and NUL-terminated ASCII; no
   type of MPI. Truth is an int32_t of 0 or 1. Where a function can fail it writes one sentence to a
   `complaint` of POLYMPI_COMPLAINT_BYTES. The library talks to all ranks over MPI_COMM_WORLD, in
   functions that say so ("collective"), and to nobody inside a timed stretch. Strings that a program hands
   over have to last as long as the call. */
#ifndef POLYMPI_HARNESS_H
#define POLYMPI_HARNESS_H

#include "common_start.h"
#include "polympi_catalogue.h"

#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Room for one sentence with a path in it. */
#define POLYMPI_COMPLAINT_BYTES 512

/* The protocol's exit codes, and one for a launch without the memory that its plan takes. */
enum { POLYMPI_DONE = 0, POLYMPI_CANNOT_DO_THE_PLAN = 3, POLYMPI_NO_MEMORY = 4 };

enum { POLYMPI_PAYLOAD_TAG = 1, POLYMPI_ACKNOWLEDGEMENT_TAG = 2 };

/* One case of the plan. `send_mode` and `completion` say what a mode of latency asks for, `face` what one of
   faces does, `layout` what one of datatype does, `variant` what one of an application does,
   or how an access of a window is completed; elsewhere they are 0. */
struct polympi_case {
    int64_t bytes; /* of one message */
    int32_t id;
    int32_t benchmark; /* POLYMPI_LATENCY ... */
    int32_t kind;      /* of the benchmark: POLYMPI_PAIR, POLYMPI_JOINT, POLYMPI_ROOTED, POLYMPI_CYCLE,
                          POLYMPI_APPLICATION */
    int32_t mode;      /* a number below POLYMPI_MODES: polympi_mode_name */
    int32_t send_mode;
    int32_t completion;
    int32_t face;
    int32_t payload;
    int32_t warmup;
    int32_t batches;
    int32_t iterations; /* in a batch */
    int32_t events;
    int32_t layout;
    int32_t variant;
};

/* A rank's part of the result of an application, without ghost layers: element (i, j, k) of the part, which
   is (start[0] + i, start[1] + j, start[2] + k) of the whole, is values[i * stride[0] + j * stride[1] + k *
   stride[2]]. Dimensions that it does not have: start 0, count 1, stride 0. */
struct polympi_part {
    const double *values;
    int64_t start[3];
    int64_t count[3];
    int64_t stride[3]; /* in elements */
};

/* The memory of one rank in one case. Messages lie `stride` bytes apart: in a window each on a page of its
   own, in a collective side by side. `outgoing` is filled before the program sees it. */
struct polympi_buffers {
    void *outgoing;        /* the first message to send, or NULL where there is none */
    void *incoming;        /* likewise; the very buffer of `outgoing` on the root of a broadcast */
    void *acknowledgement; /* one byte, for the end of a window */
    void *empty;           /* an address for a message without bytes */
    void *attached;        /* the buffer for MPI_Buffer_attach in the mode buffered */
    double *packed[2];     /* faces, datatype, halo: room to pack what is sent and what is received */
    int64_t stride;
    int64_t
        count; /* elements in one message: bytes, integers, doubles, or objects; a mean of uneven pieces */
    int64_t attached_bytes;
    /* faces: of the cube, in elements; it begins with the face that is sent. halo: of the cube with its ghost
       layers, which begins at `outgoing` and at `incoming`. An application: of its arrays. */
    int64_t edge;
    int32_t outgoing_messages; /* in one iteration, without acknowledgements */
    int32_t incoming_messages;
    int32_t window; /* messages in flight in windowed benchmarks */
    int32_t rank;
    int32_t ranks;
    struct polympi_part *part; /* of an application: `show` describes this rank's part of the result there */
};

/* Elements in message number `i` that this rank sends, or receives: `count`, but in a collective with uneven
   pieces. There the messages lie side by side in the order of their numbers. */
int64_t polympi_outgoing_count(const struct polympi_case *c, const struct polympi_buffers *buffers,
                               int32_t i);
int64_t polympi_incoming_count(const struct polympi_case *c, const struct polympi_buffers *buffers,
                               int32_t i);

/* The loops of one case on one rank, and what they need before and after. NULL instead of a function that
   has nothing to do; `batch` and `singly` have to be there. */
struct polympi_callbacks {
    void *context; /* first argument of each */
    /* Between a warm-up with its batches and events, or one validation, and what was before: make requests,
       post the receive that a ready send needs, give an application the state before its first iteration.
       `end` undoes it. */
    void (*begin)(void *context);
    void (*end)(void *context);
    /* Runs this many iterations in a row. Not called in rooted collectives. */
    void (*batch)(void *context, int32_t iterations);
    /* Times each iteration alone, by polympi_now; in collectives each from a common start
       (common_start.h). In a pair, a cycle and an application called on rank 0, while the others run
       `batch`. */
    void (*singly)(void *context, int32_t iterations, int64_t *ns);
    /* Where messages are objects that do not arrive in `incoming`: writes those of the last iteration there,
       for the check. */
    void (*show)(void *context);
    /* Frees what the case holds. */
    void (*release)(void *context);
    /* An application: ns that this rank has spent in calls of communication so far, and how its result is
       checked after so many iterations, by polympi_application_check. */
    int64_t (*communication)(void *context);
    void (*check)(const struct polympi_case *c, const struct polympi_buffers *buffers, int64_t iterations,
                  char *complaint);
};

/* Checks this rank's part of an application's result; writes the first difference to `complaint`. It takes
   functions of libm, and so is linked only where a program names it. Collective. */
void polympi_application_check(const struct polympi_case *c, const struct polympi_buffers *buffers,
                               int64_t iterations, char *complaint);

/* What a program brings. */
struct polympi_program {
    void *context; /* first argument of each */
    /* Why this program cannot run a case, or NULL; the same on all ranks. May itself be NULL. */
    const char *(*refuse)(void *context, const struct polympi_case *c);
    /* Makes ready for a case: called on the ranks that participate in it (0 and 1 in a benchmark of the kind
       pair, else all), with `callbacks` zeroed. `buffers` last as long as the case. In a cycle rank 0 sends
       `outgoing` to rank 1, and every rank what it received to the next, the last to rank 0. */
    void (*prepare)(void *context, const struct polympi_case *c, const struct polympi_buffers *buffers,
                    struct polympi_callbacks *callbacks);
};

#define POLYMPI_OPT_IN(benchmark) (INT64_C(1) << (benchmark))

/* What only the beginning of a program can tell. */
struct polympi_launch {
    const char *plan;      /* path */
    const char *samples;   /* path; rank 0 writes it */
    const char *binding;   /* the name to write */
    const char *complaint; /* what is wrong with the command line, which then ends all ranks; or NULL */
    int64_t ready_ns;      /* polympi_now after the first barrier */
    int64_t load_ns;       /* how long loading the binding took; 0 for compiled programs */
    int64_t init_ns;       /* how long MPI_Init_thread took */
    int64_t pss_bytes;     /* polympi_memory after the first barrier */
    int64_t rss_bytes;
    /* POLYMPI_OPT_IN(POLYMPI_PLAN) | ... for all benchmarks and modes that are not `basic` in the catalogue
       and that the program has loops for; others are refused. That of POLYMPI_STREAM is for its modes but the
       standard one. */
    int64_t opted_in;
    int32_t plain_pages; /* 1: no huge pages, whatever the plan says */
    int32_t unused;
};

/* Runs the plan and returns the exit code of the program, which then finalises MPI. Collective; it begins and
   ends the common start itself. */
int32_t polympi_run(const struct polympi_launch *launch, const struct polympi_program *program);

/* The clock all times are read from: CLOCK_MONOTONIC in ns. polympi_clock is the same as a function, for
   languages that cannot take an inline one. */
static inline int64_t polympi_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
int64_t polympi_clock(void);
int64_t polympi_clock_resolution(void);
double polympi_clock_cost(void); /* of one reading in ns: many in a row divided by their number */

/* Memory of the process as the system counts it, in bytes; zeros where it does not tell. */
void polympi_memory(int64_t *pss, int64_t *rss);

/* The plan. */
struct polympi_plan {
    struct polympi_case *cases;
    int64_t count;
    int32_t window;
    int32_t pages; /* POLYMPI_HUGE_PAGES, POLYMPI_PLAIN_PAGES */
};
int32_t polympi_plan_read(const char *path, struct polympi_plan *plan, char *complaint);
void polympi_plan_free(struct polympi_plan *plan);

/* Elements in each dimension of an application's arrays; 0 where none has the size of the case. */
int64_t polympi_problem_edge(const struct polympi_case *c);

/* Names of the catalogue, by the numbers in a case. */
const char *polympi_benchmark_name(int32_t benchmark);
const char *polympi_mode_name(int32_t mode);
const char *polympi_payload_name(int32_t payload);
/* The other way round, for a language that does not read polympi_catalogue.h; -1: there is none. */
int32_t polympi_benchmark_number(const char *name);

/* The arena: the one memory map that all message buffers are carved out of, in a row. Without memory (base
   NULL) carving only counts. */
struct polympi_arena {
    unsigned char *base; /* where buffers begin, aligned to 2 MiB */
    void *map;           /* the whole map, with the rest before the base */
    int64_t size;
    int64_t map_size;
    int64_t used;
};
int32_t polympi_arena_map(struct polympi_arena *arena, int64_t size, int32_t pages); /* 0: no memory */
void polympi_arena_unmap(struct polympi_arena *arena);
int64_t polympi_arena_stride(int64_t bytes); /* from one buffer to the next: multiples of 4096 */
void *polympi_arena_carve(struct polympi_arena *arena, int64_t count, int64_t bytes);
int64_t polympi_arena_huge_bytes(const struct polympi_arena *arena); /* as the kernel says */

/* The payloads `dict` and `instance` in C. */
struct polympi_record {
    int64_t integer;
    double real;
    char text[8];
};

/* An entry of the payload `map` in C, and the payload `nested`. `string` is this many characters, `list` this
   many integers of 64 bits. */
enum {
    POLYMPI_STRING_LENGTH = 32,
    POLYMPI_LIST_LENGTH = 100,
    POLYMPI_MAP_LENGTH = 20,
    POLYMPI_NESTED_ROWS = 4
};
struct polympi_entry {
    char key[8];
    double value;
};
struct polympi_nested {
    char name[8];
    int64_t integer;
    double rows[POLYMPI_NESTED_ROWS][POLYMPI_NESTED_ROWS];
};

/* Payloads: the message that rank `origin` sends in window slot (or to destination) `slot`, and whether one
   is it. The complaint stays as it is where all is well. */
int64_t polympi_payload_count(const struct polympi_case *c);
void polympi_payload_poison(void *message, int64_t bytes);
void polympi_payload_fill(void *message, const struct polympi_case *c, int32_t origin, int32_t slot);
void polympi_payload_check(const void *message, const struct polympi_case *c, int32_t origin, int32_t slot,
                           char *complaint);
/* Whether a message is the sum of those that all ranks sent in slot `slot`. */
void polympi_payload_check_sum(const void *message, const struct polympi_case *c, int32_t ranks, int32_t slot,
                               char *complaint);

/* The samples file. Ranks other than 0 hold NULL, and all of this does nothing for it. */
struct polympi_samples;
struct polympi_samples *polympi_samples_open(const char *path, char *complaint);
void polympi_samples_record(struct polympi_samples *samples, const char *line);
/* `KIND ID NS...`, kind `batch` or `event`; no record where there is no time. */
void polympi_samples_times(struct polympi_samples *samples, const char *kind, int32_t id, const int64_t *ns,
                           int32_t count);
/* Hands what was written to the system, so that a crash cannot lose it; ends all ranks if that fails. */
void polympi_samples_flush(struct polympi_samples *samples);
void polympi_samples_close(struct polympi_samples *samples); /* after the record `end` */

/* Whether any rank has a complaint; then all hold that of the lowest such rank. Collective. */
int32_t polympi_share_complaint(char *complaint);
/* The largest of each place over all ranks, on rank 0. Collective. */
void polympi_largest_over_ranks(int64_t *values, int32_t count);
/* Ends all ranks with an exit code, after what this one has written to standard error. */
void polympi_abort(int code);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
