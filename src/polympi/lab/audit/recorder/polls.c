/* How long a thread waits that looks again and again: a test or a probe is short, and what passes until the
   next one is waiting, too, unless the thread computes meanwhile. */
#define _GNU_SOURCE
#include <time.h>

#include "recorder.h"

uint64_t ticks_per_second;

static uint64_t ran(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* What passes between two looks of a loop that does nothing else is shorter than 5 us, in C and in Python. If
   it takes longer, the thread's processor time tells: who computes between two looks does so for longer than
   50 us, and one that sleeps or yields needs next to none, also where others keep the processor for a while.
   Asking for that time takes longer than a look, so it is known from the second time on; until then a loop of
   many looks counts as one. */
static bool waited(struct thread *thread, uint64_t passed) {
    enum { SHORT = 200000, MANY = 100, LITTLE_NS = 50000, PART = 32 };
    if (passed < ticks_per_second / SHORT) {
        thread->looks++;
        return true;
    }
    bool known = thread->asks && thread->ran;
    thread->asks = true;
    if (!known)
        return thread->looks > MANY;
    uint64_t needed = ran() - thread->ran;
    return needed < LITTLE_NS || (double)needed * PART * 1e-9 * (double)ticks_per_second < (double)passed;
}

/* Before a test or a probe that follows one that has found nothing. A wait begins again where more than an
   eighth of it was not waiting. */
void polls_again(struct call *call) {
    enum { PART = 8 };
    struct thread *thread = call->thread;
    uint64_t passed = call->begin - thread->polled;
    if (waited(thread, passed)) {
        call->begin = thread->polled;
        return;
    }
    thread->computed += passed;
    if (thread->computed * PART > call->begin - thread->waits_since)
        thread->waits_since = call->begin, thread->computed = 0;
}

/* After one that has found nothing, the first one in a row or a later one. */
void found_nothing(struct call *call, bool first) {
    struct thread *thread = call->thread;
    if (first) {
        thread->waits_since = call->begin, thread->computed = 0;
        thread->asks = false, thread->looks = 0;
    }
    thread->polled = call->end;
    thread->ran = thread->asks ? ran() : 0;
}
