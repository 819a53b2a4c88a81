/* A sched_yield() that sleeps in a long wait: loaded into ranks of tests that run side by side.
 *
 * Ranks that wait for each other, or for a time-out, yield all the time. Where they outnumber the processors,
 * this takes these from the ranks that are waited for. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define YIELDS 8           /* from look to look at the clocks, each of which takes as long as a yield */
#define LOOK_NS 20000      /* of a processor: from yield to yield a wait takes 1 to 5 us */
#define PATIENCE_NS 300000 /* a short wait is over by then */
#define SHORTEST_NS 50000  /* as long as the kernel takes for any sleep */
#define LONGEST_NS 2000000
#define SHARE 8 /* of a wait is slept at a time: so much later it may end */

static long nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

static long sleep_after(long waited_ns) {
    long share = waited_ns / SHARE;
    return share < SHORTEST_NS ? SHORTEST_NS : share > LONGEST_NS ? LONGEST_NS : share;
}

int sched_yield(void) {
    static __thread long ran_ns, since_ns;
    static __thread unsigned yields;
    static __thread bool sleeping;
    if (!sleeping && ++yields % YIELDS != 0)
        return (int)syscall(SYS_sched_yield);
    long last_ns = ran_ns, now_ns = nanoseconds(CLOCK_MONOTONIC);
    ran_ns = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    if (ran_ns - last_ns > LOOK_NS * (sleeping ? 1 : YIELDS))
        since_ns = now_ns; /* it has done something else than to wait */
    sleeping = now_ns - since_ns >= PATIENCE_NS;
    if (!sleeping)
        return (int)syscall(SYS_sched_yield);
    nanosleep(&(struct timespec){.tv_nsec = sleep_after(now_ns - since_ns)}, NULL);
    return 0;
}
