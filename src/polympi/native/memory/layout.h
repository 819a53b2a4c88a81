/* Where the elements of an array lie in memory. */
#pragma once

#include "base/state.h"

enum {
    MOST_DIMENSIONS = 64
}; /* NPY_MAXDIMS of NumPy 2; the buffer protocol has the same limit (PyBUF_MAX_NDIM) */

typedef struct {
    char *data;          /* the first element; lower addresses may follow where strides are negative */
    Py_ssize_t itemsize; /* bytes of an element; may be 0 (dtype 'V0', 'S0') */
    Py_ssize_t count;    /* elements */
    Py_ssize_t nbytes;   /* count * itemsize */
    int ndim;
    bool contiguous;                     /* the elements follow one another in C order */
    Py_ssize_t shape[MOST_DIMENSIONS];   /* only the first ndim are set, here and below */
    Py_ssize_t strides[MOST_DIMENSIONS]; /* in bytes */
} Layout;
