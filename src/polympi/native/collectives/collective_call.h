/* One collective call: its arguments, its beginning and its end. */
#pragma once

#include "codec/codec.h"
#include "collectives/collective_wire.h"
#include "transfer/communicator.h"

extern const char *const verb_names[VERBS];

/* A collective call in progress. */
typedef struct {
    Communicator *comm;
    Call call;
    enum verb verb;
    int root;            /* 0 if there is none */
    uint32_t number;     /* of the call, the same on all ranks */
    int tag;             /* made from the number */
    double timeout, end; /* seconds, and until when it may wait, as `now()`; 0: forever */
    char *memory;        /* for small messages */
    size_t memory_bytes; /* of it; 0: it is a packet */
    bool lost;           /* it has failed while MPI may still use the memory */
    bool in_flight;  /* nonblocking (async_collective.h): later calls may write to the board before it does */
    PyObject *error; /* what this rank will raise, after it has done its part for the others */
} Collective;

/* Begin, after all other arguments have been checked; `timeout` is the user's. 0 or -1. */
int collective_begin(Collective *collective, Communicator *comm, enum verb verb, int root, PyObject *timeout);
/* The operation of a pending reduction can't call another collective, which would wait for it: 0, or -1 with
 * StateError. */
int check_not_below(const Communicator *comm, enum verb verb);
/* Begin a blocking call, which first waits for those that are pending on the communicator. */
int collective_open(Collective *collective, Communicator *comm, enum verb verb, int root, PyObject *timeout);
/* Memory for small messages, 64-byte aligned, until the end; at most once. NULL with MemoryError. */
char *collective_memory(Collective *collective, Py_ssize_t nbytes);
/* Open the argument `into`: `target`; NULL if it was not given, or with a deferred exception. */
const Target *collective_target(Collective *collective, Target *target, PyObject *into);
/* Whether the only part of a stream is all elements of an array, in the order in which they lie in the
 * target: 1, 0, or -1 with an exception where they do not fit. */
int fills_target(const Target *into, const char *stream, Py_ssize_t nbytes, const Arrived *parts,
                 int part_count, const Call *call);
/* The end. 0, or -1 with an exception if there is one: the deferred one rather than a later one. */
int collective_close(Collective *collective);
/* The end of a call, whose target (NULL: none) is closed: the result, stolen, or NULL with an exception. */
static inline PyObject *collective_end(Collective *collective, Target *into, PyObject *result) {
    if (into)
        target_close(into);
    if (collective_close(collective) < 0)
        Py_CLEAR(result);
    return result;
}
/* The rank leaves with the current exception, as above, and the call goes on without it and a time-out. */
void collective_leave(Collective *collective);

/* Raise the current exception only at the end, after this rank has done its part. The first one counts. */
void collective_defer(Collective *collective);
/* The text of the deferred exception, as "TypeError: cannot pickle ...", in at most `room` bytes; its length.
 */
Py_ssize_t collective_error_report(const Collective *collective, char *text, Py_ssize_t room);
/* Raise Error: another rank could not do its part. -1. */
int raise_failed(const Collective *collective, int rank, const char *text, Py_ssize_t length);

/* Seconds it may still wait, for wait_for. */
double collective_seconds(const Collective *collective);
