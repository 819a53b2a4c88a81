/* Arrays whose message follows from type and shape: the commonest send and receive are then a comparison and
 * a copy. */
#pragma once

#include "codec/numpy_api.h"

enum { SIMPLE_DIMENSIONS = 4 };

/* How the message of an array of this type and shape begins, and where its data go. */
typedef struct {
    char *data;
    Py_ssize_t nbytes;
    Py_ssize_t head_bytes;
    char head[ARRAY_FORM(SIMPLE_DIMENSIONS)];
} SimpleArray;

/* Copy elements: mostly a number, without a call then. */
static inline void copy_elements(char *to, const char *from, Py_ssize_t nbytes) {
    if (likely(nbytes == sizeof(double)))
        memcpy(to, from, sizeof(double));
    else
        memcpy(to, from, (size_t)nbytes);
}

/* How the message of an exact ndarray of a native dtype without metadata and with few axes begins; the bytes
 * of that, 0 for others. */
static inline Py_ssize_t simple_head(PyArrayObject *array, char *head, Py_ssize_t *nbytes) {
    const PyArray_Descr *dtype = PyArray_DESCR(array);
    int ndim = PyArray_NDIM(array), type = dtype->type_num;
    if (unlikely(!is_native_dtype(dtype)) &&
        ((type = wire_type(dtype)) == TYPE_DESCRIBED || PyDataType_METADATA(dtype)))
        return 0;
    if (unlikely(ndim > SIMPLE_DIMENSIONS))
        return 0;
    return wire_put_plain_array(head, type, PyDataType_ELSIZE(dtype), ndim, PyArray_DIMS(array), nbytes);
}

/* Whether an object is a writable ndarray in C order, of a native dtype, small enough to travel in one
 * message. */
static inline bool simple_array(PyObject *object, SimpleArray *simple) {
    PyArrayObject *array = (PyArrayObject *)object;
    if (Py_TYPE(object) != ndarray_type || !PyArray_ISCARRAY(array))
        return false;
    simple->head_bytes = simple_head(array, simple->head, &simple->nbytes);
    if (simple->head_bytes == 0)
        return false;
    simple->data = PyArray_BYTES(array);
    return true;
}

/* Whether an object is such an array of a native dtype, before anything is written about it. */
static inline bool is_simple_array(PyObject *object) {
    PyArrayObject *array = (PyArrayObject *)object;
    return Py_TYPE(object) == ndarray_type && PyArray_ISCARRAY(array) &&
           is_native_dtype(PyArray_DESCR(array)) && PyArray_NDIM(array) <= SIMPLE_DIMENSIONS;
}

/* The elements and bytes of an array, mostly of one axis, without a call of NumPy then. */
static inline Py_ssize_t elements_of(PyArrayObject *array) {
    return likely(PyArray_NDIM(array) == 1) ? PyArray_DIM(array, 0) : PyArray_SIZE(array);
}
static inline Py_ssize_t array_bytes(PyArrayObject *array) {
    return elements_of(array) * PyDataType_ELSIZE(PyArray_DESCR(array));
}

/* Whether a message begins so. */
static inline bool begins_simple(const char *packet, const SimpleArray *simple) {
    if (likely(simple->head_bytes == ROW_FORM))
        return memcmp(packet, simple->head, ROW_FORM) == 0; /* of a fixed size: one comparison */
    return memcmp(packet, simple->head, (size_t)simple->head_bytes) == 0;
}

/* Write the message of such an array, if that is small; it need not be writable. Its bytes, 0 for others. */
static inline Py_ssize_t simple_message(PyObject *object, char *packet) {
    PyArrayObject *array = (PyArrayObject *)object;
    Py_ssize_t nbytes;
    if (Py_TYPE(object) != ndarray_type || !PyArray_IS_C_CONTIGUOUS(array))
        return 0;
    Py_ssize_t head_bytes = simple_head(array, packet, &nbytes);
    if (head_bytes == 0 || nbytes >= PART_BYTES)
        return 0;
    copy_elements(packet + head_bytes, PyArray_BYTES(array), nbytes);
    return head_bytes + nbytes;
}
