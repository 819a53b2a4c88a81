#include "python/start_watch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/last_words.h"

/* MPI may take this long to start if the machine is busy or the job large. A shorter POLYMPI_TIMEOUT, which
 * is meant for messages, has no effect here. */
#define USUAL_SECONDS 10.0

static struct {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool running, over;
    double timeout;
    char sentence[256]; /* what is waited for, and where */
} watch = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* This rank, from the launcher: MPI may not have started. */
static const char *own_rank(void) {
    static const char *const names[] = {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return getenv(names[i]);
    return "0";
}

static void write_report(const char *beginning, double seconds, const char *advice) {
    char line[512];
    int length = snprintf(line, sizeof line, "[rank %s] %s %.0f s %s: %s\n", own_rank(), beginning, seconds,
                          watch.sentence, advice);
    if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
        return; /* standard error is closed */
}

/* Wait until the start is over, at most this many seconds: whether it is. */
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

/* End the job, if that can be requested from the launcher, which may wait for the ranks of other hosts if one
 * only exits: by PMI version 1, which the process managers of MPICH and Slurm support. */
static _Noreturn void end_job(void) {
    const char *launcher = getenv("PMI_FD");
    static const char words[] = "cmd=abort exitcode=1\n";
    if (launcher && write(atoi(launcher), words, sizeof words - 1) < 0)
        _exit(1); /* the launcher has ended */
    _exit(1);
}

static void *look_on(void *unused) {
    bool limited = watch.timeout > 0;
    double limit = watch.timeout > USUAL_SECONDS ? watch.timeout : USUAL_SECONDS;
    if (is_over_within(USUAL_SECONDS))
        return unused;
    if (!limited || limit > USUAL_SECONDS)
        write_report(
            "has waited", USUAL_SECONDS,
            "every rank that the launcher has started must do so; one of them has ended, or does something "
            "else");
    if (!limited || (limit > USUAL_SECONDS && is_over_within(limit - USUAL_SECONDS)))
        return unused;
    write_report(
        "waited", limit,
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
