/* The clock: the processor's counter where it runs at one rate, as reading it takes a fraction of a system
   clock's time. */
#define _GNU_SOURCE
#include <time.h>

#include "recorder.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

bool counter;

uint64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void choose_clock(void) {
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    counter = __get_cpuid(0x80000007, &a, &b, &c, &d) &&
              d >> 8 & 1; /* "invariant TSC" of Intel's and AMD's manuals */
#elif defined(__aarch64__)
    counter = true;
#endif
}

/* The closest of a few readings, as the process can be interrupted between the two clocks. */
void take_moment(struct moment *moment) {
    enum { READINGS = 5 };
    struct moment best = {0, 0};
    uint64_t shortest = UINT64_MAX;
    for (int k = 0; k < READINGS; k++) {
        uint64_t before = ticks(), now = nanoseconds(), after = ticks();
        if (after - before < shortest)
            shortest = after - before, best = (struct moment){before + (after - before) / 2, now};
    }
    *moment = best;
}
