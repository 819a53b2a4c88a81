/* Reports of calls that wait long, on standard error; the calls go on. */
#pragma once

#include "base/state.h"

/* A wait younger than this is never reported: most are, and no user has begun to wonder. */
#define YOUNGEST_SECONDS 1.0

/* Report calls that have waited this long, each wait once, and those that are asked for. */
void long_waits_report(double seconds);
/* Have each call that waits report that, soon. Whether a signal handler asks that interrupts such a call. */
bool long_waits_ask(void);
/* Add what a wait in a collective lacks, unless it returns NULL. */
void long_waits_explain(const char *(*explain)(const Call *call));

/* Report a wait, if it is time: when it `began`, when it was last reported (0: never). With the GIL. */
void long_wait_look(double began, double *reported, const Call *call);

/* Run the handlers of signals that have arrived during a wait: 0, or -1 with an exception. */
int long_wait_signals(double began);
