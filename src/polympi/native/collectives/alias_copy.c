#include "collectives/alias_copy.h"

#include "codec/delivery.h"
#include "codec/numpy_api.h"
#include "codec/overlap.h"

/* Whether an object's buffer overlaps with the target; also true when that is not known. */
static bool buffer_overlaps(const Target *into, PyObject *value) {
    Py_buffer view;
    if (PyObject_GetBuffer(value, &view, PyBUF_FULL_RO) < 0) {
        PyErr_Clear();
        return true;
    }
    bool indirect = view.suboffsets != NULL;
    Layout layout = {
        .data = view.buf, .itemsize = view.len, .nbytes = view.len, .ndim = 0}; /* as if in one piece */
    if (!PyBuffer_IsContiguous(&view, 'A') && view.strides) {
        layout.itemsize = view.itemsize;
        layout.ndim = view.ndim;
        memcpy(layout.shape, view.shape, (size_t)view.ndim * sizeof *view.shape);
        memcpy(layout.strides, view.strides, (size_t)view.ndim * sizeof *view.strides);
    }
    bool overlaps = indirect || layouts_overlap(&into->layout, &layout);
    PyBuffer_Release(&view);
    return overlaps;
}

/* Whether an object may overlap with the target; true when that is not known. */
static bool may_overlap(const Target *into, PyObject *value) {
    if (cannot_change(value) || into->on_device) /* which is written to in the end */
        return false;
    if (ndarray_type && Py_TYPE(value) == ndarray_type) {
        Layout layout;
        array_layout(value, &layout);
        return PyDataType_REFCHK(PyArray_DESCR((PyArrayObject *)value)) ||
               layouts_overlap(&into->layout, &layout);
    }
    if (ndarray_type && PyArray_IsScalar(value, Generic))
        return false;
    if (PyList_CheckExact(value) || PyTuple_CheckExact(value)) {
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); i++) {
            PyObject *item = Py_NewRef(PySequence_Fast_GET_ITEM(value, i));
            bool overlaps = PyList_CheckExact(item) || PyTuple_CheckExact(item) || may_overlap(into, item);
            Py_DECREF(item);
            if (overlaps)
                return true;
        }
        return false;
    }
    bool memory = PyByteArray_CheckExact(value) || PyMemoryView_Check(value);
    return !memory || buffer_overlaps(into, value);
}

PyObject *copy_without_alias(const Target *into, PyObject *value, const Call *call) {
    return into && may_overlap(into, value) ? deliver_own(value, NULL, call) : Py_NewRef(value);
}

PyObject *copy_items_without_alias(const Target *into, PyObject *items, const Call *call) {
    if (!items || !into)
        return items;
    Py_ssize_t count = PyTuple_GET_SIZE(items);
    PyObject *apart = PyTuple_New(count);
    for (Py_ssize_t i = 0; apart && i < count; i++) {
        PyObject *item = copy_without_alias(into, PyTuple_GET_ITEM(items, i), call);
        if (item)
            PyTuple_SET_ITEM(apart, i, item);
        else
            Py_CLEAR(apart);
    }
    Py_DECREF(items);
    return apart;
}
