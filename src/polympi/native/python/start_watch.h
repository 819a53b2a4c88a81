/* A thread that watches the start of MPI, whose calls block: they return when all ranks have arrived.
 *
 * Without it, a rank that never arrives would let the others hang silently. The thread reports what is waited
 * for when it takes long, and ends the process after POLYMPI_TIMEOUT: no exception can end a call of the
 * library.
 */
#ifndef POLYMPI_START_WATCH_H
#define POLYMPI_START_WATCH_H

#include "base/state.h"

/* Begin to watch; `step` is what all ranks have to do, for the report. With the GIL. */
void start_watch_begin(const char *step, double timeout);
void start_watch_end(void);

#endif
