/* A sched_yield() that sleeps where it is called again and again: loaded into ranks of tests that run side by
 * side.
 *
 * Ranks that wait for each other, or for a time-out, yield all the time. Where they outnumber the processors,
 * this takes a quarter of these from the ranks that are waited for. */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define POLL_NS 20000   /* from yield to yield a wait takes 1 to 5 us, */
#define SLICE_NS 500000 /* or, where others have run meanwhile, about their time slice */
#define PATIENCE 200    /* yields, some 0.3 ms, in which what comes soon has come */
#define SLEEP_NS 50000  /* as long as the kernel takes for the shortest sleep */

int sched_yield(void) {
    static __thread long last_ns;
    static __thread int in_a_row;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    long now_ns = time.tv_sec * 1000000000L + time.tv_nsec;
    if (now_ns - last_ns < POLL_NS)
        in_a_row++;
    else if (now_ns - last_ns < SLICE_NS)
        in_a_row = 0;
    last_ns = now_ns;
    if (in_a_row < PATIENCE)
        return (int)syscall(SYS_sched_yield);
    nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
    clock_gettime(CLOCK_MONOTONIC, &time);
    last_ns = time.tv_sec * 1000000000L + time.tv_nsec;
    return 0;
}
