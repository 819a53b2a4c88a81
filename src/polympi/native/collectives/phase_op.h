/* A part of a collective call's way: rounds of messages, a collective of the library, an exchange over
 * boards.
 *
 * A call goes on phase by phase. All that a phase needs is in a struct, so that it can be moved on from
 * wherever that is convenient, and a call that waits in it can be left in the middle and go on later
 * (async_collective.h).
 */
#ifndef POLYMPI_COLLECTIVES_PHASE_OP_H
#define POLYMPI_COLLECTIVES_PHASE_OP_H

#include "collectives/collective_call.h"
#include "transport/transport.h"

/* What can be done with its struct. */
typedef struct {
    /* Move on as far as it goes without waiting: 1 when it is over, 0 when it waits for others, -1 with an
     * exception, after which only `give_up` is left. */
    int (*step)(void *state);
    /* The same, and wait until it is over: 1; 0 with an exception of the wait (a time-out, a signal handler),
     * after which it can be stepped on; -1 as above. NULL: it is stepped only, as a part of a call that was
     * begun (async_collective.h). */
    int (*wait)(void *state);
    /* Leave what is under way to MPI. */
    void (*give_up)(void *state);
    /* The rank that it waits for, without which it cannot go on; NOBODY: that is not known. NULL: never is.
     */
    int (*awaits)(const void *state);
    bool goes_on; /* also when its rank leaves the call by an exception of the wait */
} PhaseKind;

typedef struct {
    const PhaseKind *kind;
    void *state;
} PhaseOp;

/* Rounds (rounds.h); and those in which a rank promises to call a collective of the library. */
extern const PhaseKind rounds_phase, promise_phase;

/* A nonblocking collective of the library, which has begun. */
typedef struct {
    Collective *collective;
    MPI_Request request;
} LibraryCall;
extern const PhaseKind library_phase;

#endif
