/* Blocking calls of MPI that are made aside: by a thread of their own, so that a time-out or a signal handler
 * can end the wait for them. MPI has no nonblocking form that a partner's blocking call would match (MPI 5.0,
 * section 6.12), and none of MPI_Comm_split.
 *
 * Nor can MPI take such a call back. Where its caller leaves, its thread stays in MPI until all ranks have
 * made the call, and what MPI was given is kept so long. Below MPI_THREAD_MULTIPLE nobody else may be in MPI
 * meanwhile: the phase is HELD.
 */
#ifndef POLYMPI_TRANSFER_PROGRESS_OFFLOADED_CALL_H
#define POLYMPI_TRANSFER_PROGRESS_OFFLOADED_CALL_H

#include "transfer/progress/wait.h"

typedef struct {
    Call call;
    MPI_Comm comm;
    int (*make)(void *context);   /* MPI's code; without the GIL, by another thread */
    void (*close)(void *context); /* of a call that was left and is over; with the GIL */
    void *context;                /* on the heap */
} OffloadedCall;

/* What a call returns that was left, with an exception: its context is not the caller's any more. */
enum { LEFT = -2 };

/* Whether a call that may take so many seconds (0: for ever) is made aside: 1; 0, or -1 with StateError where
 * the thread level does not allow it to a time-out that was `given` by the program. */
int is_offloaded(double seconds, bool given, const Call *call);

/* Make it, after those before it on its communicator: 0 with MPI's `*code`; -1 with an exception, and it was
 * not made; LEFT with Timeout, or what a signal handler raised. */
int offloaded_make(const OffloadedCall *what, double seconds, int *code);
/* Wait for calls that were left before another one is made on this communicator: 0, or -1 with an exception.
 */
int offloaded_wait(MPI_Comm comm, const Call *call, double seconds);

/* ---- at the end ---- */

/* Whether there are any, also without the GIL. */
bool offloaded_calls_under_way(void);
/* The call of the next of them; `*place` is NULL at first. NULL: that was all. */
const Call *offloaded_calls_next(const void **place);
/* Give back what was left and is over. */
void offloaded_calls_reap(void);
/* All are over, and the interpreter is gone: others may be in MPI again. */
void offloaded_calls_forget(void);

/* Wait until no call holds the phase HELD, those included that were left. */
void wait_while_held(void);

#endif
