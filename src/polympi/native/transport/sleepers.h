/* Waiting ranks that sleep, and how the other ranks of their host wake them.
 *
 * Each rank has a word in the memory that the ranks of a machine share. A thread that waits sleeps on its
 * rank's word; whoever gives a rank something looks whether it sleeps, and wakes it.
 *
 * Giving and looking are ordered by no fence, which would cost each message more than all the rest: a
 * processor may look before the other one sees what was given, and then nobody wakes the rank. So each sleep
 * is bounded, by the length that its caller chooses. It also bounds the sleep of a rank that waits for
 * another host, or for a step of the library of which the core doesn't know. */
#pragma once

#include <stdatomic.h>

#include "transport/transport.h"

/* Give this rank a word that the others see; collective over the ranks of a machine, after shared_open. An
 * MPI error code. */
int sleepers_open(MPI_Comm machine);

/* ---- those who sleep ---- */

/* A thread's sleep. */
typedef struct {
    struct Sleeper *own;
    _Atomic uint32_t *any;
    uint32_t woken; /* how often its rank was, before the last look at what is waited for */
} Sleep;

/* From here on others wake this thread, if they give its rank something. */
void sleep_begin(Sleep *sleep);
/* Before each look at what is waited for. */
void sleep_look(Sleep *sleep);
/* Without the GIL: sleep for this long, until the rank is woken (at once, if it was since the last look), or
 * for a signal. Whether this thread slept to the end. */
bool sleep_for(const Sleep *sleep, double seconds);
void sleep_end(const Sleep *sleep);

/* ---- those who wake them ---- */

/* How many threads of this machine sleep, or will soon. */
extern _Atomic uint32_t *any_asleep;

/* Needs the turn in MPI. */
void wake_sleeper(MPI_Comm comm, int rank);
void wake_sleepers(MPI_Comm comm);

/* After something was given to a rank of a communicator, or to MPI_PROC_NULL. Needs the turn in MPI. */
static inline void wake_rank(MPI_Comm comm, int rank) {
    if (unlikely(atomic_load_explicit(any_asleep, memory_order_relaxed)))
        wake_sleeper(comm, rank);
}
/* After something was given to all of them. */
static inline void wake_all(MPI_Comm comm) {
    if (unlikely(atomic_load_explicit(any_asleep, memory_order_relaxed)))
        wake_sleepers(comm);
}
/* Wake the threads of this rank. */
void wake_own(void);
