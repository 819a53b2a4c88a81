/* Waiting ranks that sleep, and how the other ranks of their host wake them.
 *
 * Each rank has a word in the memory that the ranks of a machine share. A thread that waits sleeps on its
 * rank's word; a rank that gives another one something looks whether it sleeps, and wakes it.
 *
 * Giving and looking are ordered by no fence, which would cost each message more than all the rest: a
 * processor may look before the other one sees what was given, and then nobody wakes the rank. So each sleep
 * is bounded, by the length that its caller chooses. It also bounds the sleep of a rank that waits for a step
 * of the library of which the core doesn't know, or for another host (transport/network_watch.h). */
#pragma once

#include <stdatomic.h>

#include "transport/shared_memory.h"

/* Give this rank a word that the others see; collective over the ranks of a machine, after shared_open. An
 * MPI error code. */
int sleepers_open(MPI_Comm machine);

/* ---- those who sleep ---- */

/* A thread's sleep. */
typedef struct {
    struct Sleeper *own;
    uint32_t *any;
    uint32_t woken; /* how often its rank was, before the last look at what is waited for */
} Sleep;

/* From here on others wake this thread, if they give its rank something. */
void sleep_begin(Sleep *sleep);
/* Before each look at what is waited for. */
void sleep_look(Sleep *sleep);
enum sleep_end { TO_THE_END, WOKEN, BY_SIGNAL };
/* Without the GIL: sleep for this long, until the rank is woken (at once, if it was since the last look), or
 * a signal arrives. */
enum sleep_end sleep_for(const Sleep *sleep, double seconds);
void sleep_end(const Sleep *sleep);

/* How often others have woken this rank. */
uint32_t sleeper_woken(void);

/* Whether a thread of this rank sleeps, or will soon. */
bool is_own_asleep(void);
/* Whether every process of the job that is on this host can wake this rank. Partners can't, nor can ranks of
 * spawned worlds. */
bool can_neighbours_wake(void);

/* ---- those who wake them ---- */

static inline bool is_any_asleep(void) { return __atomic_load_n(state.any_asleep, __ATOMIC_RELAXED); }

/* Needs the turn in MPI. */
void wake_sleeper(MPI_Comm comm, int rank);
void wake_sleepers(MPI_Comm comm);

/* After something was given to a rank of a communicator, or to MPI_PROC_NULL. Needs the turn in MPI. */
static inline void wake_rank(MPI_Comm comm, int rank) {
    if (unlikely(is_any_asleep()))
        wake_sleeper(comm, rank);
}
/* After something was given to all of them. Needs it, too. */
static inline void wake_all(MPI_Comm comm) {
    if (unlikely(is_any_asleep()))
        wake_sleepers(comm);
}
/* Wake the threads of this rank. Needs nothing. */
void wake_own(void);

/* Whether a thread of a rank sleeps, or will soon. Needs the turn in MPI. */
bool is_asleep(MPI_Comm comm, int rank);
/* A rank was killed, perhaps in its sleep: without this, each later message would look for sleepers. Needs
 * the turn in MPI. */
void sleeper_ended(MPI_Comm comm, int rank);

/* The place of this rank's word in the shared memory, for those who know it from there; NOWHERE: it has none.
 */
SharedPlace sleeper_place(void);
void wake_sleeper_at(SharedPlace place);
/* After something was given to that rank through shared memory. Needs nothing. */
static inline void wake_at(SharedPlace place) {
    if (unlikely(is_any_asleep()))
        wake_sleeper_at(place);
}
