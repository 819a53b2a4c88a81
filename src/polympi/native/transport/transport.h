/* The access to MPI: only here its header is included (that of a library or of the serial backend), and only
 * here is defined how a call enters and leaves MPI.
 *
 * Every call has one shape: resolve the message, release the GIL where it may wait, call MPI, check the code.
 */
#ifndef POLYMPI_TRANSPORT_H
#define POLYMPI_TRANSPORT_H

#include <mpi.h>

#include "base/state.h"

/* Take the turn in MPI. With the GIL held and no thread outside, no other thread can be in MPI: the GIL is
 * the lock. */
static inline bool enter_mpi(void) {
    if (likely(!state.outside) || !state.locking)
        return false;
    pthread_mutex_lock(&state.turn);
    return true;
}
static inline void leave_mpi(bool locked) {
    if (unlikely(locked))
        pthread_mutex_unlock(&state.turn);
}

/* The same for a thread outside, without the GIL. */
static inline void take_turn(void) {
    if (state.locking)
        pthread_mutex_lock(&state.turn);
}
static inline void end_turn(void) {
    if (state.locking)
        pthread_mutex_unlock(&state.turn);
}

/* Raise the exception that fits an MPI error code: Error, TruncationError, ... with rank, peer, tag and
 * operation. -1. */
int raise_mpi(int code, const Call *call);

#endif
