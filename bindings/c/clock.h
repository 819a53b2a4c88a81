/* The clock all times are read from. */
#ifndef POLYMPI_CLOCK_H
#define POLYMPI_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of the monotonic clock. */
static inline int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Resolution of the clock in ns. */
int64_t clock_resolution_ns(void);

/* Cost of one reading in ns: the time of many readings in a row divided by their number. */
double clock_cost_ns(void);

#endif
