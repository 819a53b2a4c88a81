/* Waiting: a short spin with the GIL, then yielding without it; time-outs and signals end it. */
#pragma once

#include "base/arguments.h"
#include "base/errors.h"
#include "transfer/progress/idle.h"
#include "transport/calls.h"

/* How long to spin with the GIL held. A message of a neighbour that is ready takes about a microsecond.
 * Releasing and reacquiring the GIL takes 0.06 us, but up to its switch interval, 5 ms, if another Python
 * thread runs. */
#define SPIN_SECONDS 20e-6

/* How often to check for Ctrl-C; a person notices 100 ms. */
#define SIGNAL_SECONDS 0.05

/* Let the other hardware thread of a core run while this one spins. */
static inline void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Spin with the GIL held, as every wait begins; PENDING: not complete in time. `end` is 0 at first, and then
 * the time when all the calls for `messages` requests have spun enough. */
enum step wait_spin(MPI_Request *requests, int count, MPI_Status *statuses, const Call *call, int messages,
                    double *end);

/* Wait until all `count` requests are complete, and make progress on all that is pending.
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

/* Wait likewise for one or more requests that weren't complete after wait_spin. */
int wait_without_gil(MPI_Request *requests, int count, MPI_Status *statuses, const Call *call,
                     double timeout);

/* Whether any of the requests is active. */
static inline bool under_way(const MPI_Request *requests, int count) {
    for (int i = 0; i < count; i++)
        if (requests[i] != MPI_REQUEST_NULL)
            return true;
    return false;
}

/* End all waits, soon, for a small message that could be from this source with this tag. */
void recall_receives(int source, int tag);

/* Poll until it is not PENDING: DONE, or FAILED with an exception (its own, or as above). `poll` is called
 * with the GIL. */
enum step wait_poll(enum step (*poll)(void *context), void *context, const Call *call, double timeout);

/* 0 while MPI runs, else -1 with StateError: call it after anything that may have let other threads or a
 * signal handler run. */
int still_running(const Call *call);

/* Release the GIL while this thread calls MPI, taking the turn for each call; and reacquire it. A thread
 * outside must stop soon after `must_stop`; if the interpreter is gone, come_inside never returns. */
PyThreadState *go_outside(void);
bool must_stop(void);
void come_inside(PyThreadState *thread);

/* Whether Python has only this thread. */
bool is_only_thread(void);
/* Let other Python threads run for a moment. */
void yield_gil(void);
/* Likewise, in a wait. */
void idle_outside(Idle *idle);

/* ---- at the end ---- */

/* Whether the interpreter is finalising. */
bool python_ends(void);

/* Whether threads wait for messages between two ranks that are in flight. If their threads don't test them,
 * this does; `alone`: no other thread can. */
bool waits_under_way(bool alone);
/* The call of one of them that sends, or NULL. */
const Call *send_waited_for(void);
/* Have all threads that wait without the GIL leave their calls, and wait until they have. */
void dismiss_threads(void);
/* Stop these threads forever, if the interpreter is gone or doesn't let them continue. */
void park_threads(void);
/* Cancel the receives that threads still wait for, just before MPI_Finalize. */
void withdraw_waits(void);

/* Monotonic seconds. */
double now(void);

/* Whether a blocking MPI collective may be called with the GIL held: there is no other Python thread, no
 * time-out, and nothing pending. Otherwise use the nonblocking one and wait_for. */
bool may_block(double timeout);
