#include "python/start_watch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/last_words.h"

/* MPI itself may take as long to start where the machine is busy or the job large. A shorter POLYMPI_TIMEOUT,
 * which is meant for messages, does not hold here. */
#define USUAL_SECONDS 10.0

static struct {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool running, over;
    double timeout;
    char sentence[256]; /* what is waited for, where */
} watch = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* This rank as the launcher knows it: MPI may not. */
static const char *own_rank(void) {
    static const char *const names[] = {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return getenv(names[i]);
    return "0";
}

static void tell(const char *beginning, double seconds, const char *advice) {
    char line[512];
    int length = snprintf(line, sizeof line, "[rank %s] %s %.0f s %s: %s\n", own_rank(), beginning, seconds,
                          watch.sentence, advice);
    if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
        return; /* nobody reads it */
}

/* Wait for the start to be over: whether it was within this many seconds. */
static bool is_over_within(double seconds) {
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += (time_t)seconds;
    end.tv_nsec += (long)(1e9 * (seconds - (double)(time_t)seconds));
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    pthread_mutex_lock(&watch.mutex);
    while (!watch.over && pthread_cond_timedwait(&watch.changed, &watch.mutex, &end) == 0)
        ;
    bool over = watch.over;
    pthread_mutex_unlock(&watch.mutex);
    return over;
}

/* End the job, where the launcher can be told; it may wait for the ranks of other hosts when one only exits.
 * The words are those of the first protocol of PMI, which the process managers of MPICH and Slurm speak. */
static _Noreturn void end_job(void) {
    const char *launcher = getenv("PMI_FD");
    static const char words[] = "cmd=abort exitcode=1\n";
    if (launcher && write(atoi(launcher), words, sizeof words - 1) < 0)
        _exit(1); /* it is gone, and its ranks with it */
    _exit(1);
}

static void *look_on(void *unused) {
    bool limited = watch.timeout > 0;
    double limit = watch.timeout > USUAL_SECONDS ? watch.timeout : USUAL_SECONDS;
    if (is_over_within(USUAL_SECONDS))
        return unused;
    if (!limited || limit > USUAL_SECONDS)
        tell("has waited", USUAL_SECONDS,
             "every rank that the launcher has started must do so; one of them has ended, or does something "
             "else");
    if (!limited || (limit > USUAL_SECONDS && is_over_within(limit - USUAL_SECONDS)))
        return unused;
    tell("waited", limit,
         "not all ranks that the launcher has started did so, and the time of POLYMPI_TIMEOUT is over; this "
         "ends "
         "the job");
    wait_for_last_words();
    end_job();
}

static int start_thread(void) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&watch.changed, &attributes);
    pthread_condattr_destroy(&attributes);
    sigset_t all, before; /* signals are for the threads of Python */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&watch.thread, NULL, look_on, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

void start_watch_begin(const char *step, double timeout) {
    PyObject *place = callers_place();
    const char *text = place ? PyUnicode_AsUTF8(place) : NULL;
    snprintf(watch.sentence, sizeof watch.sentence, "for all ranks to %s, at %s", step, text ? text : "?");
    PyErr_Clear();
    Py_XDECREF(place);
    watch.timeout = timeout;
    watch.over = false;
    watch.running = start_thread() == 0; /* without a thread nobody watches */
}

void start_watch_end(void) {
    if (!watch.running)
        return;
    pthread_mutex_lock(&watch.mutex);
    watch.over = true;
    pthread_cond_signal(&watch.changed);
    pthread_mutex_unlock(&watch.mutex);
    pthread_join(watch.thread, NULL);
    watch.running = false;
}
