/* Blocking MPI calls made on a separate thread, so that a time-out or a signal handler can end the wait
 * for them. MPI has no nonblocking form that a partner's blocking call would match (MPI 5.0, section 6.12),
 * and none of MPI_Comm_split.
 *
 * MPI can't cancel such a call. If its caller leaves, its thread stays in MPI until all ranks have made the
 * call, and keeps what MPI was given. Below MPI_THREAD_MULTIPLE nobody else may call MPI meanwhile: the phase
 * is HELD. */
#pragma once

#include "transfer/progress/wait.h"

typedef struct {
    Call call;
    MPI_Comm comm;
    int (*make)(void *context);   /* MPI's code; without the GIL, on another thread */
    void (*close)(void *context); /* of a call that was left and is over; with the GIL */
    void *context;                /* on the heap */
    const char *missing;          /* at a time-out; NULL: that all ranks make the call */
} OffloadedCall;

/* Returned, with an exception, if the call was left: its context is no longer the caller's. */
enum { LEFT = -2 };

/* Whether to offload a call that may take this many seconds (0: forever): 1; 0; -1 with StateError if the
 * program has `given` a time-out that the thread level doesn't allow. */
int is_offloaded(double seconds, bool given, const Call *call);

/* Make it, after earlier ones on its communicator: 0 with MPI's `*code`; -1: it was not made; LEFT with
 * Timeout, or the exception of a signal handler. */
int offloaded_make(const OffloadedCall *what, double seconds, int *code);
/* Wait for calls that were left, before another one is made on this communicator. */
int offloaded_wait(MPI_Comm comm, const Call *call, double seconds);

/* ---- at the end ---- */

/* Whether there are any; needs no GIL. */
bool offloaded_calls_under_way(void);
/* The call of the next of them, or NULL; `*place` is NULL at first. */
const Call *offloaded_calls_next(const void **place);
/* Free those that were left and are over. */
void offloaded_calls_reap(void);
/* All are over, and the interpreter is gone: MPI may be called again. */
void offloaded_calls_forget(void);

/* Wait until no call holds the phase HELD, those included that were left. */
void wait_while_held(void);
