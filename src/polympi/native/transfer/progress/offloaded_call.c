#include "transfer/progress/offloaded_call.h"

#include <math.h> /* INFINITY */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/list.h"
#include "transfer/progress/long_wait.h"
#include "transfer/progress/phase.h"

typedef struct Offloaded {
    struct Offloaded *next;
    OffloadedCall what;
    pthread_t thread;                    /* the one that makes it */
    unsigned long caller;                /* the one of Python that waits for it */
    enum { BEFORE, INSIDE, OVER } stage; /* guarded by `changes` */
    int code;
    bool left;
} Offloaded;

static Offloaded *offloaded_calls; /* in the order of their calls; guarded by the GIL */

static pthread_mutex_t changes = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;

/* ---- the thread that makes it ---- */

static void advance(Offloaded *offloaded, int stage, int code) {
    pthread_mutex_lock(&changes);
    offloaded->stage = stage;
    offloaded->code = code;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&changes);
}

static void *make_offloaded(void *argument) {
    Offloaded *offloaded = argument;
    int code = MPI_SUCCESS;
    take_turn();
    if (!must_stop()) {
        advance(offloaded, INSIDE, code);
        code = offloaded->what.make(offloaded->what.context);
    }
    end_turn();
    __atomic_sub_fetch(&state.inside, 1, __ATOMIC_SEQ_CST);
    advance(offloaded, OVER, code);
    return NULL;
}

/* Signals are for the threads of Python. */
static int start_thread(Offloaded *offloaded) {
    static bool prepared;
    if (!prepared) {
        pthread_condattr_t attributes;
        pthread_condattr_init(&attributes);
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        pthread_cond_init(&changed, &attributes);
        pthread_condattr_destroy(&attributes);
        prepared = true;
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&offloaded->thread, NULL, make_offloaded, offloaded);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

/* ---- the list ---- */

static bool is_over(const Offloaded *offloaded) {
    pthread_mutex_lock(&changes);
    bool over = offloaded->stage == OVER;
    pthread_mutex_unlock(&changes);
    return over;
}

/* Remove it from the list, and let others call MPI; the context stays. */
static void unlist(Offloaded *offloaded) {
    LIST_REMOVE(offloaded_calls, offloaded);
    state.outside--;
    if (!offloaded_calls && state.phase == HELD)
        state.phase = RUNNING;
}

/* It is over: MPI's code. */
static int end_offloaded(Offloaded *offloaded) {
    int code = offloaded->code;
    pthread_join(offloaded->thread, NULL);
    unlist(offloaded);
    free(offloaded);
    return code;
}

void offloaded_calls_reap(void) {
    for (Offloaded *offloaded = offloaded_calls; offloaded;) {
        if (!offloaded->left || !is_over(offloaded)) {
            offloaded = offloaded->next;
            continue;
        }
        OffloadedCall what = offloaded->what;
        end_offloaded(offloaded);
        what.close(what.context);
        offloaded = offloaded_calls; /* which may have run Python code */
    }
}

bool offloaded_calls_under_way(void) {
    for (const Offloaded *offloaded = offloaded_calls; offloaded; offloaded = offloaded->next)
        if (!is_over(offloaded))
            return true;
    return false;
}

const Call *offloaded_calls_next(const void **place) {
    const Offloaded *offloaded = *place ? ((const Offloaded *)*place)->next : offloaded_calls;
    while (offloaded && is_over(offloaded))
        offloaded = offloaded->next;
    *place = offloaded;
    return offloaded ? &offloaded->what.call : NULL;
}

void offloaded_calls_forget(void) {
    if (state.phase == HELD)
        state.phase = RUNNING;
}

/* ---- waiting for others ---- */

static bool is_of_this_thread(const Offloaded *offloaded) {
    return !offloaded->left && offloaded->caller == PyThread_get_thread_ident();
}

static void nap(void) {
    PyThreadState *thread = go_outside();
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* others have waited for much longer */
    come_inside(thread);
}

/* Where the phase is HELD: wait for calls that other threads wait for, too. Whether calls are possible then;
 * otherwise raises StateError and is false. */
static bool held_no_more(void) {
    for (offloaded_calls_reap(); state.phase == HELD; offloaded_calls_reap()) {
        const Call *call = &offloaded_calls->what.call;
        if (offloaded_calls->left)
            raise_error("StateError", call,
                        "this call was left and is not complete, and at the thread level of this program "
                        "nobody else may call MPI before: wait until all ranks have made it, end the job "
                        "(polympi.abort()), or start MPI by polympi.init('multiple')");
        else if (is_of_this_thread(offloaded_calls))
            raise_error(
                "StateError", call,
                "a signal handler or destructor that interrupts this call cannot call MPI at the thread "
                "level of this program: start MPI by polympi.init('multiple')");
        else {
            nap();
            continue;
        }
        return false;
    }
    return is_running();
}

bool running(void) {
    if (state.phase == HELD)
        return held_no_more();
    const char *why = state.phase == RUNNING ? NULL
                      : state.phase == FORKED
                          ? "MPI does not work in a forked child: start other programs with subprocess, or "
                            "multiprocessing with the start method 'spawn'"
                      : state.phase == FINISHED
                          ? "MPI is finalised: no call is possible any more"
                          : "MPI is not started: use polympi.world, or call polympi.init()";
    if (why)
        raise_error("StateError", NULL, "%s", why);
    return !why;
}

void wait_while_held(void) {
    for (offloaded_calls_reap(); state.phase == HELD; offloaded_calls_reap())
        nap();
}

/* The first that must be over before a call on this communicator. */
static const Offloaded *before(MPI_Comm comm) {
    for (const Offloaded *offloaded = offloaded_calls; offloaded; offloaded = offloaded->next)
        if (state.locking || offloaded->what.comm == comm)
            return offloaded;
    return NULL;
}

int offloaded_wait(MPI_Comm comm, const Call *call, double seconds) {
    const Offloaded *earlier;
    char text[CALL_TEXT], sentence[3 * CALL_TEXT];
    double end = seconds > 0 ? now() + seconds : INFINITY;
    for (offloaded_calls_reap(); (earlier = before(comm)); offloaded_calls_reap()) {
        if (is_of_this_thread(earlier))
            return raise_error("StateError", call,
                               "this thread is in %s() already: a signal handler or "
                               "destructor that interrupts it cannot make this call",
                               earlier->what.call.operation);
        if (now() >= end) {
            call_text(text, sizeof text, &earlier->what.call);
            snprintf(sentence, sizeof sentence,
                     "%s, which was called before and left, is not complete yet; this call was not made",
                     text);
            return raise_timeout_since(call, seconds, sentence);
        }
        nap();
        if (PyErr_CheckSignals() < 0)
            return -1;
    }
    return still_running(call);
}

/* ---- making it ---- */

int is_offloaded(double seconds, bool given, const Call *call) {
    if (offloaded_calls)
        return 1;
    if (seconds <= 0)
        return 0;
    if (state.level >= MPI_THREAD_SERIALIZED)
        return 1;
    if (!given)
        return 0;
    return raise_error("StateError", call,
                       "a time-out of this call needs a second thread that calls MPI: start MPI by "
                       "polympi.init('serialized'), or leave the time-out out");
}

static Offloaded *begin(const OffloadedCall *what) {
    Offloaded *offloaded = malloc(sizeof *offloaded);
    if (!offloaded)
        return (void *)PyErr_NoMemory();
    *offloaded = (Offloaded){.what = *what, .caller = PyThread_get_thread_ident(), .stage = BEFORE};
    LIST_APPEND(offloaded_calls, offloaded);
    state.outside++;
    __atomic_add_fetch(&state.inside, 1, __ATOMIC_SEQ_CST);
    if (state.locking)
        state.phase = HELD;
    int failed = start_thread(offloaded);
    if (!failed)
        return offloaded;
    __atomic_sub_fetch(&state.inside, 1, __ATOMIC_SEQ_CST);
    unlist(offloaded);
    free(offloaded);
    raise_error("Error", &what->call,
                "the system gives no thread for it (%s): end other threads, or leave the time-out out",
                strerror(failed));
    return NULL;
}

/* Wait without the GIL until it is over, or until then. */
static void sleep_until(Offloaded *offloaded, double end) {
    struct timespec time = {.tv_sec = (time_t)end, .tv_nsec = (long)(1e9 * (end - (double)(time_t)end))};
    PyThreadState *thread = go_outside();
    pthread_mutex_lock(&changes);
    while (offloaded->stage != OVER && pthread_cond_timedwait(&changed, &changes, &time) == 0)
        ;
    pthread_mutex_unlock(&changes);
    come_inside(thread);
}

/* What else may be wrong with ranks without polympi; start.c has the reason. */
#ifdef OPEN_MPI
#define OR_LEVELS(own) ""
#else
#define OR_LEVELS(own)                                                                                       \
    ". Or MPICH hangs because a partner has another thread level than this rank, which runs at " own         \
    ": give both the same (POLYMPI_THREADS, mpi4py.rc.thread_level)"
#endif

#define NOT_ALL_CALLED "not all other ranks called it; check that every rank calls it, in the same order"
#define GOES_ON ". MPI cannot take it back: it goes on, with its memory, until they do"
#define END_IT "; end the job with polympi.abort() if they never will"

static int raise_left(const Offloaded *offloaded, double seconds) {
    pthread_mutex_lock(&changes);
    bool inside = offloaded->stage == INSIDE;
    pthread_mutex_unlock(&changes);
    if (!inside)
        return raise_timeout_since(
            &offloaded->what.call, seconds,
            state.locking
                ? "another thread of this rank was in MPI all the time, or the machine is too busy to begin "
                  "it; the call will still be made: end the job with polympi.abort()"
                : "the machine is too busy to begin it; the call will still be made: end the job with "
                  "polympi.abort()");
    if (offloaded->what.missing)
        return raise_timeout_since(&offloaded->what.call, seconds, offloaded->what.missing);
    return raise_timeout_since(
        &offloaded->what.call, seconds,
        state.locking ? NOT_ALL_CALLED OR_LEVELS("a level below 'multiple', for which mpi4py asks") GOES_ON
            ", and so long this rank cannot call MPI (at thread level 'multiple' it can)" END_IT
                      : NOT_ALL_CALLED OR_LEVELS("'multiple', for which MPI_Init does not ask")
                            GOES_ON END_IT);
}

/* Until it is over: 0, or -1 with an exception. */
static int wait_offloaded(Offloaded *offloaded, double end, double seconds) {
    double began = now(), reported = 0;
    while (!is_over(offloaded)) {
        double time = now();
        if (must_stop())
            return raise_error("StateError", &offloaded->what.call,
                               "MPI was finalised while this call waited");
        if (time >= end)
            return raise_left(offloaded, seconds);
        sleep_until(offloaded, end < time + SIGNAL_SECONDS ? end : time + SIGNAL_SECONDS);
        if (long_wait_signals(began) < 0)
            return -1;
        long_wait_look(began, &reported, &offloaded->what.call);
    }
    return 0;
}

int offloaded_make(const OffloadedCall *what, double seconds, int *code) {
    double end = seconds > 0 ? now() + seconds : INFINITY;
    if (offloaded_wait(what->comm, &what->call, seconds) < 0)
        return -1;
    Offloaded *offloaded = begin(what);
    if (!offloaded)
        return -1;
    int failed = wait_offloaded(offloaded, end, seconds);
    if (failed && !is_over(offloaded)) {
        offloaded->left = true;
        return LEFT;
    }
    if (failed && is_timeout()) { /* it was over at the last moment */
        PyErr_Clear();
        failed = 0;
    }
    *code = end_offloaded(offloaded);
    return failed;
}
