/* The plan: which cases to run and how often (docs/protocol.md). */
#ifndef POLYMPI_PLAN_H
#define POLYMPI_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum benchmark {
    LATENCY,
    BANDWIDTH,
    BIBANDWIDTH,
    STREAM,
    FACES,
    BARRIER,
    BCAST,
    REDUCE,
    ALLREDUCE,
    GATHER,
    SCATTER,
    ALLGATHER,
    ALLTOALL,
    BENCHMARKS
};
enum send_mode { STANDARD, SYNCHRONOUS, BUFFERED, READY, SENDRECV, SEND_MODES };
enum completion { BLOCKING, NONBLOCKING, PERSISTENT, COMPLETIONS };
enum face { CONTIGUOUS, ROWS, ELEMENTS, FACE_MODES };
enum payload { NONE, BYTES, FLOAT64, INT, FLOAT, DICT, ARRAY, PAYLOADS };

struct plan_case {
    int id;
    enum benchmark benchmark;
    enum send_mode send_mode;
    enum completion completion;
    enum face face;
    enum payload payload;
    size_t bytes; /* of one message */
    int warmup;
    int batches;
    int iterations; /* in a batch */
    int events;
};

/* What message buffers lie on. */
enum pages {
    HUGE_PAGES, /* asked for, so that the kernel gives them if it has any */
    PLAIN_PAGES /* what a program gets that asks for nothing */
};

struct plan {
    int window; /* messages in flight in bandwidth, bibandwidth and stream */
    enum pages pages;
    size_t count;
    struct plan_case *cases;
};

/* Reads a plan; where that fails, writes one sentence to `complaint` and returns false. */
bool plan_read(const char *path, struct plan *plan, char *complaint, size_t room);

void plan_free(struct plan *plan);

/* Whether ranks 0 and 1 exchange messages; in all other benchmarks every rank takes part. */
static inline bool is_point_to_point(enum benchmark benchmark) { return benchmark < BARRIER; }

/* Whether ranks would run ahead of each other in a loop, so that each iteration is timed alone. */
static inline bool is_rooted(enum benchmark benchmark) {
    return benchmark == BCAST || benchmark == REDUCE || benchmark == GATHER || benchmark == SCATTER;
}

#endif
