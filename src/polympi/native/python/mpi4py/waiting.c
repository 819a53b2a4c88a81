/* Waits for some of several requests, which may be of objects, of MPI, or both: Python code looks at them. */
#include "python/mpi4py/mpi4py.h"

#ifndef POLYMPI_SERIAL

typedef struct {
    PyObject *look, *found;
} Search;

/* Look once: 1 and what was found, 0 nothing yet, -1 with an exception. */
static int look_once(void *context) {
    Search *search = context;
    PyObject *found = PyObject_CallNoArgs(search->look);
    if (!found)
        return -1;
    if (found != Py_None) {
        search->found = found;
        return 1;
    }
    Py_DECREF(found);
    return 0;
}

PyObject *wait_until(PyObject *Py_UNUSED(module), PyObject *args) {
    Search search = {NULL, NULL};
    Call call = {.rank = state.world_rank, .peer = NO_PEER, .tag = NO_TAG};
    if (!PyArg_ParseTuple(args, "Os", &search.look, &call.operation))
        return NULL;
    return wait_poll(look_once, &search, &call, DEFAULT_TIMEOUT) < 0 ? NULL : search.found;
}

#endif
