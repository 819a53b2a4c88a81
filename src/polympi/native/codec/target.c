/* Receiving into user buffers. */
#include "codec/numpy_api.h"

#include <stddef.h>

#include "base/errors.h"
#include "codec/stream.h"
#include "memory/strided.h"

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

/* The dtype of a format of the buffer protocol; NULL without an exception where NumPy knows none. */
static PyObject *format_dtype(const ArrayForm *form) {
    PyObject *view = view_of_none(form);
    PyObject *array = view ? PyArray_FromAny(view, NULL, 0, 0, 0, NULL) : NULL;
    PyObject *dtype = array ? Py_NewRef((PyObject *)PyArray_DESCR((PyArrayObject *)array)) : NULL;
    Py_XDECREF(view);
    Py_XDECREF(array);
    if (!dtype && PyErr_ExceptionMatches(PyExc_Exception))
        PyErr_Clear();
    return dtype;
}

/* Elements of TYPE_DESCRIBED, or of a native type if the array just has a class or metadata: 1 or -1. */
static int described_elements(const ArrayForm *form, Elements *elements) {
    if (!numpy_loaded(true))
        return -1;
    bool is_view = form->head.container == CONTAINER_MEMORYVIEW;
    elements->dtype =
        is_view ? format_dtype(form) : described_dtype(form->described, form->head.described, NULL);
    if (!elements->dtype)
        return PyErr_Occurred() ? -1 : 1;
    if (unlikely(PyDataType_ELSIZE((PyArray_Descr *)elements->dtype) != elements->itemsize)) {
        Py_CLEAR(elements->dtype);
        raise_damaged();
        return -1;
    }
    elements->type = dtype_type((PyArray_Descr *)elements->dtype);
    if (elements->type != TYPE_DESCRIBED)
        Py_CLEAR(elements->dtype);
    return 1;
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
    return likely(elements->type != TYPE_DESCRIBED) ? 1 : described_elements(&form, elements);
}

int array_elements(const char *bytes, Py_ssize_t nbytes, Elements *elements) {
    Reader reader = {.at = bytes, .end = bytes + nbytes};
    int tag = nbytes > 0 ? wire_get_tag(bytes) : TAG_NONE;
    if (likely(tag == TAG_ROW || tag == TAG_ARRAY))
        return form_elements(&reader, elements);
    reader.at += TAG_FORM;
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

static bool of_plan(const Call *call) {
    return strncmp(call->operation, "plan.", 5) == 0 || strcmp(call->operation, "plan") == 0;
}

/* Calls that send or receive elements alone, and have no objects. */
static bool of_memory(const Call *call) {
    return of_plan(call) || strncmp(call->operation, "plain.", 6) == 0;
}

static int refuse(const Call *call, PyObject *object, const char *why) {
    const char *what = !call->sends    ? "a %s cannot be received into: %s"
                       : of_plan(call) ? "a %s cannot be part of a plan: %s"
                                       : "a %s cannot be sent as plain elements: %s";
    return raise_error("MismatchError", call, what, Py_TYPE(object)->tp_name, why);
}

/* Other calls may do without memory. */
static int refuse_objects(const Call *call, PyObject *object, const char *what) {
    PyObject *why = PyUnicode_FromFormat(
        "%s; %s", what,
        of_memory(call) ? "use send() and recv() for them, which take any object" : "leave `into` out");
    if (why)
        refuse(call, object, PyUnicode_AsUTF8(why));
    Py_XDECREF(why);
    return -1;
}

static int open_array(Target *target, PyObject *object, const Call *call) {
    PyArrayObject *array = (PyArrayObject *)object;
    if (unlikely(!call->sends && !PyArray_ISWRITEABLE(array)))
        return refuse(call, target->object,
                      target->array
                          ? "DLPack gives its memory for reading only; give an ndarray over it instead"
                          : "it is read-only");
    PyArray_Descr *dtype = PyArray_DESCR(array);
    target->type = dtype_type(dtype);
    target->dtype = (PyObject *)dtype;
    if (unlikely(target->type == TYPE_DESCRIBED && !PyDataType_ISLEGACY(dtype)))
        return refuse_objects(call, target->object, "its elements refer to memory elsewhere, as objects do");
    if (unlikely(target->type == TYPE_DESCRIBED && PyDataType_REFCHK(dtype)))
        return refuse_objects(call, target->object, "its elements are objects, not plain memory");
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
    if (view->ndim == 0) /* it has no shape */
        return;
    memcpy(layout->shape, view->shape, (size_t)view->ndim * sizeof *view->shape);
    if (view->strides)
        memcpy(layout->strides, view->strides, (size_t)view->ndim * sizeof *view->strides);
    else /* ctypes says nothing of them: C order */
        PyBuffer_FillContiguousStrides(view->ndim, layout->shape, layout->strides, (int)view->itemsize, 'C');
}

static int open_buffer(Target *target, PyObject *object, const Call *call) {
    if (PyObject_GetBuffer(object, &target->view, call->sends ? PyBUF_FULL_RO : PyBUF_FULL) < 0) {
        target->view.obj = NULL;
        if (!PyErr_ExceptionMatches(PyExc_BufferError))
            return -1;
        PyErr_Clear();
        return refuse(call, object,
                      call->sends ? "it gives no access to its memory" : "it has no writable memory");
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
    return refuse(call, object, "its elements have a format that NumPy does not know");
}

/* An array of another library. */
static int open_foreign(Target *target, PyObject *object, const Call *call) {
    int copied = foreign_memory(object, call->sends, &target->array);
    if (copied < 0)
        return -1;
    if (copied && of_plan(call))
        return refuse(call, object, "it is on a device; give host memory, and copy from or to it");
    target->on_device = copied && !call->sends;
    if (target->on_device) {
        PyObject *memory = direct_memory(object);
        if (memory)
            target->direct = PyArray_BYTES((PyArrayObject *)PyTuple_GET_ITEM(memory, 1));
        else if (PyErr_Occurred())
            return -1;
        Py_XDECREF(memory);
    }
    return open_array(target, target->array, call);
}

int target_open(Target *target, PyObject *object, const Call *call) {
    target->dtype = target->array = NULL;
    target->view.obj = NULL;
    target->on_device = false;
    target->direct = NULL;
    target->object = Py_NewRef(object);
    int failed;
    if (likely(ndarray_type || numpy_loaded(false)) && likely(PyObject_TypeCheck(object, ndarray_type)))
        failed = open_array(target, object, call);
    else if (PyErr_Occurred())
        failed = -1;
    else if (PyObject_CheckBuffer(object))
        failed = open_buffer(target, object, call);
    else if (is_foreign(object))
        failed = open_foreign(target, object, call);
    else
        failed = refuse(call, object,
                        call->sends ? "it is neither an array nor other memory; send it with send()"
                                    : "it is neither an array nor other writable memory");
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
    to->on_device = from->on_device;
    to->direct = from->direct;
    to->view.obj = NULL;
    if (unlikely(from->view.obj != NULL))
        to->view = from->view;
}

/* ---- what fits ---- */

#define NAME_OF_TYPE(name, number, ctype, kind, npy, mpi, text, format) [number] = text,
static const char *const type_names[] = {ELEMENT_TYPES(NAME_OF_TYPE)[TYPE_HALF] = "float16"};
#undef NAME_OF_TYPE

enum { MOST_TEXT = 200 };

/* A dtype as NumPy writes it; of long ones the beginning. */
static PyObject *dtype_text(PyObject *dtype) {
    PyObject *text = PyObject_Str(dtype);
    if (text && PyUnicode_GET_LENGTH(text) > MOST_TEXT) {
        PyObject *first = PyUnicode_Substring(text, 0, MOST_TEXT);
        Py_SETREF(text, first ? PyUnicode_FromFormat("%U...", first) : NULL);
        Py_XDECREF(first);
    }
    return text;
}

static PyObject *type_text(int type, PyObject *dtype) {
    if (dtype)
        return dtype_text(dtype);
    type = canonical(type);
    bool named = (size_t)type < sizeof type_names / sizeof *type_names && type_names[type];
    return PyUnicode_FromString(named ? type_names[type] : "its own format");
}

PyObject *target_type(const Target *target) { return type_text(target->type, target->dtype); }

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

/* Whether two dtypes are of one layout: the same elements, or fields of the same names, at the same places.
 * Titles, metadata and np.record make no difference. */
static bool same_layout(PyArray_Descr *one, PyArray_Descr *two);

/* The field of a name, borrowed; its offset in *offset. NULL where there is none. */
static PyArray_Descr *field_named(PyArray_Descr *dtype, PyObject *name, Py_ssize_t *offset) {
    PyObject *names = PyDataType_NAMES(dtype);
    int found = names ? PySequence_Contains(names, name) : 0; /* the fields are known by their titles, too */
    PyObject *field = found > 0 ? PyDict_GetItemWithError(PyDataType_FIELDS(dtype), name) : NULL;
    if (!field)
        return NULL;
    *offset = PyLong_AsSsize_t(PyTuple_GET_ITEM(field, 1));
    return (PyArray_Descr *)PyTuple_GET_ITEM(field, 0);
}

/* The first field of one that the other has not at the same place; borrowed, NULL: none. */
static PyObject *differing_field(PyArray_Descr *one, PyArray_Descr *two) {
    PyObject *names = PyDataType_NAMES(one);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        Py_ssize_t here = 0, there = 0;
        PyArray_Descr *mine = field_named(one, name, &here), *other = field_named(two, name, &there);
        if (!mine || !other || here != there || !same_layout(mine, other))
            return name;
    }
    return NULL;
}

static bool same_subarrays(PyArray_ArrayDescr *one, PyArray_ArrayDescr *two) {
    return one && two && PyObject_RichCompareBool(one->shape, two->shape, Py_EQ) == 1 &&
           same_layout(one->base, two->base);
}

static bool same_layout(PyArray_Descr *one, PyArray_Descr *two) {
    if (one == two)
        return true;
    if (PyDataType_ELSIZE(one) != PyDataType_ELSIZE(two))
        return false;
    if (PyDataType_SUBARRAY(one) || PyDataType_SUBARRAY(two))
        return same_subarrays(PyDataType_SUBARRAY(one), PyDataType_SUBARRAY(two));
    PyObject *names = PyDataType_NAMES(one), *others = PyDataType_NAMES(two);
    if (names || others)
        return names && others && PyTuple_GET_SIZE(names) == PyTuple_GET_SIZE(others) &&
               !differing_field(one, two);
    if (one->type_num == NPY_VOID || two->type_num == NPY_VOID)
        return one->type_num == two->type_num;
    int type = dtype_type(one);
    return type == dtype_type(two) && (type != TYPE_DESCRIBED || PyArray_EquivTypes(one, two));
}

static bool same_type(const Target *target, const Elements *elements) {
    if (likely(target->type == elements->type && target->type != TYPE_DESCRIBED))
        return true;
    if (elements->bytes_like && target->layout.itemsize == 1)
        return true;
    if (!target->dtype || !elements->dtype)
        return false;
    return same_layout((PyArray_Descr *)target->dtype, (PyArray_Descr *)elements->dtype);
}

/* "... and int32 at byte 4": a field of a dtype, for a sentence. */
static PyObject *field_text(PyArray_Descr *dtype, PyObject *name) {
    Py_ssize_t offset = 0;
    PyArray_Descr *field = field_named(dtype, name, &offset);
    PyObject *type = field ? dtype_text((PyObject *)field) : NULL;
    PyObject *text =
        type ? PyUnicode_FromFormat("%U at byte %zd", type, offset) : PyUnicode_FromString("missing");
    Py_XDECREF(type);
    return text;
}

/* Why elements of other types do not fit; of structures, by the first field that differs. */
static int refuse_type(const Target *target, const Elements *elements, const Call *call) {
    const char *common = "the types of the elements differ";
    PyArray_Descr *come = (PyArray_Descr *)elements->dtype, *have = (PyArray_Descr *)target->dtype;
    if (!come || !have || !PyDataType_NAMES(come) || !PyDataType_NAMES(have))
        return refuse_elements("MismatchError", target, elements, call, common);
    PyObject *name = differing_field(come, have), *texts[2] = {NULL, NULL}, *why = NULL;
    if (!name)
        name = differing_field(have, come);
    if (name && (texts[0] = field_text(come, name)) && (texts[1] = field_text(have, name)))
        why = PyUnicode_FromFormat("%s: the field %R is %U in the message and %U in this memory", common,
                                   name, texts[0], texts[1]);
    else if (!name)
        why = PyUnicode_FromFormat("%s: an element has %zd bytes in the message and %zd in this memory",
                                   common, PyDataType_ELSIZE(come), PyDataType_ELSIZE(have));
    const char *sentence = why ? PyUnicode_AsUTF8(why) : NULL;
    PyErr_Clear(); /* names that are no UTF-8 */
    refuse_elements("MismatchError", target, elements, call, sentence ? sentence : common);
    Py_XDECREF(texts[0]);
    Py_XDECREF(texts[1]);
    Py_XDECREF(why);
    return -1;
}

static bool same_elements(const Target *target, const Elements *elements) {
    return same_type(target, elements) && elements->itemsize == target->layout.itemsize;
}

int target_matches(const Target *target, const Elements *elements, const Call *call) {
    if (!same_elements(target, elements))
        return refuse_type(target, elements, call);
    if (elements->count == target->layout.count)
        return 0;
    return refuse_elements("MismatchError", target, elements, call, "a plan needs as many on both sides");
}

int target_accepts(const Target *target, const Elements *elements, const Call *call) {
    const Layout *layout = &target->layout;
    if (unlikely(!same_elements(target, elements)))
        return refuse_type(target, elements, call);
    if (likely(layout->count == elements->count))
        return 0;
    if (elements->count > layout->count)
        return refuse_elements("TruncationError", target, elements, call, "there are more than fit");
    if (layout->ndim == 1)
        return 0;
    return refuse_elements("MismatchError", target, elements, call,
                           "fewer elements than there is room for need one-dimensional memory");
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

/* ---- the head of a message, as the sender of a plan offers it ---- */

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
