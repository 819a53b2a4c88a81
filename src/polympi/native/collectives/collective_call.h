/* One collective call: what it is about, its beginning and its end. */
#ifndef POLYMPI_COLLECTIVE_CALL_H
#define POLYMPI_COLLECTIVE_CALL_H

#include "codec/codec.h"
#include "collectives/collective_wire.h"
#include "transfer/communicator.h"

extern const char *const verb_names[VERBS];
static inline bool has_root(int verb) {
    return verb == BCAST || verb == GATHER || verb == SCATTER || verb == REDUCE;
}

/* Whether it may have data that the library sends, once all ranks have agreed to that. */
static inline bool has_large_data(int verb) {
    return verb == BCAST || (verb >= REDUCE && verb <= REDUCE_SCATTER);
}

/* A collective call under way. */
typedef struct {
    Communicator *comm;
    Call call;
    enum verb verb;
    int root;            /* 0 where there is none */
    uint32_t number;     /* of the call, alike on all ranks */
    int tag;             /* made of that */
    double timeout, end; /* seconds, and the moment in `now()` until which it may wait; 0: for ever */
    char *memory;        /* for small messages */
    size_t memory_bytes; /* of it; 0: it is a packet */
    bool lost;           /* it has failed while MPI may still use the memory */
    bool in_flight;      /* it was begun (async_collective.h): others may write on the board before it does */
    PyObject *error;     /* what this rank will raise, once the others have got what they need from it */
} Collective;

/* Begin, once all arguments are known to be right; `root` is 0 where there is none. `timeout` as the user
 * gave it. 0 or -1. */
int collective_begin(Collective *collective, Communicator *comm, enum verb verb, int root, PyObject *timeout);
/* The same of a blocking call, which waits until those in flight on the communicator are over. */
int collective_open(Collective *collective, Communicator *comm, enum verb verb, int root, PyObject *timeout);
/* Memory for small messages, 64-byte aligned, until the end; once. NULL with MemoryError. */
char *collective_memory(Collective *collective, Py_ssize_t nbytes);
/* Open what was given as `into`: `target`, or NULL if it was not or that has failed, which is deferred. */
const Target *collective_target(Collective *collective, Target *target, PyObject *into);
/* Whether the only part of a stream is all elements of an array, in the order in which they lie in the
 * target: 1, 0, or -1 with an exception where they do not fit. */
int fills_target(const Target *into, const char *stream, Py_ssize_t nbytes, const Arrived *parts,
                 int part_count, const Call *call);
/* The end. 0, or -1 with an exception if there is one: the deferred one rather than one that came later. */
int collective_close(Collective *collective);
/* The rank leaves with the exception at hand, as above, and the call goes on without it and a time-out. */
void collective_leave(Collective *collective);

/* Raise the exception at hand at the end only, so that this rank still does what the others wait for. The
 * first one counts. */
void collective_defer(Collective *collective);
/* What the deferred exception says, as "TypeError: cannot pickle ...", in at most `room` bytes; its length.
 */
Py_ssize_t collective_error_report(const Collective *collective, char *text, Py_ssize_t room);
/* Raise Error: another rank could not take its part. -1. */
int raise_failed(const Collective *collective, int rank, const char *text, Py_ssize_t length);

/* Seconds it may still wait, for wait_for. */
double collective_seconds(const Collective *collective);

#endif
