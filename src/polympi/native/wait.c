#include "wait.h"

#include <sched.h>
#include <time.h>

#include "transfer.h"

/* Tests between two looks at the clock (25 ns each, as much as a test). */
#define TESTS_PER_LOOK 16

/* Tests before other pending messages are looked at: they cost a test each. */
#define TESTS_PER_PROGRESS 32

/* How often Ctrl-C is looked for; a person notices 100 ms. */
#define SIGNAL_SECONDS 0.05

double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int test_several(MPI_Request *requests, int count, MPI_Status *statuses, int *complete) {
    int code = MPI_Testall(count, requests, complete, statuses);
    if (code == MPI_ERR_IN_STATUS && statuses != MPI_STATUSES_IGNORE)
        for (int i = 0; i < count; i++)
            if (statuses[i].MPI_ERROR != MPI_SUCCESS && statuses[i].MPI_ERROR != MPI_ERR_PENDING)
                return statuses[i].MPI_ERROR;
    return code;
}

/* The spin with the GIL held: 1 complete, 0 not within SPIN_SECONDS, -1 exception. */
static int spin(MPI_Request *requests, int count, MPI_Status *statuses, const Call *call) {
    double end = 0;
    for (int tests = 1;; tests++) {
        int complete = test_requests(requests, count, statuses, call);
        if (likely(complete != 0))
            return complete;
        if (state.crowded)
            return 0;
        if (tests % TESTS_PER_PROGRESS == 0 && anything_pending())
            progress();
        if (tests % TESTS_PER_LOOK == 0) {
            double time = now();
            if (end == 0)
                end = time + SPIN_SECONDS;
            else if (time > end)
                return 0;
        }
    }
}

/* Test and yield without the GIL until complete, or until `end`. */
static int yield_until(double end, MPI_Request *requests, int count, MPI_Status *statuses, int *complete,
                       int tests) {
    int code = MPI_SUCCESS;
    state.outside++;
    PyThreadState *thread = PyEval_SaveThread();
    do {
        if (state.locking)
            pthread_mutex_lock(&state.turn);
        code = test_any_number(requests, count, statuses, complete);
        if (state.locking)
            pthread_mutex_unlock(&state.turn);
        if (code != MPI_SUCCESS || *complete)
            break;
        sched_yield();
    } while (--tests > 0 || now() < end);
    PyEval_RestoreThread(thread);
    state.outside--;
    return code;
}

int wait_longer(MPI_Request *requests, int count, MPI_Status *statuses, const Call *call, double timeout) {
    if (count == 0)
        return 0;
    int complete = spin(requests, count, statuses, call);
    if (likely(complete != 0))
        return complete < 0 ? -1 : 0;
    if (timeout == DEFAULT_TIMEOUT)
        timeout = state.timeout;
    double began = now();
    while (!complete) {
        double end = now() + SIGNAL_SECONDS;
        if (timeout > 0 && end > began + timeout)
            end = began + timeout;
        if (anything_pending()) {
            progress();
            end = 0; /* back after TESTS_PER_PROGRESS tests */
        }
        int code = yield_until(end, requests, count, statuses, &complete, TESTS_PER_PROGRESS);
        if (unlikely(code != MPI_SUCCESS))
            return raise_mpi(code, call);
        if (complete)
            return 0;
        if (PyErr_CheckSignals() < 0)
            return -1;
        if (timeout > 0 && now() >= began + timeout)
            return raise_timeout(call, timeout);
    }
    return 0;
}

int wait_poll(int (*poll)(void *context), void *context, const Call *call, double timeout) {
    if (timeout == DEFAULT_TIMEOUT)
        timeout = state.timeout;
    double began = 0, signals = 0;
    for (long polls = 1;; polls++) {
        int done = poll(context);
        if (done)
            return done;
        if (anything_pending())
            progress();
        double time = now();
        if (!began)
            began = signals = time;
        if (timeout > 0 && time >= began + timeout)
            return raise_timeout(call, timeout);
        if (!state.crowded && time < began + SPIN_SECONDS)
            continue;
        Py_BEGIN_ALLOW_THREADS;
        sched_yield();
        Py_END_ALLOW_THREADS;
        if (time > signals + SIGNAL_SECONDS) {
            signals = time;
            if (PyErr_CheckSignals() < 0)
                return -1;
        }
    }
}

bool may_block(double timeout) {
    if ((timeout == DEFAULT_TIMEOUT ? state.timeout : timeout) > 0 || anything_pending())
        return false;
    PyThreadState *first = PyInterpreterState_ThreadHead(PyInterpreterState_Main());
    return first && !PyThreadState_Next(first);
}
