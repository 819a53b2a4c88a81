#define _DEFAULT_SOURCE
#include "delay.h"

#ifdef PLANTED_DELAY_NS

#include "clock.h"

/* A wait can only end at a reading of the clock, tens of ns apart. What one wait is too long or too short is
   taken off the next, so that the mean is right though no single wait is. */
void planted_delay(void) {
    static double owed, cost;
    if (cost == 0)
        cost = clock_cost_ns();
    owed += PLANTED_DELAY_NS;
    if (owed <= cost)
        return;
    const int64_t start = now_ns();
    int64_t waited = 0;
    /* One reading lies half before the first moment and half behind the last; half a reading more is the
       nearest end to what is owed. */
    while ((double)waited + 1.5 * cost < owed)
        waited = now_ns() - start;
    owed -= (double)waited + cost;
    if (owed < -PLANTED_DELAY_NS) /* the processor was taken away: that is not ours to make up for */
        owed = -PLANTED_DELAY_NS;
}

#else

typedef int without_delay; /* ISO C wants a declaration in every file */

#endif
