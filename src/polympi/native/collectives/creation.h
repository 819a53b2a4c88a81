/* Making and freeing communicators, one at a time: MPI has no usable nonblocking forms of these calls.
 *
 * While a rank blocks in one of these calls it cannot take part in another. Suppose two threads of a rank use
 * different communicators, and the threads of another rank use them in the other order, which MPI allows: all
 * would wait for ever. Therefore the ranks agree on an order first. A call is made when all its ranks have
 * reached it, and no rank has to make another call first.
 */
#ifndef POLYMPI_CREATION_H
#define POLYMPI_CREATION_H

#include "collectives/rounds.h"

/* A call of dup, split or free under way; on the stack of its thread. */
typedef struct Creation {
    Communicator *comm;
    enum verb verb;
    Call call;
    pthread_t thread;
    bool ready; /* all ranks have come */
    struct Creation *next;
} Creation;

/* Wait until this call is the one that all ranks of the communicator make now, which may be made blocking
 * then. 0, or -1 with an exception: Timeout, MismatchError where the ranks call different things, StateError.
 */
int creation_begin(Creation *creation, Communicator *comm, enum verb verb);
/* It has been made. */
void creation_end(Creation *creation);

/* Without the GIL, with the turn in MPI: call `make`. MPI's code. */
int creation_make(int (*make)(void *context), void *context);

#endif
