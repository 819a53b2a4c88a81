#include "transfer/progress/wait.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/list.h"
#include "transfer/progress/ended.h"
#include "transfer/progress/long_wait.h"
#include "transfer/progress/offloaded_call.h"
#include "transfer/transfer.h"

/* Tests between two looks at the clock (25 ns each, as much as a test). */
#define TESTS_PER_LOOK 16

/* Waits for several requests spin longer, since a hundred messages arrive one after another, and without the
 * GIL each test costs a yield. Up to 160 us: Python lets another thread wait for 5 ms. */
#define MOST_SPINS 8

/* Tests before other pending messages are tested. */
#define TESTS_PER_PROGRESS 32

double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

enum step wait_spin(MPI_Request *requests, int count, MPI_Status *statuses, const Call *call, int messages,
                    double *end) {
    for (int tests = 1;; tests++) {
        enum step complete = test_requests(requests, count, statuses, call);
        if (likely(complete != PENDING))
            return complete;
        if (state.oversubscribed)
            return PENDING;
        if (tests % TESTS_PER_PROGRESS == 0 && anything_pending()) {
            progress_some();
            if (still_running(call) < 0)
                return FAILED;
        }
        if (tests % TESTS_PER_LOOK == 0) {
            double time = now();
            if (*end == 0)
                *end = time + SPIN_SECONDS * (messages < MOST_SPINS ? messages : MOST_SPINS);
            else if (time > *end)
                return PENDING;
        }
    }
}

/* What a thread without the GIL waits for. On the heap, with the requests themselves: the interpreter may end
 * the thread when it wants the GIL back, and MPI has to be finalised nevertheless. */
typedef struct Wait {
    struct Wait *next, *previous;
    Call call;
    unsigned long thread;
    bool posted;   /* a receive without a message: it can be cancelled */
    bool recalled; /* its thread has to cancel it: there may be a message for it elsewhere */
    bool outside;  /* its thread tests it without the GIL: leave the requests alone */
    Idle idle;
    int count;
    MPI_Request requests[];
} Wait;

static Wait *waits; /* guarded by the GIL */

static Wait *wait_open(const MPI_Request *requests, int count, const MPI_Status *statuses, const Call *call) {
    Wait *wait = malloc(sizeof *wait + (size_t)count * sizeof *requests);
    if (!wait)
        return (void *)PyErr_NoMemory();
    *wait = (Wait){.call = *call, .thread = PyThread_get_thread_ident(), .count = count};
    wait->posted = count == 1 && statuses != MPI_STATUSES_IGNORE && call->peer != NO_PEER;
    wait->idle.large = call->large;
    wait->idle.since = call->since;
    memcpy(wait->requests, requests, (size_t)count * sizeof *requests);
    CHAIN_PUSH(waits, wait);
    return wait;
}

static void wait_close(Wait *wait, MPI_Request *requests) {
    memcpy(requests, wait->requests, (size_t)wait->count * sizeof *requests);
    CHAIN_REMOVE(waits, wait);
    idle_end(&wait->idle);
    free(wait);
}

bool python_ends(void) {
#if PY_VERSION_HEX >= 0x030D0000
    return Py_IsFinalizing();
#else
    return _Py_IsFinalizing();
#endif
}

/* Whether the interpreter is finalising, and wouldn't let this thread have the GIL back. */
static bool python_is_over(void) {
    return unlikely(python_ends()) && PyThread_get_thread_ident() != state.last_thread;
}

static void stay_here(void) {
    for (;;)
        pause();
}

bool must_stop(void) { return unlikely(__atomic_load_n(&state.stop, __ATOMIC_ACQUIRE) != GO_ON); }

PyThreadState *go_outside(void) {
    state.outside++;
    __atomic_add_fetch(&state.inside, 1, __ATOMIC_SEQ_CST);
    return PyEval_SaveThread();
}

void yield_gil(void) {
    Py_BEGIN_ALLOW_THREADS;
    sched_yield();
    Py_END_ALLOW_THREADS;
}

void idle_outside(Idle *idle) {
    Py_BEGIN_ALLOW_THREADS;
    idle_pass(idle);
    Py_END_ALLOW_THREADS;
}

void come_inside(PyThreadState *thread) {
    bool parked = __atomic_load_n(&state.stop, __ATOMIC_ACQUIRE) == PARK || python_is_over();
    __atomic_sub_fetch(&state.inside, 1, __ATOMIC_SEQ_CST);
    if (unlikely(parked))
        stay_here();
    PyEval_RestoreThread(thread);
    state.outside--;
}

bool is_only_thread(void) {
    PyThreadState *first = PyInterpreterState_ThreadHead(PyInterpreterState_Main());
    return first && !PyThreadState_Next(first);
}

/* Test without the GIL until complete, until `end`, until all threads have to stop, or for a signal. */
static int test_until(double end, Wait *wait, MPI_Status *statuses, int *complete) {
    int code = MPI_SUCCESS, tests = TESTS_PER_PROGRESS;
    Idle *idle = &wait->idle;
    idle->library_yields = state.library_yields && is_only_thread(); /* else it holds the turn meanwhile */
    wait->outside = true;
    PyThreadState *thread = go_outside();
    do {
        if (must_stop())
            break;
        idle_look(idle);
        take_turn();
        code = test_any_number(wait->requests, wait->count, statuses, complete);
        end_turn();
        if (*complete)
            idle_found(idle);
        if (code != MPI_SUCCESS || *complete)
            break;
        idle_pass(idle);
    } while (!idle->interrupted && ((--tests > 0 && !idle->seconds) || now() < end));
    come_inside(thread);
    wait->outside = false;
    return code;
}

int still_running(const Call *call) {
    if (likely(state.phase == RUNNING))
        return 0;
    wait_while_held();
    if (state.phase == FINISHED)
        return raise_error("StateError", call, "MPI was finalised while this call waited");
    return running() ? 0 : -1;
}

static int wait_outside(Wait *wait, MPI_Status *statuses, const Call *call, double timeout) {
    Watch watch = watch_begin(now(), timeout);
    for (;;) {
        double time = now(), end = time + SIGNAL_SECONDS;
        int complete = 0;
        if (timeout > 0 && end > watch.began + timeout)
            end = watch.began + timeout;
        wait->idle.others = call->library_call ? OTHER_LIBRARY_CALL : NO_OTHERS;
        if (anything_pending()) {
            idle_look(&wait->idle);
            progress_some();
            if (!call->library_call)
                wait->idle.others = others_under_way();
            end = 0; /* back after TESTS_PER_PROGRESS tests */
        }
        if (still_running(call) < 0)
            return -1;
        int code = test_until(end, wait, statuses, &complete);
        if (unlikely(code != MPI_SUCCESS))
            return raise_mpi(code, call);
        if (complete)
            return 0;
        if (long_wait_signals(watch.began) < 0 || still_running(call) < 0)
            return -1;
        if (unlikely(wait->recalled))
            return RECALLED;
        if (timeout > 0 && now() >= watch.began + timeout)
            return raise_timeout(call, timeout);
        if (watch_step(&watch, call, time) < 0)
            return -1;
    }
}

void recall_receives(int source, int tag) {
    for (Wait *wait = waits; wait; wait = wait->next)
        wait->recalled |= wait->posted && takes(&wait->call, source, tag);
    wake_own();
}

int wait_longer(MPI_Request *requests, int count, MPI_Status *statuses, const Call *call, double timeout) {
    if (count == 0)
        return 0;
    if (unlikely(still_running(call) < 0))
        return -1;
    double end = 0;
    enum step complete = wait_spin(requests, count, statuses, call, count, &end);
    if (likely(complete != PENDING))
        return complete < PENDING ? -1 : 0;
    return wait_without_gil(requests, count, statuses, call, timeout);
}

int wait_without_gil(MPI_Request *requests, int count, MPI_Status *statuses, const Call *call,
                     double timeout) {
    Wait *wait = wait_open(requests, count, statuses, call);
    if (!wait)
        return -1;
    int failed = wait_outside(wait, statuses, call, timeout == DEFAULT_TIMEOUT ? state.timeout : timeout);
    wait_close(wait, requests);
    return failed;
}

static enum step poll_until_done(enum step (*poll)(void *context), void *context, const Call *call,
                                 double timeout, Idle *idle) {
    Watch watch = {0};
    double signals = 0;
    for (;;) {
        if (still_running(call) < 0)
            return FAILED;
        idle_look(idle);
        enum step done = poll(context);
        if (done == DONE)
            idle_found(idle);
        if (done != PENDING)
            return done;
        if (anything_pending())
            progress_some();
        idle->others = others_under_way();
        double time = now();
        if (!signals) {
            watch = watch_begin(time, timeout);
            signals = time;
        }
        if (timeout > 0 && time >= watch.began + timeout)
            return raise_timeout(call, timeout);
        if (!state.oversubscribed && time < watch.began + SPIN_SECONDS)
            continue;
        idle->large = call->large;
        idle_outside(idle);
        if (idle->interrupted || time > signals + SIGNAL_SECONDS) {
            signals = time;
            if (long_wait_signals(watch.began) < 0 || watch_step(&watch, call, time) < 0)
                return FAILED;
        }
    }
}

enum step wait_poll(enum step (*poll)(void *context), void *context, const Call *call, double timeout) {
    Idle idle = {0};
    enum step done =
        poll_until_done(poll, context, call, timeout == DEFAULT_TIMEOUT ? state.timeout : timeout, &idle);
    idle_end(&idle);
    return done;
}

bool may_block(double timeout) {
    if ((timeout == DEFAULT_TIMEOUT ? state.timeout : timeout) > 0 || anything_pending())
        return false;
    return is_only_thread();
}

/* ---- at the end ---- */

bool waits_under_way(bool alone) {
    bool any = false;
    for (Wait *wait = waits; wait; wait = wait->next) {
        if (wait->posted || wait->call.peer == NO_PEER)
            continue;
        int complete = 0;
        if (alone || !wait->outside) {
            int code = locked_test(wait->requests, wait->count, MPI_STATUSES_IGNORE, &complete);
            complete |= code != MPI_SUCCESS;
        }
        any |= !complete;
    }
    return any;
}

const Call *send_waited_for(void) {
    for (const Wait *wait = waits; wait; wait = wait->next)
        if (wait->call.sends)
            return &wait->call;
    return NULL;
}

/* Whether another thread is still waiting: it takes back its requests when it leaves. A signal handler may
 * finalise inside a wait of this thread. */
static bool others_wait(void) {
    for (const Wait *wait = waits; wait; wait = wait->next)
        if (wait->thread != PyThread_get_thread_ident())
            return true;
    return false;
}

void dismiss_threads(void) {
    __atomic_store_n(&state.stop, LEAVE, __ATOMIC_SEQ_CST);
    wake_own();
    while (state.outside || others_wait()) {
        yield_gil();
        offloaded_calls_reap();
    }
}

void park_threads(void) {
    __atomic_store_n(&state.stop, PARK, __ATOMIC_SEQ_CST);
    wake_own();
    while (__atomic_load_n(&state.inside, __ATOMIC_SEQ_CST))
        sched_yield();
}

void withdraw_waits(void) {
    for (Wait *wait = waits; wait; wait = wait->next)
        if (wait->posted)
            cancel_receive(wait->requests, MPI_STATUS_IGNORE);
}
