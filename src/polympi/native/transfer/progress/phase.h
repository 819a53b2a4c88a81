/* Whether calls are possible in the phase that the process is in. */
#pragma once

#include "base/state.h"

/* Whether calls are possible now; otherwise raises StateError and is false. Where the phase is HELD it waits
 * for calls that other threads wait for, too. */
bool running(void);
static inline bool is_running(void) { return likely(state.phase == RUNNING) || running(); }
