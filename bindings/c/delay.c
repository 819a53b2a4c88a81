#define _DEFAULT_SOURCE
#include "delay.h"

#ifdef PLANTED_DELAY_NS

#include "polympi_harness.h"

/* Cost of one reading of the clock in ns: the quickest of many short stretches, since losing the processor in
   one would make it look dearer and all waits too short. */
static double reading_cost(void) {
    enum { STRETCHES = 100, READINGS = 1000 };
    double quickest = 1e18;
    for (int stretch = 0; stretch < STRETCHES; stretch++) {
        const int64_t start = polympi_now();
        int64_t last = start;
        for (int i = 0; i < READINGS; i++)
            last = polympi_now();
        const double cost = (double)(last - start) / READINGS;
        if (cost < quickest)
            quickest = cost;
    }
    return quickest;
}

/* A wait can only end at a reading of the clock, tens of ns apart. What one wait is too long or too short is
   taken off the next, so that the mean is right though no single wait is. */
void planted_delay(void) {
    static double owed, cost;
    if (cost == 0)
        cost = reading_cost();
    owed += PLANTED_DELAY_NS;
    if (owed <= cost)
        return;
    const int64_t start = polympi_now();
    int64_t waited = 0;
    /* The two readings at the ends take the time of one more; half a reading beyond is the nearest end. */
    while ((double)waited + 1.5 * cost < owed)
        waited = polympi_now() - start;
    owed -= (double)waited + cost;
    if (owed < -PLANTED_DELAY_NS) /* the processor was taken away: that is not ours to make up for */
        owed = -PLANTED_DELAY_NS;
}

#else

typedef int without_delay; /* ISO C wants a declaration in every file */

#endif
