/* A collective call that goes on while its rank does something else. */
#ifndef POLYMPI_FLIGHT_H
#define POLYMPI_FLIGHT_H

#include "collectives/rounds.h"
#include "transfer/work.h"

/* A call under way, on the heap. The others need what this rank has to do in it, so that it goes on until it
 * is over, whether or not somebody still wants to know. Followed by what the collective puts there. */
typedef struct Flight {
    Work work;
    Collective collective;
    Rounds *rounds;
    /* What the call returns, once the rounds are over; a new reference, or NULL with an exception. */
    PyObject *(*finish)(struct Flight *flight);
    bool wanted; /* somebody will ask for the result */
    bool over;   /* then one of these is there, unless it was asked for */
    PyObject *value, *error;
} Flight;

/* Memory for a flight and what follows it, `nbytes` in all, with the call begun, for somebody who wants to
 * know; NULL with an exception. */
Flight *flight_new(size_t nbytes, Communicator *comm, enum verb verb, int root);
/* Begin with its rounds, as far as they go at once; NULL: they could not be set up, and have raised why.
 * Their `next` must not need Python: they go on at the end of the program, when the interpreter is gone. */
void flight_start(Flight *flight, Rounds *rounds, PyObject *(*finish)(Flight *flight));
/* Whether it is over; moves on what is under way. */
bool flight_test(Flight *flight);
/* Wait until it is over: the result, a new reference; NULL with an exception. After a time-out it goes on.
 * Once. */
PyObject *flight_wait(Flight *flight, double timeout);
/* Nobody will ask for the result. */
void flight_leave(Flight *flight);

/* The collectives that can be begun so. NULL with an exception. */
Flight *barrier_start(Communicator *comm);

/* ---- at the end ---- */

static inline bool flights_under_way(void) { return oldest_work != NULL; }
/* The call of the next of them; `*place` is NULL at first. NULL: that was all. */
const Call *flights_next(const void **place);
/* Move them on without Python, at the very end; whether there are still some. One that fails stays. */
bool flights_test(void);
/* Give up those under way, just before MPI_Finalize. */
void withdraw_flights(void);

#endif
