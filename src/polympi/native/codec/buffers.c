/* bytearray, memoryview and array.array, and any other memory as a memoryview. */
#include "codec/codec.h"

#include "base/errors.h"
#include "codec/stream.h"
#include "memory/pool.h"

/* ---- encoding ---- */

/* The elements in C order in memory that `owner` holds; a new owner instead of it when they had to be
 * copied. */
static char *in_c_order(Py_buffer *view, PyObject **owner) {
    if (PyBuffer_IsContiguous(view, 'C'))
        return view->buf;
    PyObject *copy = PyBytes_FromStringAndSize(NULL, view->len);
    if (!copy || PyBuffer_ToContiguous(PyBytes_AS_STRING(copy), view, view->len, 'C') < 0) {
        Py_XDECREF(copy);
        return NULL;
    }
    Py_SETREF(*owner, copy);
    return PyBytes_AS_STRING(copy);
}

/* Whether elements of a format are, or hold, Python objects: an "O" that is not part of the name of a field.
 */
static bool holds_objects(const char *format) {
    for (bool in_name = false; *format; format++)
        if (*format == ':')
            in_name = !in_name;
        else if (*format == 'O' && !in_name)
            return true;
    return false;
}

/* Head, shape, the format where it isn't a single character, and the elements unless they travel apart. */
static int put_buffer(Encoder *encoder, Py_buffer *view, PyObject **owner, enum container container) {
    const char *format = view->format ? view->format : "B";
    Py_ssize_t format_bytes = format[1] || !*format ? (Py_ssize_t)strlen(format) : 0;
    if (view->itemsize <= 0 || view->itemsize > UINT32_MAX || format_bytes > UINT32_MAX ||
        holds_objects(format))
        return TO_PICKLE;
    char *data = in_c_order(view, owner);
    if (!data)
        return FAILED;
    bool apart = view->len >= PART_BYTES;
    char native = native_format(format, view->itemsize);
    struct array_head head = {
        .tag = TAG_ARRAY,
        .type = native ? (uint8_t)format_type(native, NULL) : TYPE_DESCRIBED,
        .ndim = (uint8_t)view->ndim,
        .container = container,
        .apart = apart,
        .format = format_bytes ? 0 : (uint8_t)*format,
        .itemsize = (uint32_t)view->itemsize,
        .described = (uint32_t)format_bytes,
    };
    char *at =
        stream_reserve(encoder->stream, ARRAY_FORM(view->ndim) + format_bytes + (apart ? 0 : view->len));
    if (!at)
        return FAILED;
    at = wire_put_array(at, &head, view->shape);
    memcpy(at, format, (size_t)format_bytes);
    if (apart)
        return stream_part(encoder->stream, data, view->len, Py_NewRef(*owner), false);
    if (view->len)
        memcpy(at + format_bytes, data, (size_t)view->len);
    return ENCODED;
}

int encode_buffer(Encoder *encoder, PyObject *object, enum container container) {
    if (mutable_met_before(encoder, object))
        return TO_PICKLE;
    PyObject *owner = PyMemoryView_FromObject(object); /* holds the memory, also of what could be resized */
    if (!owner)
        return FAILED;
    Py_buffer view;
    int outcome = FAILED;
    if (PyObject_GetBuffer(owner, &view, PyBUF_FULL_RO) == 0) {
        /* array.array of characters, whose format depends on the version of Python */
        bool characters = container == CONTAINER_ARRAY && (!view.format || strchr("uw", *view.format));
        outcome = characters ? TO_PICKLE : put_buffer(encoder, &view, &owner, container);
        PyBuffer_Release(&view);
    }
    Py_DECREF(owner);
    return outcome;
}

/* ---- decoding ---- */

/* Memory of the pool with a format and a shape: what a memoryview that arrives looks at. */
typedef struct {
    PyObject_HEAD char *data;
    Py_ssize_t nbytes, itemsize;
    char *format;
    int ndim;
    Py_ssize_t shape[MOST_DIMENSIONS], strides[MOST_DIMENSIONS];
} Shaped;

static int shaped_buffer(PyObject *object, Py_buffer *view, int flags) {
    Shaped *self = (Shaped *)object;
    *view = (Py_buffer){
        .buf = self->data,
        .obj = Py_NewRef(object),
        .len = self->nbytes,
        .itemsize = self->itemsize,
        .ndim = self->ndim,
        .format = flags & PyBUF_FORMAT ? self->format : NULL,
        .shape = flags & PyBUF_ND ? self->shape : NULL,
        .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? self->strides : NULL,
    };
    return 0;
}

static void shaped_dealloc(PyObject *object) {
    Shaped *self = (Shaped *)object;
    if (self->data)
        pool_release(self->data, self->nbytes);
    PyMem_Free(self->format);
    PyObject_Free(object);
}

static PyBufferProcs shaped_procs = {.bf_getbuffer = shaped_buffer};
static PyTypeObject Shaped_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "polympi.native.core.Shaped",
    .tp_doc = "Memory that a memoryview looks at.",
    .tp_basicsize = sizeof(Shaped),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = shaped_dealloc,
    .tp_as_buffer = &shaped_procs,
};

/* The data of a form: a part that is taken over, or a copy. */
static char *take_data(Reader *reader, const ArrayForm *form) {
    if (form->head.apart) {
        Arrived *part = reader_part(reader, form->nbytes);
        if (!part)
            return NULL;
        part->taken = true;
        return part->data;
    }
    char *data = pool_allocate(form->nbytes);
    if (data && form->nbytes)
        memcpy(data, form->data, (size_t)form->nbytes);
    return data;
}

/* Whether elements of a format are as large as the message says: a memoryview reads what the format needs. */
static bool format_fits(const char *format, Py_ssize_t itemsize) {
    Py_ssize_t needed = itemsize;
    if (*format == '@')
        format++;
    if (!*format || format[1]) /* of such elements it reads nothing */
        return true;
    if (*format == 'P')
        needed = sizeof(void *);
    else
        format_type(*format, &needed);
    return needed == itemsize;
}

/* Memory of a format and a shape, still without data. */
static Shaped *new_shaped(const ArrayForm *form) {
    const char *format = form->head.described ? form->described : (const char *)&form->head.format;
    size_t format_bytes = form->head.described ? form->head.described : 1;
    Shaped *memory = PyType_Ready(&Shaped_Type) == 0 ? PyObject_New(Shaped, &Shaped_Type) : NULL;
    if (!memory)
        return NULL;
    memory->data = NULL;
    memory->nbytes = form->nbytes;
    memory->itemsize = form->head.itemsize;
    memory->ndim = form->head.ndim;
    Py_ssize_t stride = memory->itemsize;
    for (int axis = memory->ndim - 1; axis >= 0; axis--) {
        memory->shape[axis] = form->shape[axis];
        memory->strides[axis] = stride;
        stride *= form->count ? form->shape[axis] : 1;
    }
    memory->format = PyMem_Malloc(format_bytes + 1);
    if (memory->format) {
        memcpy(memory->format, format, format_bytes);
        memory->format[format_bytes] = 0;
        if (format_fits(memory->format, memory->itemsize) && !holds_objects(memory->format))
            return memory;
        raise_damaged();
    } else
        PyErr_NoMemory();
    Py_DECREF(memory);
    return NULL;
}

static PyObject *decode_memoryview(Reader *reader, const ArrayForm *form) {
    Shaped *memory = new_shaped(form);
    if (!memory)
        return NULL;
    memory->data = take_data(reader, form);
    PyObject *view = memory->data ? PyMemoryView_FromObject((PyObject *)memory) : NULL;
    Py_DECREF(memory);
    return view;
}

PyObject *view_of_none(const ArrayForm *form) {
    ArrayForm none = *form;
    none.head.ndim = 1;
    none.shape[0] = none.count = none.nbytes = 0;
    Shaped *memory = new_shaped(&none);
    if (!memory)
        return NULL;
    memory->data = pool_allocate(0);
    PyObject *view = memory->data ? PyMemoryView_FromObject((PyObject *)memory) : NULL;
    Py_DECREF(memory);
    return view;
}

static PyObject *decode_array_array(const char *data, const ArrayForm *form) {
    PyObject *module = PyImport_ImportModule("array");
    PyObject *code = PyUnicode_FromOrdinal(form->head.format);
    PyObject *array = call_method_with(module, NAME("array"), code);
    PyObject *view = PyMemoryView_FromMemory((char *)data, form->nbytes, PyBUF_READ);
    PyObject *filled = call_method_with(array, NAME("frombytes"), view);
    if (!filled) {
        Py_CLEAR(array);
        if (PyErr_ExceptionMatches(
                PyExc_ValueError)) { /* no such type code, or not a whole number of elements */
            PyErr_Clear();
            raise_damaged();
        }
    }
    Py_XDECREF(module);
    Py_XDECREF(code);
    Py_XDECREF(view);
    Py_XDECREF(filled);
    return array;
}

PyObject *decode_buffer(Reader *reader, const ArrayForm *form) {
    if (form->head.container == CONTAINER_MEMORYVIEW)
        return decode_memoryview(reader, form);
    const char *data = form->data;
    if (form->head.apart) {
        Arrived *part = reader_part(reader, form->nbytes);
        if (!part)
            return NULL;
        data = part->data;
    }
    if (form->head.container == CONTAINER_BYTEARRAY)
        return PyByteArray_FromStringAndSize(data, form->nbytes);
    if (form->head.container == CONTAINER_ARRAY && !form->head.described)
        return decode_array_array(data, form);
    return raise_damaged();
}
