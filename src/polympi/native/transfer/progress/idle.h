/* What a thread does between two looks at what it waits for: it yields the processor, or sleeps.
 *
 * Sleeping takes longer: a rank that is woken needs some 50 us until it runs. So it begins, or takes a share
 * of the time, where that makes little difference to the whole wait. */
#pragma once

#include "transport/sleepers.h"

/* WAIT_SPIN: never sleep. WAIT_QUIET: nearly at once. */
enum waiting { WAIT_SPIN, WAIT_BALANCED, WAIT_QUIET };
/* Guarded by the GIL when it is written; read without. */
extern enum waiting waiting;

/* Windows of this rank. Others access their memory without waking it, a piece at each of its looks: 64 MiB
 * took 10 s instead of 0.1 s while it slept. Guarded by the GIL when it is written; read without. */
extern int open_windows;

/* Open MPI looks at a TCP network in one of this many tests, so a message is found after several sleeps if
 * there is one test between them: 1.9 ms late instead of 0.8. */
#ifdef OPEN_MPI
enum { TESTS_OF_NETWORK = 8 };
#else
enum { TESTS_OF_NETWORK = 1 };
#endif
/* How many tests of requests are to be made after a rest, which is a sleep between calls. Guarded by the GIL.
 */
extern int tests_after_rest;

/* What is under way and delayed by sleeping: data that nobody waits for, or a collective of the library,
 * whose pieces nobody announces. */
enum others { NO_OTHERS, OTHER_DATA, OTHER_LIBRARY_CALL };

/* One wait; all zeros at first. */
typedef struct {
    double since;        /* when it began, or was last woken */
    double seconds;      /* to sleep after the next look; 0: only yield */
    int64_t large;       /* bytes that it waits for, if that are many */
    int tests;           /* to be made after a sleep without a pause */
    bool ready;          /* others wake this thread */
    bool late;           /* what a look finds now was not announced, although the network is watched */
    enum others others;  /* don't sleep for long if there are any */
    bool interrupted;    /* by a signal: have Python look at it */
    bool library_yields; /* by itself, in each look */
    Sleep sleep;
} Idle;

/* Before a look. What arrives after it ends the sleep that follows. */
static inline void idle_look(Idle *idle) {
    if (idle->seconds) {
        if (!idle->ready)
            sleep_begin(&idle->sleep);
        idle->ready = true;
        sleep_look(&idle->sleep);
    }
}
/* After a look in vain; without the GIL. */
void idle_pass(Idle *idle);
/* A look has found what is waited for. */
void idle_slept(const Idle *idle);
static inline void idle_found(const Idle *idle) {
    if (unlikely(idle->ready))
        idle_slept(idle);
}
/* The wait is over. */
static inline void idle_end(Idle *idle) {
    if (idle->ready)
        sleep_end(&idle->sleep);
    idle->ready = false;
}

/* For tests: have all sleeps take this long unless they are ended, so that one that nobody ends is seen. 0:
 * as usual. */
extern double only_sleep;
/* For tests: the longest that was begun. */
extern double longest_sleep;
