/* Receiving into memory of the user. */
#include "numpy_api.h"

#include <stddef.h>

#include "errors.h"
#include "stream.h"
#include "strided.h"

/* ---- the elements of a message ---- */

/* bytes: the length, which is all that is needed of it. */
static int bytes_elements(Reader *reader, Elements *elements) {
    Py_ssize_t nbytes = reader_length(reader);
    if (nbytes < 0)
        return -1;
    *elements = (Elements){.type = TYPE_UINT8, .itemsize = 1, .bytes_like = true, .ndim = 1};
    elements->count = elements->nbytes = elements->shape[0] = nbytes;
    elements->apart = nbytes >= PART_BYTES;
    if (!elements->apart)
        elements->data = reader_take(reader, (uint64_t)nbytes);
    return elements->apart || elements->data ? 1 : -1;
}

static int form_elements(Reader *reader, Elements *elements) {
    ArrayForm form;
    if (read_array(reader, &form) < 0)
        return -1;
    int container = form.head.container;
    elements->type = canonical(form.head.type);
    elements->itemsize = form.head.itemsize;
    elements->dtype = NULL;
    elements->bytes_like =
        container == CONTAINER_BYTEARRAY ||
        (container == CONTAINER_MEMORYVIEW && elements->itemsize == 1 && !form.head.described);
    elements->fortran = form.head.fortran;
    elements->apart = form.head.apart;
    elements->data = form.data;
    elements->count = form.count;
    elements->nbytes = form.nbytes;
    elements->ndim = form.head.ndim;
    memcpy(elements->shape, form.shape, form.head.ndim * sizeof *form.shape);
    if (likely(elements->type != TYPE_DESCRIBED || container != CONTAINER_NDARRAY))
        return 1;
    if (!numpy_loaded(true) || !(elements->dtype = described_dtype(form.described, form.head.described)))
        return -1;
    if (PyDataType_ELSIZE((PyArray_Descr *)elements->dtype) == elements->itemsize)
        return 1;
    Py_CLEAR(elements->dtype);
    raise_damaged();
    return -1;
}

int array_elements(const char *bytes, Py_ssize_t nbytes, Elements *elements) {
    Reader reader = {.at = bytes, .end = bytes + nbytes};
    int tag = nbytes > 0 ? (unsigned char)*bytes : TAG_NONE;
    if (likely(tag == TAG_ARRAY))
        return form_elements(&reader, elements);
    reader.at++;
    if (tag == TAG_BYTES)
        return bytes_elements(&reader, elements);
    if (tag != TAG_FOREIGN)
        return 0;
    Py_ssize_t name = reader_length(&reader);
    if (name < 0 || !reader_take(&reader, (uint64_t)name))
        return -1;
    return form_elements(&reader, elements);
}

/* ---- opening a target ---- */

static int refuse(const Call *call, PyObject *object, const char *why) {
    return raise_error("MismatchError", call, "a %s cannot be received into: %s", Py_TYPE(object)->tp_name,
                       why);
}

static int open_array(Target *target, PyObject *object, const Call *call) {
    PyArrayObject *array = (PyArrayObject *)object;
    if (unlikely(!PyArray_ISWRITEABLE(array)))
        return refuse(call, target->object,
                      target->array
                          ? "DLPack gives its memory for reading only; give an ndarray over it instead"
                          : "it is read-only");
    PyArray_Descr *dtype = PyArray_DESCR(array);
    target->type = dtype_type(dtype);
    target->dtype = (PyObject *)dtype;
    if (unlikely(target->type == TYPE_DESCRIBED &&
                 (PyDataType_REFCHK(dtype) || dtype->type_num > NPY_HALF || PyDataType_ELSIZE(dtype) == 0)))
        return refuse(call, target->object, "its elements are objects, not plain memory; leave `into` out");
    array_layout(object, &target->layout);
    return 0;
}

static void view_layout(const Py_buffer *view, Layout *layout) {
    layout->data = view->buf;
    layout->itemsize = view->itemsize;
    layout->count = view->len / view->itemsize;
    layout->nbytes = view->len;
    layout->ndim = view->ndim;
    layout->contiguous = PyBuffer_IsContiguous(view, 'C');
    memcpy(layout->shape, view->shape, (size_t)view->ndim * sizeof *view->shape);
    if (view->strides)
        memcpy(layout->strides, view->strides, (size_t)view->ndim * sizeof *view->strides);
    else /* ctypes says nothing of them: C order */
        PyBuffer_FillContiguousStrides(view->ndim, layout->shape, layout->strides, (int)view->itemsize, 'C');
}

static int open_buffer(Target *target, PyObject *object, const Call *call) {
    if (PyObject_GetBuffer(object, &target->view, PyBUF_FULL) < 0) {
        target->view.obj = NULL;
        if (!PyErr_ExceptionMatches(PyExc_BufferError))
            return -1;
        PyErr_Clear();
        return refuse(call, object, "it gives no memory that can be written");
    }
    const Py_buffer *view = &target->view;
    char native = native_format(view->format, view->itemsize);
    bool indirect = false;
    for (int axis = 0; view->suboffsets && axis < view->ndim; axis++)
        indirect |= view->suboffsets[axis] >= 0;
    if (indirect)
        return refuse(call, object, "its rows are pointers to elsewhere (suboffsets)");
    if (native) {
        target->type = format_type(native, NULL);
        view_layout(view, &target->layout);
        return 0;
    }
    target->array = numpy_loaded(true) ? PyArray_FromAny(object, NULL, 0, 0, 0, NULL) : NULL;
    if (target->array)
        return open_array(target, target->array, call);
    if (!PyErr_ExceptionMatches(PyExc_Exception))
        return -1;
    PyErr_Clear();
    return refuse(call, object, "its elements are of a format that NumPy does not know");
}

/* An array of another library. */
static int open_foreign(Target *target, PyObject *object, const Call *call) {
    target->array = foreign_array(object);
    return target->array ? open_array(target, target->array, call) : -1;
}

int target_open(Target *target, PyObject *object, const Call *call) {
    target->dtype = target->array = NULL;
    target->view.obj = NULL;
    target->object = Py_NewRef(object);
    int failed;
    if (likely(ndarray_type || numpy_loaded(false)) && likely(PyObject_TypeCheck(object, ndarray_type)))
        failed = open_array(target, object, call);
    else if (PyErr_Occurred())
        failed = -1;
    else if (PyObject_CheckBuffer(object))
        failed = open_buffer(target, object, call);
    else if (has_dlpack(object))
        failed = open_foreign(target, object, call);
    else
        failed = refuse(call, object, "it is neither an array nor other memory that can be written");
    if (unlikely(failed))
        target_close(target);
    return failed;
}

void target_close(Target *target) {
    if (unlikely(target->view.obj != NULL))
        PyBuffer_Release(&target->view);
    Py_CLEAR(target->array);
    Py_CLEAR(target->object);
}

void target_move(Target *to, const Target *from) {
    size_t axes = (size_t)from->layout.ndim * sizeof *from->layout.shape;
    memcpy(&to->layout, &from->layout, offsetof(Layout, shape));
    memcpy(to->layout.shape, from->layout.shape, axes);
    memcpy(to->layout.strides, from->layout.strides, axes);
    to->type = from->type;
    to->dtype = from->dtype;
    to->object = from->object;
    to->array = from->array;
    to->view.obj = NULL;
    if (unlikely(from->view.obj != NULL))
        to->view = from->view;
}

/* ---- what fits ---- */

static const char *const type_names[] = {
    "bool",  "int8",   "uint8",   "int16",   "uint16",     "int32",     "uint32",     "int64",      "uint64",
    "int64", "uint64", "float32", "float64", "longdouble", "complex64", "complex128", "clongdouble"};

static PyObject *type_text(int type, PyObject *dtype) {
    if (dtype)
        return PyObject_Str(dtype);
    bool named = (size_t)type < sizeof type_names / sizeof *type_names;
    return PyUnicode_FromString(named               ? type_names[type]
                                : type == TYPE_HALF ? "float16"
                                                    : "a format of its own");
}

static PyObject *shape_text(int ndim, const Py_ssize_t *shape) {
    PyObject *tuple = PyTuple_New(ndim), *text = NULL;
    for (int axis = 0; tuple && axis < ndim; axis++) {
        PyObject *length = PyLong_FromSsize_t(shape[axis]);
        if (length)
            PyTuple_SET_ITEM(tuple, axis, length);
        else
            Py_CLEAR(tuple);
    }
    if (tuple)
        text = PyObject_Repr(tuple);
    Py_XDECREF(tuple);
    return text;
}

/* Raise an error that names the elements of both sides. */
static int refuse_elements(const char *class_name, const Target *target, const Elements *elements,
                           const Call *call, const char *why) {
    PyObject *come = type_text(elements->type, elements->dtype),
             *have = type_text(target->type, target->dtype);
    PyObject *come_shape = shape_text(elements->ndim, elements->shape);
    PyObject *have_shape = shape_text(target->layout.ndim, target->layout.shape);
    if (come && have && come_shape && have_shape)
        raise_error(class_name, call, "%U elements of shape %U do not fit into %U elements of shape %U: %s",
                    come, come_shape, have, have_shape, why);
    Py_XDECREF(come);
    Py_XDECREF(have);
    Py_XDECREF(come_shape);
    Py_XDECREF(have_shape);
    return -1;
}

static bool same_type(const Target *target, const Elements *elements) {
    if (likely(target->type == elements->type && target->type != TYPE_DESCRIBED))
        return true;
    if (elements->bytes_like && target->layout.itemsize == 1)
        return true;
    if (!target->dtype || !elements->dtype)
        return false;
    return PyArray_EquivTypes((PyArray_Descr *)target->dtype, (PyArray_Descr *)elements->dtype);
}

int target_accepts(const Target *target, const Elements *elements, const Call *call) {
    const Layout *layout = &target->layout;
    if (unlikely(!same_type(target, elements)))
        return refuse_elements("MismatchError", target, elements, call, "the types of the elements differ");
    if (likely(layout->count == elements->count))
        return 0;
    if (elements->count > layout->count)
        return refuse_elements("TruncationError", target, elements, call, "there are more than fit");
    if (layout->ndim == 1)
        return 0;
    return refuse_elements("MismatchError", target, elements, call,
                           "fewer elements than there is room for fit one-dimensional memory only");
}

/* ---- filling ---- */

static bool same_shape(const Layout *layout, const Elements *elements) {
    return layout->ndim == elements->ndim &&
           memcmp(layout->shape, elements->shape, (size_t)layout->ndim * sizeof *layout->shape) == 0;
}

/* The same elements with the axes in reverse: Fortran's order. */
static void reverse_axes(const Layout *layout, Layout *reversed) {
    int ndim = layout->ndim;
    Py_ssize_t step = layout->itemsize;
    *reversed = (Layout){layout->data, layout->itemsize, layout->count, layout->nbytes, ndim, true, {0}, {0}};
    for (int axis = 0; axis < ndim; axis++) {
        reversed->shape[ndim - 1 - axis] = layout->shape[axis];
        reversed->strides[ndim - 1 - axis] = layout->strides[axis];
        if (layout->shape[axis] != 1 && layout->strides[axis] != step)
            reversed->contiguous = layout->count == 0;
        step *= layout->shape[axis];
    }
}

/* The address of element number `index`, in C order. */
static char *element_at(const Layout *layout, Py_ssize_t index) {
    char *at = layout->data;
    for (int axis = layout->ndim - 1; axis >= 0; axis--) {
        at += index % layout->shape[axis] * layout->strides[axis];
        index /= layout->shape[axis];
    }
    return at;
}

/* Elements in Fortran order of another shape: one after another. */
static void fill_one_by_one(const Layout *layout, const Elements *elements, const char *data) {
    Layout source = {
        (char *)data, elements->itemsize, elements->count, elements->nbytes, elements->ndim, false, {0}, {0}};
    Py_ssize_t stride = elements->itemsize;
    for (int axis = 0; axis < elements->ndim; axis++) {
        source.shape[axis] = elements->shape[axis];
        source.strides[axis] = stride;
        stride *= elements->shape[axis];
    }
    for (Py_ssize_t i = 0; i < elements->count; i++)
        memcpy(element_at(layout, i), element_at(&source, i), (size_t)elements->itemsize);
}

bool target_in_order(const Target *target, const Elements *elements, Layout *layout) {
    if (elements->fortran) {
        if (!same_shape(&target->layout, elements))
            return false;
        reverse_axes(&target->layout, layout);
        return true;
    }
    *layout = target->layout;
    if (elements->count == layout->count)
        return true;
    if (layout->ndim != 1)
        return false;
    layout->shape[0] = layout->count = elements->count;
    layout->nbytes = elements->nbytes;
    return true;
}

void target_fill(const Target *target, const Elements *elements, const char *data) {
    const Layout *into = &target->layout;
    if (unlikely(elements->nbytes == 0))
        return;
    if (likely(!elements->fortran)) {
        if (likely(into->contiguous))
            memcpy(into->data, data, (size_t)elements->nbytes);
        else
            strided_unpack(into, data, elements->nbytes);
        return;
    }
    if (!same_shape(into, elements)) {
        fill_one_by_one(into, elements, data);
        return;
    }
    Layout reversed;
    reverse_axes(into, &reversed);
    strided_unpack(&reversed, data, elements->nbytes);
}
