#include "transfer/progress/idle.h"

#include <sched.h>

#include "transfer/progress/wait.h"
#include "transport/network_watch.h"

enum waiting waiting = WAIT_BALANCED;
double only_sleep, longest_sleep;
int open_windows, tests_after_rest;

/* How a wait becomes a sleep: after this many seconds, for at most this share of what it has lasted. */
static const struct {
    double after, share;
} ways[] = {
    /* Waking takes some 50 us, 1 % of that: what messages and collectives usually wait for is over before. */
    [WAIT_BALANCED] = {5e-3, 1. / 20},
    /* What nobody wakes this rank for, such as the steps of a large message in the library, takes a quarter
     * longer. */
    [WAIT_QUIET] = {SPIN_SECONDS, 1. / 4},
};

/* A sleep that the system measures takes this much longer than was asked for, so that it is the shortest. */
#define SHORTEST_SECONDS 50e-6
/* Where a rank isn't woken, it finds so late what it waits for. Each look takes some 20 us, with the timer.
 */
#define LONGEST_SECONDS 1e-3
/* Where others wake it, it looks less and less often, as there is little that nobody announces. It finds this
 * at most a hundredth of its wait late. */
#define RARE_SHARE (1. / 100)
#define RAREST_SECONDS 10e-3

/* A rank that sleeps delays each step of a large message in flight, where the library copies it piece
 * by piece: 100 MB took 1.5 s instead of 13 ms. Even a busy machine copies this many bytes per second. */
#define SLOWEST_BYTES 400e6
/* And a network. Nothing announces that it can take more. */
#define SLOWEST_NETWORK_BYTES 40e6

static double rare_length(const Idle *idle, double waited) {
    if (waited * RARE_SHARE <= LONGEST_SECONDS || idle->others || !can_neighbours_wake())
        return LONGEST_SECONDS;
    if (state.several_machines &&
        (waited < (double)idle->large / SLOWEST_NETWORK_BYTES || !network_watch_trusted()))
        return LONGEST_SECONDS;
    return waited * RARE_SHARE < RAREST_SECONDS ? waited * RARE_SHARE : RAREST_SECONDS;
}

static double sleep_length(const Idle *idle, double waited) {
    if (waiting == WAIT_SPIN || waited < ways[waiting].after || waited < (double)idle->large / SLOWEST_BYTES)
        return 0;
    if (only_sleep)
        return only_sleep;
    if (open_windows)
        return waiting == WAIT_QUIET ? SHORTEST_SECONDS : 0;
    double length = waited * ways[waiting].share;
    if (idle->others ==
        OTHER_LIBRARY_CALL) /* 32 MB took Open MPI more than 20 s otherwise, instead of 20 ms */
        return SHORTEST_SECONDS;
    if (length > LONGEST_SECONDS)
        return rare_length(idle, waited);
    return length < SHORTEST_SECONDS ? SHORTEST_SECONDS : length;
}

void idle_slept(const Idle *idle) {
    if (state.several_machines)
        network_watch_found(idle->late);
}

void idle_pass(Idle *idle) {
    if (idle->seconds) {
        bool watched = watch_network(idle->seconds);
        enum sleep_end end = sleep_for(&idle->sleep, idle->seconds);
        if (idle->seconds > longest_sleep)
            longest_sleep = idle->seconds;
        idle->late = watched && end == TO_THE_END;
        idle->interrupted = end == BY_SIGNAL;
        if (end == WOKEN) /* perhaps for the first of several steps */
            idle->since = 0;
        idle->seconds = 0;
        idle->tests = state.several_machines ? TESTS_OF_NETWORK : 1;
    } else if (!idle->tests && !idle->library_yields) /* not twice in a row, which would double the time */
        sched_yield();
    if (idle->tests && --idle->tests)
        return;
    double time = now();
    if (!idle->since)
        idle->since = time;
    idle->seconds = sleep_length(idle, time - idle->since);
}
