/* Ranks that have reached their end, and ranks that wait for them in vain.
 *
 * A rank at its end waits there for all others, and would let those hang that wait for it. So a rank that
 * waits long asks those that it waits for, once each, to say when they end; the question lies in the queue of
 * the library until then. A rank that has ended answers, and then says how many collective calls it has made
 * on a communicator, since it may have done its part of the call that is waited for. Where a call can never
 * be completed it raises EndedError.
 */
#ifndef POLYMPI_TRANSFER_PROGRESS_ENDED_H
#define POLYMPI_TRANSFER_PROGRESS_ENDED_H

#include "base/errors.h"
#include "transport/transport.h"

/* How a rank has reached its end; 0: not yet, as far as is known. */
enum way_to_end { AT_PROGRAM_END = 1, BY_OS_EXIT, BY_FINALIZE, BY_MPI_FINALIZE };

/* After the ranks of the world have met: questions and answers travel on `everyone`, which is theirs
 * alone. MPI's code. */
int ended_open(MPI_Comm everyone);

/* ---- a rank that waits ---- */

typedef struct {
    double began, next; /* when it began to wait, and when to look next */
    double since;       /* when the call was found to wait in vain; 0: it does not */
    int looks;          /* since then */
} Watch;

Watch watch_begin(double time, double timeout);
/* Look whether the call waits for a rank that has ended; with the GIL. 0, or -1 with EndedError. */
int watch_look(Watch *watch, const Call *call);
static inline int watch_step(Watch *watch, const Call *call, double time) {
    return likely(time < watch->next) ? 0 : watch_look(watch, call);
}

/* Which rank that a call waits for has ended, for a sentence, until the next call of this; NULL: none, as far
 * as is known. */
const char *explain_ended(const Call *call);

/* ---- a rank at its end ---- */

/* Answer the questions that have arrived; nothing of this rank is pending any more. Without the GIL. */
void ended_answer(enum way_to_end way);

#endif
