/* Waiting: a short spin with the GIL, then without it, yielding; ended by time-outs and signals. */
#ifndef POLYMPI_WAIT_H
#define POLYMPI_WAIT_H

#include "core.h"

/* A time-out given by the user in seconds; `DEFAULT_TIMEOUT` stands for state.timeout, 0 for ever. */
#define DEFAULT_TIMEOUT (-1.0)

/* Wait until all `count` requests are complete. Progresses all receives that are pending, too.
 *
 * 0, or -1 with an exception: an MPI error, Timeout, or what a signal handler raised (KeyboardInterrupt).
 * After the latter two, requests that are not MPI_REQUEST_NULL are still active and the caller's to deal
 * with. `statuses` may be MPI_STATUSES_IGNORE. */
int wait_for(MPI_Request *requests, int count, MPI_Status *statuses, const Call *call, double timeout);

/* Test all requests once: 1 complete, 0 not yet, -1 with an MPI error raised. GIL held. */
int test_requests(MPI_Request *requests, int count, MPI_Status *statuses, const Call *call);

/* Poll until it is not 0: its 1, or -1 with an exception (its own, or as above). `poll` is called with the
 * GIL. */
int wait_poll(int (*poll)(void *context), void *context, const Call *call, double timeout);

/* Monotonic seconds. */
double now(void);

/* Whether a blocking MPI collective may be called as it is, with the GIL held: nobody else could run Python
 * meanwhile, no time-out has to be watched, and no pending receive has to be progressed. Otherwise: the
 * nonblocking one and wait_for. */
bool may_block(double timeout);

#endif
