/* A collective call that goes on while its rank does something else. */
#ifndef POLYMPI_FLIGHT_H
#define POLYMPI_FLIGHT_H

#include "collectives/leg.h"
#include "collectives/rounds.h"
#include "transfer/work.h"

/* A call under way, on the heap: one that was begun so, or one that a rank has left in the middle, which had
 * promised the others its part in a collective of the library. The others need what this rank has to do in
 * it, so that it goes on until it is over, whether or not somebody still wants to know. Followed by what the
 * collective puts there. */
typedef struct Flight {
    Work work;
    Collective collective;
    Leg leg; /* the one under way; of no kind: there is none yet */
    /* Begin the next leg: 1; 0 if the last one is over, -1 with an exception. NULL: there is but one. It must
     * not need Python where `state.without_python`: flights go on at the end of the program. */
    int (*next)(struct Flight *flight);
    /* What the call returns, once it is over; a new reference, or NULL with an exception. */
    PyObject *(*finish)(struct Flight *flight);
    /* Give back what follows; nothing of it is under way, unless `collective.lost`. NULL: nothing. */
    void (*close)(struct Flight *flight);
    /* Its rank leaves it: take other memory where that of the user is not in use yet. NULL: there is none. */
    void (*leave)(struct Flight *flight);
    double look_at; /* when to look at what the others call; 0: not yet known */
    double step_at; /* not before that, after it was left and has waited for long */
    bool wanted;    /* somebody will ask for the result */
    bool left;      /* somebody has, and was told that it was not there in time */
    bool over;      /* then one of these is there, unless it was asked for */
    PyObject *value, *error;
    size_t nbytes; /* of it, with what follows */
} Flight;

/* Memory for a flight and what follows it, `nbytes` in all, of which the first `cleared` are zero; NULL with
 * MemoryError. */
Flight *flight_new(size_t nbytes, size_t cleared);
/* The call begins, for somebody who wants to know: 0; -1 with an exception, and the flight is gone. */
int flight_begin(Flight *flight, Communicator *comm, enum verb verb, int root);
/* Go on as far as it goes at once; `failed`: it could not be set up, for which the exception is set. */
void flight_start(Flight *flight, bool failed);
/* Go on with a blocking call, which has begun and whose `collective` was moved here, to its end: what it
 * returns, or NULL with an exception. The flight is gone then, or on its own way. */
PyObject *flight_run(Flight *flight);
/* Free one that does not begin. */
void flight_free(Flight *flight);

/* Whether it is over; moves on what is under way. */
bool flight_test(Flight *flight);
/* Wait until it is over: the result, a new reference; NULL with an exception. After a time-out it goes on.
 * Once. */
PyObject *flight_wait(Flight *flight, double timeout);
/* Nobody will ask for the result. */
void flight_leave(Flight *flight);

/* The collectives that can be begun so. NULL with an exception. */
Flight *barrier_start(Communicator *comm);
Flight *bcast_start(Communicator *comm, PyObject *value, int root, PyObject *into);
Flight *gather_start(Communicator *comm, PyObject *value, int root, PyObject *into);
Flight *scatter_start(Communicator *comm, PyObject *value, int root, PyObject *into);
Flight *allgather_start(Communicator *comm, PyObject *value, PyObject *into);
Flight *alltoall_start(Communicator *comm, PyObject *value, PyObject *into);

/* ---- at the end ---- */

static inline bool flights_under_way(void) { return oldest_work != NULL; }
/* The call of the next of them; `*place` is NULL at first. NULL: that was all. */
const Call *flights_next(const void **place);
/* Move them on without Python, at the very end; whether there are still some. One that fails stays. */
bool flights_test(void);
/* Give up those that were left, of which the program has heard: whether there were any. */
bool withdraw_left_flights(void);
/* Give up those under way, just before MPI_Finalize. */
void withdraw_flights(void);

#endif
