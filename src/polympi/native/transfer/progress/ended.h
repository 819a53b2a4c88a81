/* Ranks that have ended, and ranks that wait for them in vain.
 *
 * A rank at its end waits for all others, while those that wait for it would hang. So a rank that waits long
 * asks the ranks that it waits for, once each, to report their end; the library queues the question until
 * then. A rank that has ended answers, and on request reports how many collective calls it has made on a
 * communicator, since it may have done its part of the current call. A call that can never complete raises
 * EndedError. */
#pragma once

#include "base/errors.h"
#include "transport/transport.h"

/* How a rank has ended; 0: it isn't known to have. */
enum way_to_end { AT_PROGRAM_END = 1, BY_OS_EXIT, BY_FINALIZE, BY_MPI_FINALIZE };

/* After the ranks of the world have met: questions and answers travel on `everyone`, which is theirs
 * alone. MPI's code. */
int ended_open(MPI_Comm everyone);

/* ---- another world, which was spawned by this one, or has spawned it ---- */

typedef struct Circle Circle;

/* After the ranks of both have met: `count` of `both`, from `first`, are of the other world. Notes travel on
 * `both`, which is theirs alone; `between` is MPI's intercommunicator, whose disconnection ends it all. MPI's
 * code. */
int circle_make(MPI_Comm both, MPI_Comm between, int first, int count, Circle **made);
/* With the GIL: take notes from now on. */
void circle_open(Circle *circle);
/* With the GIL, after all ranks have reached the call that disconnects the worlds: take none. */
void circle_close(Circle *circle);
/* Disconnect them; collective. MPI's code; without the GIL. */
int circle_free(Circle *circle);

/* ---- a rank that waits ---- */

typedef struct {
    double began, next; /* when it began to wait, and when to look next */
    double since;       /* when the wait was found to be in vain; 0: it isn't */
    int looks;          /* since then */
    double reported;    /* when it was reported to wait long (long_wait.h); 0: it wasn't */
} Watch;

Watch watch_begin(double time, double timeout);
/* Check whether the call waits for a rank that has ended; with the GIL. 0, or -1 with EndedError. */
int watch_look(Watch *watch, const Call *call);
static inline int watch_step(Watch *watch, const Call *call, double time) {
    return likely(time < watch->next) ? 0 : watch_look(watch, call);
}

/* A text about the ended rank that a call waits for, valid until the next call; NULL: none is known. */
const char *explain_ended(const Call *call);

/* ---- a rank at its end ---- */

/* Answer the questions that have arrived; nothing of this rank is pending any longer. Without the GIL. */
void ended_answer(enum way_to_end way);
/* Tell the ranks of connected worlds that this one has ended, once; whether all of them have. Without the
 * GIL. */
void ended_tell_strangers(enum way_to_end way);
bool ended_are_strangers(void);
