/* Arrays whose message can be told beforehand: the commonest receive then needs two comparisons and a copy.
 */
#ifndef POLYMPI_SIMPLE_ARRAY_H
#define POLYMPI_SIMPLE_ARRAY_H

#include "numpy_api.h"

enum { SIMPLE_DIMENSIONS = 4 };

/* How the message of an array of this type and shape begins, and where its data go. */
typedef struct {
    PyObject *array; /* borrowed; NULL: none */
    char *data;
    Py_ssize_t nbytes;
    Py_ssize_t head_bytes;
    char head[sizeof(struct array_head) + 8 * SIMPLE_DIMENSIONS];
} SimpleArray;

/* Whether an object is a writable ndarray in C order, of a native dtype, small enough to travel in one
 * message. */
static inline bool simple_array(PyObject *object, SimpleArray *simple) {
    if (Py_TYPE(object) != ndarray_type)
        return false;
    PyArrayObject *array = (PyArrayObject *)object;
    const PyArray_Descr *dtype = PyArray_DESCR(array);
    int ndim = PyArray_NDIM(array), type = dtype_type(dtype);
    if (type == TYPE_DESCRIBED || ndim > SIMPLE_DIMENSIONS || !PyArray_ISCARRAY(array))
        return false;
    Py_ssize_t itemsize = PyDataType_ELSIZE(dtype), nbytes = itemsize;
    const npy_intp *shape = PyArray_DIMS(array);
    const struct array_head head = {
        .tag = TAG_ARRAY, .type = (uint8_t)type, .ndim = (uint8_t)ndim, .itemsize = (uint32_t)itemsize};
    memcpy(simple->head, &head, sizeof head);
    for (int axis = 0; axis < ndim; axis++) {
        nbytes *= shape[axis];
        memcpy(simple->head + sizeof head + 8 * axis, &shape[axis], 8);
    }
    simple->array = object;
    simple->data = PyArray_BYTES(array);
    simple->nbytes = nbytes;
    simple->head_bytes = (Py_ssize_t)sizeof head + 8 * ndim;
    return nbytes < PART_BYTES;
}

#endif
