/* A collective call that goes on while its rank does something else. */
#ifndef POLYMPI_COLLECTIVES_ASYNC_COLLECTIVE_H
#define POLYMPI_COLLECTIVES_ASYNC_COLLECTIVE_H

#include "collectives/phase_op.h"
#include "collectives/rounds.h"
#include "transfer/progress/progress_list.h"

/* A call under way, on the heap: one that was begun so, or one that a rank has left in the middle, which had
 * promised the others its part in a collective of the library. The others need what this rank has to do in
 * it, so that it goes on until it is over, whether or not somebody still wants to know. Followed by what the
 * collective puts there. */
typedef struct AsyncCollective {
    ProgressItem item;
    Collective collective;
    PhaseOp phase; /* the one under way; of no kind: there is none yet */
    /* Begin the next phase: 1; 0 if the last one is over, -1 with an exception. NULL: there is but one. It
     * must not need Python where `state.without_python`: asynchronous calls go on at the end of the program.
     */
    int (*next)(struct AsyncCollective *async);
    /* What the call returns, once it is over; a new reference, or NULL with an exception. */
    PyObject *(*finish)(struct AsyncCollective *async);
    /* Give back what follows; nothing of it is under way, unless `collective.lost`. NULL: nothing. */
    void (*close)(struct AsyncCollective *async);
    /* Its rank leaves it: take other memory where that of the user is not in use yet. NULL: there is none. */
    void (*leave)(struct AsyncCollective *async);
    double look_at; /* when to look at what the others call; 0: not yet known */
    double step_at; /* not before that, after it was left and has waited for long */
    bool wanted;    /* somebody will ask for the result */
    bool left;      /* somebody has, and was told that it was not there in time */
    bool over;      /* then one of these is there, unless it was asked for */
    PyObject *value, *error;
    size_t nbytes; /* of it, with what follows */
} AsyncCollective;

/* Memory for an asynchronous call and what follows it, `nbytes` in all, of which the first `cleared` are
 * zero; NULL with MemoryError. */
AsyncCollective *async_new(size_t nbytes, size_t cleared);
/* The call begins, for somebody who wants to know: 0; -1 with an exception, and the call is gone. */
int async_begin(AsyncCollective *async, Communicator *comm, enum verb verb, int root);
/* Go on as far as it goes at once; `failed`: it could not be set up, for which the exception is set. */
void async_start(AsyncCollective *async, bool failed);
/* Go on with a blocking call, which has begun and whose `collective` was moved here, to its end: what it
 * returns, or NULL with an exception. The call is gone then, or on its own way. */
PyObject *async_run(AsyncCollective *async);
/* Free one that does not begin. */
void async_free(AsyncCollective *async);

/* Whether it is over; moves on what is under way. */
bool async_test(AsyncCollective *async);
/* Wait until it is over: the result, a new reference; NULL with an exception. After a time-out it goes on.
 * Once. */
PyObject *async_wait(AsyncCollective *async, double timeout);
/* Nobody will ask for the result. */
void async_leave(AsyncCollective *async);

/* The collectives that can be begun so. NULL with an exception. */
AsyncCollective *barrier_start(Communicator *comm);
AsyncCollective *bcast_start(Communicator *comm, PyObject *value, int root, PyObject *into);
AsyncCollective *gather_start(Communicator *comm, PyObject *value, int root, PyObject *into);
AsyncCollective *scatter_start(Communicator *comm, PyObject *value, int root, PyObject *into);
AsyncCollective *allgather_start(Communicator *comm, PyObject *value, PyObject *into);
AsyncCollective *alltoall_start(Communicator *comm, PyObject *value, PyObject *into);

/* ---- at the end ---- */

static inline bool async_collectives_under_way(void) { return oldest_item != NULL; }
/* The call of the next of them; `*place` is NULL at first. NULL: that was all. */
const Call *async_collectives_next(const void **place);
/* Move them on without Python, at the very end; whether there are still some. One that fails stays. */
bool async_collectives_test(void);
/* Give up those that were left, of which the program has heard: whether there were any. */
bool withdraw_left_async_collectives(void);
/* Give up those under way, just before MPI_Finalize. */
void withdraw_async_collectives(void);

#endif
