/* A thread that wakes this rank when its network has something for it.
 *
 * Ranks of other hosts can't wake a rank, but the system knows when a socket of this process has something to
 * read. The thread waits for that with epoll, which keeps no socket open that others close. It never reads,
 * and calls neither MPI nor Python. It exists from the first sleep that is worth it, in jobs on several hosts
 * alone. After it has woken the rank it does nothing until it is armed again, since the rank then looks by
 * itself for a while.
 *
 * Two kinds of mistakes are possible, and counted. Not every network has sockets (InfiniBand has none): then
 * what arrives is found late, and sleeps have to be short. Not every socket is MPI's: each arrival there
 * wakes the rank, which finds nothing, and the thread is not armed again for a time, which doubles with each
 * of these calls. */
#pragma once

#include "base/state.h"

/* Before a sleep of this length, after sleep_begin: whether the thread watches the network. Needs nothing. */
bool network_watch_arm(void);
#define WATCHED_SECONDS 250e-6 /* arming the thread takes some 10 us */
static inline bool watch_network(double seconds) {
    return unlikely(state.several_machines) && seconds >= WATCHED_SECONDS && network_watch_arm();
}
/* Whether the thread announces what arrives, as far as is known. */
bool network_watch_trusted(void);
/* A thread that slept has found what it waited for; `late`: when a sleep ended by itself, while the network
 * was watched. */
void network_watch_found(bool late);
/* How often the thread has woken this rank. */
uint32_t network_watch_calls(void);
