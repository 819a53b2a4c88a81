/* Collectives of rows: arrays of one axis, of which counts and datatypes are given. */
#ifndef POLYMPI_ADAPTED_ROWS_H
#define POLYMPI_ADAPTED_ROWS_H

#include "codec/numpy_api.h"
#include "python/adapted_collectives.h"

/* A new array of zeros, of one axis. */
static inline PyObject *new_zeros(PyArray_Descr *dtype, Py_ssize_t count) {
    npy_intp shape = count;
    return PyArray_Zeros(1, &shape, (PyArray_Descr *)Py_NewRef(dtype), 0);
}

/* What this rank gives, from asked->object; false: the call is unusual, or there is an exception. */
bool take_rows(Adapted *self, Asked *asked);

/* What the call gives, of what came; a new reference. NULL without an exception: it is not what was asked
 * for. */
PyObject *rows_of(const Asked *asked, PyObject *came);

#endif
