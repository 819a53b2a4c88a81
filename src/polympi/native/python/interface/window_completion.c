/* Accesses to windows that MPI has completed: what they keep, and their requests. */
#include <stdlib.h>

#include "base/list.h"
#include "python/interface/window.h"
#include "transfer/progress/wait.h"

/* MPI has completed it: store what it has got, if that is wanted, and free it. 0 or -1. */
static int access_close(Access *access, bool wanted) {
    int failed = 0;
    if (access->into && wanted)
        failed = PyArray_CopyInto((PyArrayObject *)access->into, (PyArrayObject *)access->array);
    Py_DECREF(access->array);
    Py_XDECREF(access->into);
    Py_XDECREF(access->value);
    Py_XDECREF(access->target);
    free(access);
    return failed;
}

int access_test(Access *access) {
    return test_requests(access->requests, access->request_count, MPI_STATUSES_IGNORE, &access->call);
}

int access_wait(Access *access, double timeout) {
    return wait_for(access->requests, access->request_count, MPI_STATUSES_IGNORE, &access->call, timeout);
}

PyObject *access_finish(Access *access) {
    Window *window = access->window;
    PyObject *target = Py_NewRef(access->target ? access->target : Py_None);
    window->requests--;
    if (access_close(access, true) < 0)
        Py_CLEAR(target);
    Py_DECREF((PyObject *)window);
    return target;
}

void access_leave(Access *access) {
    Window *window = access->window;
    access->window = NULL;
    window->requests--;
    LIST_PUSH(window->accesses, access);
    Py_DECREF((PyObject *)window);
}

int window_complete(Window *self, int rank) {
    Access *done = NULL, *kept = NULL, *access;
    while ((access = self->accesses)) {
        self->accesses = access->next;
        if (rank == ALL_TARGETS || access->rank == rank)
            LIST_PUSH(done, access);
        else
            LIST_PUSH(kept, access);
    }
    while ((access = kept)) {
        kept = access->next;
        LIST_PUSH(self->accesses, access);
    }
    int failed = 0;
    while ((access = done)) { /* in their order; this may run Python code */
        done = access->next;
        if (access->request_count && !failed) /* of a request that was dropped: it doesn't wait */
            failed = access_wait(access, 0);
        failed |= access_close(access, !failed);
    }
    return failed;
}
