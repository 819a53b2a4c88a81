/* Progress on receives of objects while a program is in calls of mpi4py itself.
 *
 * The receiver of a large message posts receives for its data when the announcement has arrived. Waits of the
 * core do that for all posted receives. But a rank may call irecv and then wait in a call that doesn't, such
 * as Barrier, while the sender waits for the data to be received. So a thread makes progress on receives that
 * stay posted. It needs MPI_THREAD_MULTIPLE, which mpi4py requests.
 */
#include "python/mpi4py/mpi4py.h"

#ifndef POLYMPI_SERIAL

#include <signal.h>
#include <time.h>

/* How often it looks. A tick takes some microseconds, and costs others nothing if no receive is posted. */
#define TICK_NANOSECONDS 2000000

static struct {
    bool started;
    pthread_t thread;
    int stop;                /* atomic, as all below */
    uint64_t posted, closed; /* receives that the program has begun, and completed waits for them */
} helper;

static void move_on(void) {
    PyGILState_STATE gil = PyGILState_Ensure();
    if (state.phase == RUNNING && anything_pending())
        progress();
    PyGILState_Release(gil);
}

static void *run_thread(void *Py_UNUSED(unused)) {
    uint64_t closed_before = 0;
    while (!__atomic_load_n(&helper.stop, __ATOMIC_ACQUIRE)) {
        const struct timespec tick = {.tv_nsec = TICK_NANOSECONDS};
        nanosleep(&tick, NULL);
        uint64_t closed = __atomic_load_n(&helper.closed, __ATOMIC_RELAXED);
        bool waits = closed != closed_before; /* then the core makes progress on all receives */
        closed_before = closed;
        if (!waits && __atomic_load_n(&helper.posted, __ATOMIC_RELAXED) > closed)
            move_on();
    }
    return NULL;
}

/* Signals are handled by the program's threads. */
static void start(void) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    helper.started = pthread_create(&helper.thread, NULL, run_thread, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void receive_posted(Request *request) {
    request->posted = true;
    __atomic_add_fetch(&helper.posted, 1, __ATOMIC_RELAXED);
    if (unlikely(!helper.started) && state.level == MPI_THREAD_MULTIPLE && state.world_size > 1)
        start();
}

/* At most once: copies of mpi4py's request share the core's. */
void receive_closed(Request *request) {
    if (request->posted)
        __atomic_add_fetch(&helper.closed, 1, __ATOMIC_RELAXED);
    request->posted = false;
}

PyObject *stop_helper(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    if (helper.started && state.phase != FORKED) {
        __atomic_store_n(&helper.stop, 1, __ATOMIC_RELEASE);
        Py_BEGIN_ALLOW_THREADS;
        pthread_join(helper.thread, NULL);
        Py_END_ALLOW_THREADS;
        helper.started = false;
        helper.stop = 0;
    }
    Py_RETURN_NONE;
}

#endif
