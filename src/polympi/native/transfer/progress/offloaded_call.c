#include "transfer/progress/offloaded_call.h"

#include <math.h> /* INFINITY */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/list.h"
#include "transfer/progress/phase.h"

typedef struct Aside {
    struct Aside *next;
    OffloadedCall what;
    pthread_t thread;                    /* the one that makes it */
    unsigned long caller;                /* the one of Python that waits for it */
    enum { BEFORE, INSIDE, OVER } stage; /* guarded by `changes` */
    int code;
    bool left;
} Aside;

static Aside *asides; /* in the order of their calls; guarded by the GIL */

static pthread_mutex_t changes = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;

/* ---- the thread that makes it ---- */

static void advance(Aside *aside, int stage, int code) {
    pthread_mutex_lock(&changes);
    aside->stage = stage;
    aside->code = code;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&changes);
}

static void *make_offloaded(void *argument) {
    Aside *aside = argument;
    int code = MPI_SUCCESS;
    take_turn();
    if (!must_stop()) {
        advance(aside, INSIDE, code);
        code = aside->what.make(aside->what.context);
    }
    end_turn();
    __atomic_sub_fetch(&state.inside, 1, __ATOMIC_SEQ_CST);
    advance(aside, OVER, code);
    return NULL;
}

/* Signals are for the threads of Python. */
static int start_thread(Aside *aside) {
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
    int failed = pthread_create(&aside->thread, NULL, make_offloaded, aside);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

/* ---- the list ---- */

static bool is_over(const Aside *aside) {
    pthread_mutex_lock(&changes);
    bool over = aside->stage == OVER;
    pthread_mutex_unlock(&changes);
    return over;
}

/* Remove it from the list, and let others call MPI; the context stays. */
static void unlist(Aside *aside) {
    LIST_REMOVE(asides, aside);
    state.outside--;
    if (!asides && state.phase == HELD)
        state.phase = RUNNING;
}

/* It is over: MPI's code. */
static int end_offloaded(Aside *aside) {
    int code = aside->code;
    pthread_join(aside->thread, NULL);
    unlist(aside);
    free(aside);
    return code;
}

void offloaded_calls_reap(void) {
    for (Aside *aside = asides; aside;) {
        if (!aside->left || !is_over(aside)) {
            aside = aside->next;
            continue;
        }
        OffloadedCall what = aside->what;
        end_offloaded(aside);
        what.close(what.context);
        aside = asides; /* which may have run Python code */
    }
}

bool offloaded_calls_under_way(void) {
    for (const Aside *aside = asides; aside; aside = aside->next)
        if (!is_over(aside))
            return true;
    return false;
}

const Call *offloaded_calls_next(const void **place) {
    const Aside *aside = *place ? ((const Aside *)*place)->next : asides;
    while (aside && is_over(aside))
        aside = aside->next;
    *place = aside;
    return aside ? &aside->what.call : NULL;
}

void offloaded_calls_forget(void) {
    if (state.phase == HELD)
        state.phase = RUNNING;
}

/* ---- waiting for others ---- */

static bool is_of_this_thread(const Aside *aside) {
    return !aside->left && aside->caller == PyThread_get_thread_ident();
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
        const Call *call = &asides->what.call;
        if (asides->left)
            raise_error("StateError", call,
                        "this call was left and is not complete, and at the thread level of this program "
                        "nobody else may call MPI before: wait until all ranks have made it, end the job "
                        "(polympi.abort()), or start MPI by polympi.init('multiple')");
        else if (is_of_this_thread(asides))
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
static const Aside *before(MPI_Comm comm) {
    for (const Aside *aside = asides; aside; aside = aside->next)
        if (state.locking || aside->what.comm == comm)
            return aside;
    return NULL;
}

int offloaded_wait(MPI_Comm comm, const Call *call, double seconds) {
    const Aside *earlier;
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
    if (asides)
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

static Aside *begin(const OffloadedCall *what) {
    Aside *aside = malloc(sizeof *aside);
    if (!aside)
        return (void *)PyErr_NoMemory();
    *aside = (Aside){.what = *what, .caller = PyThread_get_thread_ident(), .stage = BEFORE};
    LIST_APPEND(asides, aside);
    state.outside++;
    __atomic_add_fetch(&state.inside, 1, __ATOMIC_SEQ_CST);
    if (state.locking)
        state.phase = HELD;
    int failed = start_thread(aside);
    if (!failed)
        return aside;
    __atomic_sub_fetch(&state.inside, 1, __ATOMIC_SEQ_CST);
    unlist(aside);
    free(aside);
    raise_error("Error", &what->call,
                "the system gives no thread for it (%s): end other threads, or leave the time-out out",
                strerror(failed));
    return NULL;
}

/* Wait without the GIL until it is over, or until then. */
static void sleep_until(Aside *aside, double end) {
    struct timespec time = {.tv_sec = (time_t)end, .tv_nsec = (long)(1e9 * (end - (double)(time_t)end))};
    PyThreadState *thread = go_outside();
    pthread_mutex_lock(&changes);
    while (aside->stage != OVER && pthread_cond_timedwait(&changed, &changes, &time) == 0)
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

static int raise_left(const Aside *aside, double seconds) {
    pthread_mutex_lock(&changes);
    bool inside = aside->stage == INSIDE;
    pthread_mutex_unlock(&changes);
    if (!inside)
        return raise_timeout_since(
            &aside->what.call, seconds,
            state.locking
                ? "another thread of this rank was in MPI all the time, or the machine is too busy to begin "
                  "it; the call will still be made: end the job with polympi.abort()"
                : "the machine is too busy to begin it; the call will still be made: end the job with "
                  "polympi.abort()");
    return raise_timeout_since(
        &aside->what.call, seconds,
        state.locking ? NOT_ALL_CALLED OR_LEVELS("a level below 'multiple', for which mpi4py asks") GOES_ON
            ", and so long this rank cannot call MPI (at thread level 'multiple' it can)" END_IT
                      : NOT_ALL_CALLED OR_LEVELS("'multiple', for which MPI_Init does not ask")
                            GOES_ON END_IT);
}

/* Until it is over: 0, or -1 with an exception. */
static int wait_offloaded(Aside *aside, double end, double seconds) {
    while (!is_over(aside)) {
        double time = now();
        if (must_stop())
            return raise_error("StateError", &aside->what.call, "MPI was finalised while this call waited");
        if (time >= end)
            return raise_left(aside, seconds);
        sleep_until(aside, end < time + SIGNAL_SECONDS ? end : time + SIGNAL_SECONDS);
        if (PyErr_CheckSignals() < 0)
            return -1;
    }
    return 0;
}

int offloaded_make(const OffloadedCall *what, double seconds, int *code) {
    double end = seconds > 0 ? now() + seconds : INFINITY;
    if (offloaded_wait(what->comm, &what->call, seconds) < 0)
        return -1;
    Aside *aside = begin(what);
    if (!aside)
        return -1;
    int failed = wait_offloaded(aside, end, seconds);
    if (failed && !is_over(aside)) {
        aside->left = true;
        return LEFT;
    }
    if (failed && is_timeout()) { /* it was over at the last moment */
        PyErr_Clear();
        failed = 0;
    }
    *code = end_offloaded(aside);
    return failed;
}
