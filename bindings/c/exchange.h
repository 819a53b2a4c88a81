/* One case on one rank: its buffers and calls, and the loops that are timed.

   All dispatch happens before a loop begins. An iteration is a small function that is inlined into two loops,
   one for batches and one for single events; what it needs lies in a local copy of `struct exchange`, which
   the compiler keeps in registers. */
#ifndef POLYMPI_EXCHANGE_H
#define POLYMPI_EXCHANGE_H

#include "polympi_harness.h"
#include "waiting.h"

#include <mpi.h>
#include <stdbool.h>

typedef int start_call(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

/* Elements in each message of a collective with uneven pieces, and elements before it. */
struct pieces {
    int *counts;
    int *places;
};

struct exchange {
    send_call *send;   /* of the mode: MPI_Send, MPI_Ssend, ... */
    start_call *start; /* of the mode: MPI_Isend, ... or MPI_Send_init, ... */
    receive_call *receive;
    sendrecv_call *sendrecv;
    wait_call *wait;
    waitall_call *waitall;
    MPI_Datatype type; /* of the payload, or of a whole face */
    int count;         /* elements in one message */
    size_t elements;   /* the same, where `type` is a whole message */
    int rank;
    int peer; /* the other rank of a point-to-point benchmark */
    int next; /* in a cycle */
    int previous;
    int window;     /* messages in flight; in plan all of its messages */
    size_t stride;  /* bytes from slot to slot of a window */
    char *outgoing; /* first slot, or all pieces of a collective */
    char *incoming; /* the same for messages received; other memory, except on the root of a broadcast */
    char *acknowledgement;
    struct pieces sent; /* of a collective with uneven pieces */
    struct pieces received;
    MPI_Request *requests;
    MPI_Comm ring;  /* of all ranks, for a collective of neighbours */
    MPI_Comm pair;  /* ranks 0 and 1, which have a window */
    MPI_Win memory; /* that all ranks share: this rank's part, and that of the rank before it */
    char *mine;
    const char *theirs;
    size_t bytes;  /* of a message */
    MPI_File file; /* and where this rank's message, and that of the rank before it, are */
    MPI_Offset own_offset;
    MPI_Offset other_offset;
    MPI_Win exposed; /* memory of rank 1 that rank 0 accesses */
    void *attached;  /* buffer of the mode `buffered` */
    int attached_bytes;
    size_t edge;       /* of the cube whose face travels, in elements; it begins with the face that is sent */
    double *packed[2]; /* room for the faces or message that are sent and those that are received, packed */
    MPI_Datatype faces[2][POLYMPI_HALO_FACES]; /* of halo: those that are sent, and where they are received */
};

struct loops {
    void (*batch)(void *exchange, int32_t iterations);
    /* Times each iteration alone; from a common start where all ranks participate. */
    void (*singly)(void *exchange, int32_t iterations, int64_t *ns);
};

#define INLINED static inline __attribute__((always_inline))

#define DEFINE_BATCH(name)                                                                                   \
    static void name##_batch(void *given, int32_t iterations) {                                              \
        const struct exchange exchange = *(const struct exchange *)given;                                    \
        for (int i = 0; i < iterations; i++)                                                                 \
            name(&exchange);                                                                                 \
    }

/* Makes `NAME_loops` of the iteration `NAME(const struct exchange *)` of two ranks. */
#define DEFINE_LOOPS(name)                                                                                   \
    DEFINE_BATCH(name)                                                                                       \
    static void name##_singly(void *given, int32_t iterations, int64_t *ns) {                                \
        const struct exchange exchange = *(const struct exchange *)given;                                    \
        for (int i = 0; i < iterations; i++) {                                                               \
            const int64_t start = polympi_now();                                                             \
            name(&exchange);                                                                                 \
            ns[i] = polympi_now() - start;                                                                   \
        }                                                                                                    \
    }                                                                                                        \
    static const struct loops name##_loops = {name##_batch, name##_singly}

/* Likewise for an iteration of all ranks: one that a rank began too late is made again. */
#define DEFINE_COLLECTIVE_LOOPS(name)                                                                        \
    DEFINE_BATCH(name)                                                                                       \
    static void name##_singly(void *given, int32_t iterations, int64_t *ns) {                                \
        const struct exchange exchange = *(const struct exchange *)given;                                    \
        common_start_agree();                                                                                \
        for (int i = 0; i < iterations;) {                                                                   \
            for (int k = 0; k < UNTIMED_CALLS; k++)                                                          \
                name(&exchange);                                                                             \
            const int64_t start = common_start_wait();                                                       \
            name(&exchange);                                                                                 \
            ns[i] = polympi_now() - start;                                                                   \
            i += common_start_agree();                                                                       \
        }                                                                                                    \
    }                                                                                                        \
    static const struct loops name##_loops = {name##_batch, name##_singly}

/* The loops of rank 0 or 1 for each point-to-point benchmark. */
const struct loops *latency_loops(const struct polympi_case *c, int rank);
const struct loops *window_loops(const struct polympi_case *c, int rank);

/* Those of a stream whose iterations, timed one by one, end with the last send of rank 0. */
const struct loops *unacknowledged_loops(int rank);

/* The loops of a rank in the benchmark ring. */
const struct loops *ring_loops(int rank);

/* The loops of every rank for each collective benchmark. */
const struct loops *collective_loops(int32_t benchmark);

/* The loops of halo: six faces of a cube exchanged with the other rank, by datatypes or packed by hand. */
const struct loops *halo_loops(void);
const struct loops *halo_packing_loops(void);

/* Loops of rank 0 or 1 that pack by hand, and unpack what arrives: a face of the cube (docs/protocol.md), or
   a message whose elements do not lie side by side. Sent by a datatype, both take the loops of latency. */
const struct loops *packing_loops(const struct polympi_case *c, int rank);
const struct loops *layout_packing_loops(const struct polympi_case *c, int rank);

/* The loops of rank 0 or 1 for accesses of a window of rank 1, the window, and what both ranks do before the
   first iteration and after the last one. */
bool is_one_sided(int32_t benchmark);
const struct loops *one_sided_loops(const struct polympi_case *c, int rank);
void window_make(const struct polympi_case *c, const struct polympi_buffers *buffers,
                 struct exchange *exchange);
void window_free(const struct polympi_case *c, struct exchange *exchange);
void window_begin(const struct polympi_case *c, const struct exchange *exchange, int rank);
void window_end(const struct polympi_case *c, const struct exchange *exchange, int rank);

/* The loops of messages through shared memory, and the memory; whether all ranks can share any. */
bool all_on_one_host(void);
const struct loops *shared_memory_loops(void);
void shared_memory_make(const struct polympi_case *c, struct exchange *exchange);
void shared_memory_free(struct exchange *exchange);

/* The loops of each benchmark with a file, or NULL; the file, which all ranks open and close; and what a case
   has written, which file_show reads into `incoming`. */
const struct loops *file_loops(int32_t benchmark);
void file_open(const struct polympi_case *c, const char *path, struct exchange *exchange);
void file_show(const struct polympi_case *c, const struct exchange *exchange);
void file_close(struct exchange *exchange);

/* Makes the derived datatypes of objects; datatypes_end frees them. */
void datatypes_begin(void);
void datatypes_end(void);

MPI_Datatype payload_datatype(int32_t payload);

/* Makes the datatypes of a case before the first iteration, and frees them after the last: of a face, of the
   faces of halo and the ghost layers that they go to, and of a layout, with which a message is sent as it
   lies. */
void faces_begin(const struct polympi_case *c, struct exchange *exchange);
void faces_end(const struct polympi_case *c, struct exchange *exchange);
void halo_begin(struct exchange *exchange);
void halo_end(struct exchange *exchange);
void layouts_begin(const struct polympi_case *c, struct exchange *exchange);
void layouts_end(struct exchange *exchange);

/* The calls that a mode of latency or stream makes, and the requests, attached buffer and receive posted
   ahead that it needs, from before the first iteration to after the last. */
void latency_choose(const struct polympi_case *c, const struct waiting *waiting, struct exchange *exchange);
void latency_begin(const struct polympi_case *c, const struct exchange *exchange, int rank);
void latency_end(const struct polympi_case *c, const struct exchange *exchange, int rank);

#endif
