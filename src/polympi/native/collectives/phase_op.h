/* A phase of a collective call: rounds of messages, a collective of the library, or an exchange over boards.
 *
 * The state of a phase is a struct, so any code can continue it, and a rank can leave the call while it waits
 * in a phase, which is then completed later (async_collective.h).
 */
#pragma once

#include "collectives/collective_call.h"
#include "transport/transport.h"

/* Operations on its state. */
typedef struct {
    /* Continue without waiting: 1 when it is over, 0 if it waits for others, -1 with an exception, after
     * which only `give_up` may be called. */
    int (*step)(void *state);
    /* Wait until it is over: 1; 0 with an exception of the wait (a time-out, a signal handler), after which
     * it can be continued; -1 as above. NULL: only nonblocking calls have this phase. */
    int (*wait)(void *state);
    /* Leave pending messages to MPI. */
    void (*give_up)(void *state);
    /* The rank that it waits for; NOBODY: that is not known. NULL: it never is. */
    int (*awaits)(const void *state);
    bool goes_on; /* also if its rank leaves the call by an exception of the wait */
} PhaseKind;

typedef struct {
    const PhaseKind *kind;
    void *state;
} PhaseOp;

/* Rounds (rounds.h); and those in which a rank promises to call a collective of the library. */
extern const PhaseKind rounds_phase, promise_phase;

/* A nonblocking collective of the library. */
typedef struct {
    Collective *collective;
    MPI_Request request;
} LibraryCall;
extern const PhaseKind library_phase;
