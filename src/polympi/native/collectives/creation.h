/* Making and freeing communicators, one at a time: MPI has no usable nonblocking forms of these calls.
 *
 * While a rank blocks in one of these calls it cannot make another. If two threads of a rank use different
 * communicators, and the threads of another rank use them in the opposite order, which MPI allows, all would
 * wait forever. Therefore the ranks agree on an order: a call is made when all its ranks have reached it, and
 * none has to make another one first.
 */
#pragma once

#include "collectives/rounds.h"
#include "collectives/subset.h"

/* A call of dup, split, free or subset in progress; on the stack of its thread. */
typedef struct Creation {
    Communicator *comm;
    enum verb verb;
    Subset *subset; /* its members make the call; NULL: all ranks of the communicator do */
    Call call;
    pthread_t thread;
    bool ready; /* all its ranks have reached it */
    struct Creation *next;
} Creation;

/* Wait until all ranks of the communicator make this call next; it may be blocking then. 0, or -1 with an
 * exception: Timeout, MismatchError if the ranks call different things, StateError. */
int creation_begin(Creation *creation, Communicator *comm, enum verb verb);
/* Wait likewise until the members of a subset make it next. */
int creation_begin_subset(Creation *creation, Subset *subset);
/* It has been made. */
void creation_end(Creation *creation);

/* Without the GIL, with the turn in MPI: call `make`. MPI's code. */
int creation_make(int (*make)(void *context), void *context);
