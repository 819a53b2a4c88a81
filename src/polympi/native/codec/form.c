/* How the message of memory begins that is known to both sides before its data travel. */
#include "codec/numpy_api.h"

#include "codec/stream.h"

/* bytes and the like fit elements of any type of one byte. */
static enum container container_of(const Target *target) {
    bool bytes_like = PyBytes_Check(target->object) || PyByteArray_Check(target->object) ||
                      (PyMemoryView_Check(target->object) && target->layout.itemsize == 1);
    return bytes_like ? CONTAINER_BYTEARRAY : CONTAINER_NDARRAY;
}

PyObject *target_form(const Target *target, bool fortran) {
    const Layout *layout = &target->layout;
    PyObject *description = NULL;
    if (target->type == TYPE_DESCRIBED && !(description = dtype_description(target->dtype, ndarray_type))) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "the dtype of a part of a plan cannot be pickled");
        return NULL;
    }
    const struct array_head head = {
        .tag = TAG_ARRAY,
        .type = (uint8_t)target->type,
        .ndim = (uint8_t)layout->ndim,
        .container = (uint8_t)container_of(target),
        .fortran = fortran,
        .apart = true,
        .itemsize = (uint32_t)layout->itemsize,
        .described = description ? (uint32_t)PyBytes_GET_SIZE(description) : 0,
    };
    PyObject *form = PyBytes_FromStringAndSize(NULL, ARRAY_FORM(layout->ndim) + (Py_ssize_t)head.described);
    if (form) {
        char *at = wire_put_array(PyBytes_AS_STRING(form), &head, layout->shape);
        if (description)
            memcpy(at, PyBytes_AS_STRING(description), head.described);
    }
    Py_XDECREF(description);
    return form;
}
