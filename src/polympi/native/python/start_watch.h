/* A thread that watches the start of MPI, whose calls block: they return when all ranks have arrived.
 *
 * A rank that never comes would let the others hang without a word. So the thread says what is waited for
 * when it takes long, and ends the process where POLYMPI_TIMEOUT is over: no exception can end a call of the
 * library.
 */
#ifndef POLYMPI_START_WATCH_H
#define POLYMPI_START_WATCH_H

#include "base/state.h"

/* Watch from now on; `step` says what all ranks have to do, for a sentence. With the GIL. */
void start_watch_begin(const char *step, double timeout);
void start_watch_end(void);

#endif
