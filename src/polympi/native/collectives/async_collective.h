/* A collective call that continues while its rank does something else. */
#pragma once

#include "collectives/phase_op.h"
#include "collectives/rounds.h"
#include "transfer/progress/progress_list.h"

/* A pending call, on the heap: a nonblocking one, or a blocking one that its rank has left after it had
 * promised the others to join a collective of the library. The others depend on this rank, so the
 * call continues until it is complete, whether or not its result is wanted. The collective's own data follow.
 */
typedef struct AsyncCollective {
    ProgressItem item;
    Collective collective;
    PhaseOp phase; /* the current one; of no kind: none has begun */
    /* Begin the next phase: 1; 0 if the last one is over, -1 with an exception. NULL: there is only one. It
     * must not need Python if `state.without_python`: pending calls continue at the end of the program. */
    int (*next)(struct AsyncCollective *async);
    /* The result of the completed call; a new reference, or NULL with an exception. */
    PyObject *(*finish)(struct AsyncCollective *async);
    /* Free the data that follow; MPI uses none of them, unless `collective.lost`. NULL: nothing to free. */
    void (*close)(struct AsyncCollective *async);
    /* Its rank leaves it: replace user buffers that are not in use yet. NULL: there are none. */
    void (*leave)(struct AsyncCollective *async);
    double look_at; /* when to look at what the others call; 0: not set yet */
    double step_at; /* for a call that was left and has waited long: when to test it next */
    bool wanted;    /* the result will be asked for */
    bool left;      /* the call that waited for it was ended by an exception */
    bool over;      /* then one of the following is set, until it is asked for */
    PyObject *value, *error;
    size_t nbytes; /* with the data that follow */
} AsyncCollective;

/* Memory for a call and its data, `nbytes` in all, the first `cleared` of them zero; NULL with MemoryError.
 */
AsyncCollective *async_new(size_t nbytes, size_t cleared);
/* Begin a call whose result is wanted: 0; -1 with an exception, and the call is freed. */
int async_begin(AsyncCollective *async, Communicator *comm, enum verb verb, int root);
/* Continue as far as possible without waiting; `failed`: setting it up has failed, with an exception. */
void async_start(AsyncCollective *async, bool failed);
/* Complete a blocking call, which has begun and whose `collective` was moved here: its result, or NULL with
 * an exception. It frees the call, now or when a call that was left is complete. */
PyObject *async_run(AsyncCollective *async);
/* Free a call that does not begin. */
void async_free(AsyncCollective *async);

/* Whether it is complete; makes progress. */
bool async_test(AsyncCollective *async);
/* Wait until it is complete: the result, a new reference; NULL with an exception. After a time-out it goes
 * on. To be called once. */
PyObject *async_wait(AsyncCollective *async, double timeout);
/* Whether that was the result, or its exception, rather than one of the wait. */
static inline bool async_is_taken(const AsyncCollective *async) {
    return async->over && !async->value && !async->error;
}
/* The result isn't wanted, or was taken. */
void async_leave(AsyncCollective *async);

/* The nonblocking collectives; `counts` and `into` may be NULL. NULL with an exception. */
AsyncCollective *barrier_start(Communicator *comm);
AsyncCollective *bcast_start(Communicator *comm, PyObject *value, int root, PyObject *into);
AsyncCollective *gather_start(Communicator *comm, PyObject *value, int root, PyObject *into);
AsyncCollective *scatter_start(Communicator *comm, PyObject *value, int root, PyObject *counts,
                               PyObject *into);
AsyncCollective *allgather_start(Communicator *comm, PyObject *value, PyObject *into);
/* An allgather in which ranks compare what their plans consist of. */
AsyncCollective *agreement_start(Communicator *comm, PyObject *value);
AsyncCollective *alltoall_start(Communicator *comm, PyObject *value, PyObject *counts, PyObject *into);

/* ---- at the end ---- */

static inline bool async_collectives_under_way(void) { return oldest_item != NULL; }
/* The next pending call; `*place` is NULL at first. NULL: that was all. */
const Call *async_collectives_next(const void **place);
/* Make progress without Python, at the very end; whether any are pending. One that fails stays. */
bool async_collectives_test(void);
/* Give up those that were left, which the program knows of: whether there were any. */
bool withdraw_left_async_collectives(void);
/* Give up those that are pending, just before MPI_Finalize. */
void withdraw_async_collectives(void);
