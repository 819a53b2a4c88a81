/* Moving receives of objects on while a program is in calls of mpi4py itself.
 *
 * Large data of a message are fetched by its receiver, once the message that announces them has come. Waits
 * of the core do that for all receives that are posted. But a rank may post irecv and then wait in a call
 * that knows nothing of it, such as Barrier, while the sender waits for the data to be fetched. So a thread
 * looks after receives that stay posted. It needs MPI_THREAD_MULTIPLE, which mpi4py asks for.
 */
#include "python/mpi4py/mpi4py.h"

#ifndef POLYMPI_SERIAL

#include <signal.h>
#include <time.h>

/* How often it looks. A tick costs it some microseconds, and the others nothing where nothing is posted. */
#define TICK_NANOSECONDS 2000000

static struct {
    bool started;
    pthread_t thread;
    int stop;                /* atomic, as all below */
    uint64_t posted, closed; /* receives that the program has begun, and waits for them that have ended */
} helper;

static void move_on(void) {
    PyGILState_STATE gil = PyGILState_Ensure();
    if (state.phase == RUNNING && anything_pending())
        progress();
    PyGILState_Release(gil);
}

static void *look_after(void *Py_UNUSED(unused)) {
    uint64_t closed_before = 0;
    while (!__atomic_load_n(&helper.stop, __ATOMIC_ACQUIRE)) {
        const struct timespec tick = {.tv_nsec = TICK_NANOSECONDS};
        nanosleep(&tick, NULL);
        uint64_t closed = __atomic_load_n(&helper.closed, __ATOMIC_RELAXED);
        bool waits = closed != closed_before; /* then the core moves on all others, too */
        closed_before = closed;
        if (!waits && __atomic_load_n(&helper.posted, __ATOMIC_RELAXED) > closed)
            move_on();
    }
    return NULL;
}

/* Signals are for the threads of the program. */
static void start(void) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    helper.started = pthread_create(&helper.thread, NULL, look_after, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void receive_posted(Request *request) {
    request->posted = true;
    __atomic_add_fetch(&helper.posted, 1, __ATOMIC_RELAXED);
    if (unlikely(!helper.started) && state.level == MPI_THREAD_MULTIPLE && state.world_size > 1)
        start();
}

/* Once: copies of mpi4py's request share the core's. */
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
