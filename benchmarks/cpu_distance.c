/* How long a cache line takes from one CPU to another: prints the median in ns.
 *
 * Two threads on two CPUs hand a number to each other in turn. The CPUs are the first two that the process
 * may use.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A series of 1000 round trips takes 50 to 300 us: long compared with the clock, short compared with what
 * interrupts it. The first ones bring the CPUs up to speed and are not counted. */
enum { WARMUP = 50, SERIES = 50, TRIPS = 1000 };

static _Alignas(128) _Atomic int turn;

static void run_on(int which) {
    cpu_set_t usable, one;
    sched_getaffinity(0, sizeof usable, &usable);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &usable) && which-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
        }
}

static void wait_for_turn(int number) {
    while (atomic_load_explicit(&turn, memory_order_acquire) != number)
        ;
}

static void *answer(void *unused) {
    (void)unused;
    run_on(1);
    for (int trip = 0; trip < (WARMUP + SERIES) * TRIPS; trip++) {
        wait_for_turn(2 * trip + 1);
        atomic_store_explicit(&turn, 2 * trip + 2, memory_order_release);
    }
    return NULL;
}

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void) {
    pthread_t thread;
    double times[WARMUP + SERIES];
    if (pthread_create(&thread, NULL, answer, NULL) != 0)
        return 1;
    run_on(0);
    for (int series = 0, trip = 0; series < WARMUP + SERIES; series++) {
        double began = now_ns();
        for (int end = trip + TRIPS; trip < end; trip++) {
            atomic_store_explicit(&turn, 2 * trip + 1, memory_order_release);
            wait_for_turn(2 * trip + 2);
        }
        times[series] = (now_ns() - began) / (2 * TRIPS);
    }
    pthread_join(thread, NULL);
    qsort(times + WARMUP, SERIES, sizeof *times, by_size);
    printf("%.1f\n", times[WARMUP + SERIES / 2]);
    return 0;
}
