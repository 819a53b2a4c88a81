/* Encoding: Python's own types, innermost loops of every send of an object. */
#include "codec/stream.h"

static int encode_string(Encoder *encoder, PyObject *string);

static inline int put_tag(Stream *stream, enum tag tag) {
    char *at = stream_reserve(stream, TAG_FORM);
    if (unlikely(!at))
        return FAILED;
    wire_put_tag(at, tag);
    return ENCODED;
}

/* Beyond 64 bits: int.to_bytes, which has no public form in C before Python 3.13. */
static int encode_big_int(Encoder *encoder, PyObject *value) {
    int outcome = FAILED;
    PyObject *bits = call_method(value, NAME("bit_length")), *to_bytes = NULL, *bytes = NULL,
             *arguments = NULL;
    PyObject *keywords = PyDict_New();
    Py_ssize_t size = bits ? PyLong_AsSsize_t(bits) / 8 + 1 : -1;
    if (size > 0 && keywords && PyDict_SetItemString(keywords, "signed", Py_True) == 0 &&
        (to_bytes = get_attribute(value, NAME("to_bytes"))) &&
        (arguments = Py_BuildValue("(ns)", size, "little")) &&
        (bytes = PyObject_Call(to_bytes, arguments, keywords)))
        outcome = put_data(encoder->stream, TAG_BIG_INT, PyBytes_AS_STRING(bytes), size, bytes);
    Py_XDECREF(bits);
    Py_XDECREF(to_bytes);
    Py_XDECREF(arguments);
    Py_XDECREF(keywords);
    Py_XDECREF(bytes);
    return outcome;
}

static inline int encode_int(Encoder *encoder, PyObject *value) {
    int overflow;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (unlikely(overflow))
        return encode_big_int(encoder, value);
    char *at = stream_reserve(encoder->stream, NUMBER_FORM);
    if (unlikely(!at))
        return FAILED;
    wire_put_int(at, number);
    return ENCODED;
}

static inline int encode_float(Encoder *encoder, PyObject *value) {
    char *at = stream_reserve(encoder->stream, NUMBER_FORM);
    if (unlikely(!at))
        return FAILED;
    wire_put_float(at, PyFloat_AS_DOUBLE(value));
    return ENCODED;
}

static int encode_complex(Encoder *encoder, PyObject *value) {
    Py_complex number = PyComplex_AsCComplex(value);
    char *at = stream_reserve(encoder->stream, COMPLEX_FORM);
    if (!at)
        return FAILED;
    wire_put_complex(at, number.real, number.imag);
    return ENCODED;
}

/* Short ASCII has its own form: keys of dicts. */
static inline int encode_str(Encoder *encoder, PyObject *string) {
    if (likely(PyUnicode_IS_COMPACT_ASCII(string))) {
        Py_ssize_t length = PyUnicode_GET_LENGTH(string);
        if (likely(length <= MOST_SHORT)) {
            char *at = stream_reserve(encoder->stream, SHORT_FORM + length);
            if (unlikely(!at))
                return FAILED;
            wire_put_short(at, length);
            memcpy(at + SHORT_FORM, PyUnicode_1BYTE_DATA(string), (size_t)length);
            return ENCODED;
        }
    }
    return encode_string(encoder, string);
}

/* UTF-8, which Python keeps in the str, so that it may travel apart. */
static int encode_string(Encoder *encoder, PyObject *string) {
    Py_ssize_t nbytes;
    const char *text = PyUnicode_AsUTF8AndSize(string, &nbytes);
    if (!text) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
            return FAILED;
        PyErr_Clear();
        return TO_PICKLE;
    }
    return put_data(encoder->stream, TAG_STR, text, nbytes, string);
}

/* A tuple that several owners refer to is one object at the receiver, too, where that can be seen: by what is
 * in it. */
int encode_tuple(Encoder *encoder, PyObject *tuple) {
    Py_ssize_t length = PyTuple_GET_SIZE(tuple);
    int mutables = encoder->mutables, held = encoder->held;
    char *at = stream_reserve(encoder->stream, LENGTH_FORM);
    if (!at)
        return FAILED;
    wire_put_length(at, TAG_TUPLE, length);
    for (Py_ssize_t i = 0; i < length; i++) {
        encoder->held = 0;
        int outcome = encode_value(encoder, PyTuple_GET_ITEM(tuple, i));
        if (unlikely(outcome != ENCODED))
            return outcome;
    }
    return encoder->mutables != mutables && met_before(encoder, tuple, held) ? TO_PICKLE : ENCODED;
}

/* A list of nothing but ints that fit, or of nothing but floats, as these: one loop that calls nothing of the
 * program. TO_PICKLE for any other list. */
static int encode_numbers(Stream *stream, PyObject *list, PyTypeObject *type) {
    Py_ssize_t length = PyList_GET_SIZE(list), used = stream->used;
    char *at = stream_reserve(stream, LENGTH_FORM + PLAIN_NUMBER * length);
    if (unlikely(!at))
        return FAILED;
    PyObject **items = ((PyListObject *)list)->ob_item;
    wire_put_length(at, type == &PyFloat_Type ? TAG_FLOATS : TAG_INTS, length);
    at += LENGTH_FORM;
    Py_ssize_t i = 0;
    if (type == &PyFloat_Type)
        for (; i < length && Py_IS_TYPE(items[i], type); i++, at += PLAIN_NUMBER)
            wire_put_plain_float(at, PyFloat_AS_DOUBLE(items[i]));
    else
        for (int overflow = 0; i < length && Py_IS_TYPE(items[i], type); i++, at += PLAIN_NUMBER) {
            wire_put_plain_int(at, PyLong_AsLongLongAndOverflow(items[i], &overflow));
            if (unlikely(overflow))
                break;
        }
    if (likely(i == length))
        return ENCODED;
    stream->used = used;
    return TO_PICKLE;
}

/* The items are held while they are encoded, and the length is watched, since __dlpack__ of an item may
 * change what holds it; so below. */
static int encode_list(Encoder *encoder, PyObject *list) {
    Py_ssize_t length = PyList_GET_SIZE(list);
    PyTypeObject *first = length ? Py_TYPE(PyList_GET_ITEM(list, 0)) : NULL;
    if (length > 0 && (first == &PyFloat_Type || first == &PyLong_Type)) {
        int outcome = encode_numbers(encoder->stream, list, first);
        if (outcome != TO_PICKLE)
            return outcome;
    }
    char *at = stream_reserve(encoder->stream, LENGTH_FORM);
    if (!at)
        return FAILED;
    wire_put_length(at, TAG_LIST, length);
    for (Py_ssize_t i = 0; i < length; i++) {
        PyObject *item = Py_NewRef(PyList_GET_ITEM(list, i));
        encoder->held = 1;
        int outcome = encode_value(encoder, item);
        Py_DECREF(item);
        if (unlikely(outcome != ENCODED))
            return outcome;
        if (unlikely(PyList_GET_SIZE(list) != length))
            return TO_PICKLE;
    }
    return ENCODED;
}

/* A key, which the receiver will hash. */
static int encode_key(Encoder *encoder, PyObject *key) {
    encoder->hashed++;
    encoder->held = 1;
    int outcome = encode_value(encoder, key);
    encoder->hashed--;
    return outcome;
}

static inline int encode_items(Encoder *encoder, PyObject *dict, bool of_instance) {
    Py_ssize_t length = PyDict_GET_SIZE(dict), position = 0, met = 0;
    PyObject *key, *item;
    char *at = stream_reserve(encoder->stream, LENGTH_FORM);
    if (!at)
        return FAILED;
    wire_put_length(at, TAG_DICT, length);
    while (PyDict_Next(dict, &position, &key, &item)) {
        Py_INCREF(key);
        Py_INCREF(item);
        int outcome = of_instance && unlikely(is_special(key)) ? TO_PICKLE
                      : likely(PyUnicode_CheckExact(key))      ? encode_str(encoder, key)
                                                               : encode_key(encoder, key);
        if (likely(outcome == ENCODED)) {
            encoder->held = 1;
            outcome = encode_value(encoder, item);
        }
        Py_DECREF(item);
        Py_DECREF(key);
        if (unlikely(outcome != ENCODED))
            return outcome;
        if (unlikely(PyDict_GET_SIZE(dict) != length))
            return TO_PICKLE;
        met++;
    }
    return met == length ? ENCODED : TO_PICKLE;
}

static int encode_dict(Encoder *encoder, PyObject *dict) { return encode_items(encoder, dict, false); }

int encode_attributes(Encoder *encoder, PyObject *dict) { return encode_items(encoder, dict, true); }

static int encode_set(Encoder *encoder, PyObject *set, enum tag tag) {
    Py_ssize_t length = PySet_GET_SIZE(set), met = 0;
    char *at = stream_reserve(encoder->stream, LENGTH_FORM);
    PyObject *items = at ? PyObject_GetIter(set) : NULL, *item;
    if (!items)
        return FAILED;
    wire_put_length(at, tag, length);
    int outcome = ENCODED;
    while (outcome == ENCODED && (item = PyIter_Next(items))) {
        outcome = encode_key(encoder, item);
        Py_DECREF(item);
        met++;
    }
    Py_DECREF(items);
    if (outcome == ENCODED && PyErr_Occurred())
        return FAILED;
    return outcome == ENCODED && met != length ? TO_PICKLE : outcome;
}

static int encode_mutable(Encoder *encoder, PyObject *value) {
    if (unlikely(mutable_met_before(encoder, value) || encoder->depth == MOST_DEPTH))
        return TO_PICKLE;
    encoder->depth++;
    int outcome = PyDict_CheckExact(value)   ? encode_dict(encoder, value)
                  : PyList_CheckExact(value) ? encode_list(encoder, value)
                                             : encode_set(encoder, value, TAG_SET);
    encoder->depth--;
    return outcome;
}

static int encode_immutable(Encoder *encoder, PyObject *value) {
    if (unlikely(encoder->depth == MOST_DEPTH))
        return TO_PICKLE;
    encoder->depth++;
    int outcome =
        PyTuple_CheckExact(value) ? encode_tuple(encoder, value) : encode_set(encoder, value, TAG_FROZENSET);
    encoder->depth--;
    return outcome;
}

/* array.array, whose type is known once anyone has imported it. */
static bool is_array(PyObject *value) {
    static PyTypeObject *array_type;
    if (!array_type) {
        PyObject *name = NAME("array"), *module = name ? PyImport_GetModule(name) : NULL;
        PyObject *type = get_attribute(module, name);
        Py_XDECREF(module);
        PyErr_Clear();
        if (!type || !PyType_Check(type)) {
            Py_XDECREF(type);
            return false;
        }
        array_type = (PyTypeObject *)type;
    }
    return Py_IS_TYPE(value, array_type);
}

/* What Python itself does not bring, or seldom used. */
int encode_other(Encoder *encoder, PyObject *value) {
    PyTypeObject *type = Py_TYPE(value);
    if (type == &PyByteArray_Type)
        return encode_buffer(encoder, value, CONTAINER_BYTEARRAY);
    if (type == &PyMemoryView_Type)
        return encode_buffer(encoder, value, CONTAINER_MEMORYVIEW);
    if (ndarray_type || numpy_loaded(false)) {
        if (PyObject_TypeCheck(value, ndarray_type))
            return encode_ndarray(encoder, value);
        int outcome = encode_scalar(encoder, value);
        if (outcome != TO_PICKLE)
            return outcome;
    } else if (PyErr_Occurred())
        return FAILED;
    if (is_array(value))
        return encode_buffer(encoder, value, CONTAINER_ARRAY);
    return encode_foreign(encoder, value);
}

int encode_value(Encoder *encoder, PyObject *value) {
    PyTypeObject *type = Py_TYPE(value);
    if (type == &PyUnicode_Type)
        return encode_str(encoder, value);
    if (type == &PyLong_Type)
        return encode_int(encoder, value);
    if (type == &PyFloat_Type)
        return encode_float(encoder, value);
    if (type == ndarray_type) /* NULL until NumPy is loaded */
        return encode_ndarray(encoder, value);
    if (type == &PyDict_Type || type == &PyList_Type || type == &PySet_Type)
        return encode_mutable(encoder, value);
    if (type == &PyTuple_Type || type == &PyFrozenSet_Type)
        return encode_immutable(encoder, value);
    if (value == Py_None)
        return put_tag(encoder->stream, TAG_NONE);
    if (type == &PyBool_Type)
        return put_tag(encoder->stream, value == Py_True ? TAG_TRUE : TAG_FALSE);
    if (type == &PyBytes_Type)
        return put_data(encoder->stream, TAG_BYTES, PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value), value);
    if (type == &PyComplex_Type)
        return encode_complex(encoder, value);
    int outcome = encode_instance(encoder, value);
    return outcome == TO_PICKLE ? encode_other(encoder, value) : outcome;
}

int codec_encode(Stream *stream, PyObject *value) {
    Encoder encoder;
    encoder_start(&encoder, stream);
    Py_ssize_t used = stream->used;
    int part_count = stream->part_count;
    int outcome = encode_value(&encoder, value);
    if (likely(outcome == ENCODED))
        return 0;
    stream_rewind(stream, used, part_count);
    return outcome == FAILED ? -1 : encode_pickle(stream, value);
}
