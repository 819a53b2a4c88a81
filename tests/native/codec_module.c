/* The codec as a module of its own, without MPI: what is sent is copied as a transfer would copy it. */
#include "codec.h"

#include "errors.h"
#include "pool.h"
#include "strided.h"

#include <string.h>

/* As that of the core, without the facts of a call. */
int raise_error(const char *class_name, const Call *call, const char *format, ...) {
    (void)call;
    va_list arguments;
    va_start(arguments, format);
    PyObject *sentence = PyUnicode_FromFormatV(format, arguments);
    va_end(arguments);
    PyObject *module = PyImport_ImportModule("polympi.errors");
    PyObject *name = PyUnicode_InternFromString(class_name);
    PyObject *class = module && name ? PyObject_GetAttr(module, name) : NULL;
    if (class && sentence)
        PyErr_SetObject(class, sentence);
    Py_XDECREF(class);
    Py_XDECREF(module);
    Py_XDECREF(name);
    Py_XDECREF(sentence);
    return -1;
}

/* The bytes of a part, as they would arrive. */
static void copy_part(const Part *part, char *to) {
    if (!part->strided) {
        memcpy(to, part->data, (size_t)part->nbytes);
        return;
    }
    Layout layout;
    array_layout(part->owner, &layout);
    strided_pack(&layout, to);
}

static void drop_parts(Arrived *parts, int count) {
    for (int i = 0; i < count; i++)
        if (!parts[i].taken)
            pool_release(parts[i].data, parts[i].nbytes);
    PyMem_Free(parts);
}

/* Decode a copy of `bytes` of just its size, so that a sanitizer sees what is read beyond it. Ends the parts.
 */
static PyObject *decode_copy(const char *bytes, Py_ssize_t nbytes, Arrived *parts, int count) {
    PyObject *value = NULL;
    char *copy = PyMem_RawMalloc((size_t)nbytes);
    if (copy) {
        memcpy(copy, bytes, (size_t)nbytes);
        value = codec_decode(copy, nbytes, parts, count);
        memset(copy, 0xFF, (size_t)nbytes); /* nothing may still look at it */
        PyMem_RawFree(copy);
    } else
        PyErr_NoMemory();
    drop_parts(parts, count);
    return value;
}

static PyObject *roundtrip(PyObject *module, PyObject *value) {
    (void)module;
    char block[1024];
    Stream stream;
    stream_open(&stream, block, sizeof block);
    if (codec_encode(&stream, value) < 0) {
        stream_close(&stream);
        return NULL;
    }
    int count = 0;
    PyObject *made = NULL;
    Arrived *parts = PyMem_Calloc((size_t)stream.part_count + 1, sizeof *parts);
    for (; parts && count < stream.part_count; count++) {
        const Part *part = &stream.parts[count];
        parts[count].nbytes = part->nbytes;
        parts[count].data = pool_allocate(part->nbytes);
        if (!parts[count].data)
            break;
        copy_part(part, parts[count].data);
    }
    if (parts && count == stream.part_count)
        made = decode_copy(stream.bytes, stream.used, parts, count);
    else if (parts)
        drop_parts(parts, count);
    else
        PyErr_NoMemory();
    stream_close(&stream);
    return made;
}

static PyObject *encode(PyObject *module, PyObject *value) {
    (void)module;
    char block[1024];
    Stream stream;
    stream_open(&stream, block, sizeof block);
    PyObject *parts = codec_encode(&stream, value) < 0 ? NULL : PyList_New(stream.part_count), *made = NULL;
    for (int i = 0; parts && i < stream.part_count; i++) {
        PyObject *part = PyByteArray_FromStringAndSize(NULL, stream.parts[i].nbytes);
        if (!part) {
            Py_CLEAR(parts);
            break;
        }
        copy_part(&stream.parts[i], PyByteArray_AS_STRING(part));
        PyList_SET_ITEM(parts, i, part);
    }
    if (parts)
        made = Py_BuildValue("(y#O)", stream.bytes, stream.used, parts);
    Py_XDECREF(parts);
    stream_close(&stream);
    return made;
}

/* The parts of a list of bytearrays; NULL with an exception. */
static Arrived *arrive(PyObject *list, int *count) {
    Arrived *parts = PyMem_Calloc((size_t)PyList_GET_SIZE(list) + 1, sizeof *parts);
    if (!parts)
        return (Arrived *)PyErr_NoMemory();
    for (; *count < PyList_GET_SIZE(list); ++*count) {
        PyObject *bytes = PyList_GET_ITEM(list, *count);
        Arrived *part = &parts[*count];
        part->nbytes = PyByteArray_Size(bytes);
        part->data = pool_allocate(part->nbytes);
        if (!part->data) {
            drop_parts(parts, *count);
            return NULL;
        }
        memcpy(part->data, PyByteArray_AsString(bytes), (size_t)part->nbytes);
    }
    return parts;
}

static PyObject *decode(PyObject *module, PyObject *arguments) {
    (void)module;
    const char *bytes;
    Py_ssize_t nbytes;
    PyObject *list;
    int count = 0;
    if (!PyArg_ParseTuple(arguments, "y#O!", &bytes, &nbytes, &PyList_Type, &list))
        return NULL;
    Arrived *parts = arrive(list, &count);
    return parts ? decode_copy(bytes, nbytes, parts, count) : NULL;
}

static int fill_target(const Target *target, const Elements *elements, const char *data, const Call *call) {
    if (target_accepts(target, elements, call) < 0)
        return -1;
    Layout layout;
    if (target_in_order(target, elements, &layout) && layout.contiguous)
        memcpy(layout.data, data, (size_t)elements->nbytes);
    else
        target_fill(target, elements, data);
    return 0;
}

static PyObject *fill(PyObject *module, PyObject *arguments) {
    (void)module;
    const Call call = {.operation = "recv", .rank = 0, .peer = 0, .tag = 0};
    const char *bytes;
    Py_ssize_t nbytes;
    PyObject *into, *list;
    Target target;
    Elements elements;
    if (!PyArg_ParseTuple(arguments, "Oy#O!", &into, &bytes, &nbytes, &PyList_Type, &list) ||
        target_open(&target, into, &call) < 0)
        return NULL;
    int kind = array_elements(bytes, nbytes, &elements), failed = -1;
    if (kind == 0)
        PyErr_SetString(PyExc_LookupError, "no array");
    if (kind > 0) {
        const char *data = elements.apart ? PyByteArray_AsString(PyList_GET_ITEM(list, 0)) : elements.data;
        failed = fill_target(&target, &elements, data, &call);
        Py_XDECREF(elements.dtype);
    }
    target_close(&target);
    return failed ? NULL : Py_NewRef(into);
}

static PyMethodDef functions[] = {
    {"roundtrip", roundtrip, METH_O, "The value, encoded, copied and decoded."},
    {"encode", encode, METH_O, "The value as (bytes, [bytearray of each part])."},
    {"decode", decode, METH_VARARGS, "The value of (bytes, [bytearray])."},
    {"fill", fill, METH_VARARGS,
     "Put an array, as (bytes, [bytearray]), into memory: (into, bytes, parts) -> into."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "codec", NULL, -1, functions, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit_codec(void) { return PyModule_Create(&definition); }
