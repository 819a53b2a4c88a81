/* The access to MPI: the only file that includes its header (of a library or of the serial backend), and
 * defines how a call enters and leaves MPI. */
#pragma once

#include <mpi.h>

#include "base/state.h"

/* Take the turn in MPI. With the GIL held and no thread outside, the GIL is the lock. */
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

/* For a thread outside, without the GIL. */
static inline void take_turn(void) {
    if (state.locking)
        pthread_mutex_lock(&state.turn);
}
static inline void end_turn(void) {
    if (state.locking)
        pthread_mutex_unlock(&state.turn);
}

/* Raise the exception for an MPI error code: Error, TruncationError, ... -1. */
int raise_mpi(int code, const Call *call);
