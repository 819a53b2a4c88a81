/* Waiting: a short spin with the GIL, then without it, yielding; ended by time-outs and signals. */
#ifndef POLYMPI_TRANSFER_PROGRESS_WAIT_H
#define POLYMPI_TRANSFER_PROGRESS_WAIT_H

#include "base/arguments.h"
#include "base/errors.h"
#include "transport/calls.h"

/* How long to spin with the GIL held. A message of a neighbour that is ready takes about a microsecond;
 * releasing and taking back the GIL 0.06 us, and with another Python thread running up to its switch interval
 * of 5 ms. */
#define SPIN_SECONDS 20e-6

/* How often Ctrl-C is looked for; a person notices 100 ms. */
#define SIGNAL_SECONDS 0.05

/* Let the other hardware thread of a core run while this one spins. */
static inline void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Test requests again and again with the GIL held, as a wait begins; PENDING: they were not complete in time.
 * `end` is 0 at first, and then the time when all the calls for `messages` requests have spun enough. */
enum step wait_spin(MPI_Request *requests, int count, MPI_Status *statuses, const Call *call, int messages,
                    double *end);

/* Wait until all `count` requests are complete. Progresses all receives that are pending, too.
 *
 * 0, or -1 with an exception: an MPI error, Timeout, or what a signal handler raised (KeyboardInterrupt).
 * After the latter two, requests that are not MPI_REQUEST_NULL are still active and the caller's to deal
 * with. `statuses` may be MPI_STATUSES_IGNORE. RECALLED, of a receive, as enum step says. */
int wait_longer(MPI_Request *requests, int count, MPI_Status *statuses, const Call *call, double timeout);
static inline int wait_for(MPI_Request *requests, int count, MPI_Status *statuses, const Call *call,
                           double timeout) {
    if (likely(count == 1)) {
        enum step complete = test_requests(requests, 1, statuses, call);
        if (likely(complete != PENDING))
            return complete < PENDING ? -1 : 0;
    }
    return wait_longer(requests, count, statuses, call, timeout);
}

/* The same for requests, one at least, that wait_spin was not enough for. */
int wait_without_gil(MPI_Request *requests, int count, MPI_Status *statuses, const Call *call,
                     double timeout);

/* Whether any of the requests is not complete. */
static inline bool under_way(const MPI_Request *requests, int count) {
    for (int i = 0; i < count; i++)
        if (requests[i] != MPI_REQUEST_NULL)
            return true;
    return false;
}

/* Have all waits for a small message end, soon, that could be for one from this source with this tag. */
void recall_receives(int source, int tag);

/* Poll until it is not PENDING: DONE, or FAILED with an exception (its own, or as above). `poll` is called
 * with the GIL. */
enum step wait_poll(enum step (*poll)(void *context), void *context, const Call *call, double timeout);

/* 0 as long as MPI runs, else -1 with StateError: after whatever may have let other threads or a signal
 * handler run. */
int still_running(const Call *call);

/* Go without the GIL while this thread calls MPI, each time with the turn; and take it back. A thread that is
 * outside must stop soon once `must_stop`; where the interpreter is gone it never comes back. */
PyThreadState *go_outside(void);
bool must_stop(void);
void come_inside(PyThreadState *thread);

/* Whether Python has no other thread. */
bool is_only_thread(void);
/* Let other threads of Python run for a moment. */
void yield_gil(void);

/* ---- at the end ---- */

/* Whether the interpreter is on its way out. */
bool python_ends(void);

/* Whether messages between two ranks that threads wait for are under way. Those that their threads do not
 * move on are moved on here: `alone` says that this is the only thread that can. */
bool waits_under_way(bool alone);
/* The call of one of them that sends; NULL: there is none. */
const Call *send_waited_for(void);
/* Have all threads that wait without the GIL leave their calls; returns when they have, with the GIL. */
void dismiss_threads(void);
/* The same where the interpreter is gone, or does not let them go on: they never come back. */
void park_threads(void);
/* Take back the receives that are still waited for, just before MPI_Finalize. */
void withdraw_waits(void);

/* Monotonic seconds. */
double now(void);

/* Whether a blocking MPI collective may be called as it is, with the GIL held: nobody else could run Python
 * meanwhile, no time-out has to be watched, and no pending receive has to be progressed. Otherwise: the
 * nonblocking one and wait_for. */
bool may_block(double timeout);

#endif
