/* Decoding: Python's own types. */
#include "codec/stream.h"
#include "memory/heap.h"

/* Containers in containers; the encoder goes less deep, and an instance counts up to three times. */
enum { DEEPEST = 3 * MOST_DEPTH };

/* What cannot be, of values that were encoded: text that is not UTF-8, keys that cannot be hashed. */
static void *damaged_by(PyObject *exception) {
    if (!PyErr_ExceptionMatches(exception))
        return NULL;
    PyErr_Clear();
    return raise_damaged();
}

/* ---- strings ---- */

/* Whether all bytes are ASCII. */
static bool is_ascii(const char *text, Py_ssize_t length) {
    const uint64_t high_bits = 0x8080808080808080u;
    uint64_t any = 0, word;
    Py_ssize_t i = 0;
    for (; i + 8 <= length; i += 8) {
        memcpy(&word, text + i, 8);
        any |= word & high_bits;
    }
    for (; i < length; i++)
        any |= (unsigned char)text[i] & 0x80;
    return !any;
}

static PyObject *ascii(const char *text, Py_ssize_t length) {
    if (!is_ascii(text, length))
        return raise_damaged();
    if (length < 2) /* Python has these strings already */
        return PyUnicode_DecodeASCII(text, length, NULL);
    PyObject *string = PyUnicode_New(length, 127);
    if (likely(string != NULL))
        memcpy(PyUnicode_1BYTE_DATA(string), text, (size_t)length);
    return string;
}

/* The characters of a TAG_SHORT_STR; NULL with an exception. */
static inline const char *take_short(Reader *reader, size_t *length) {
    const char *at = reader_take(reader, SHORT_FORM - TAG_FORM);
    if (unlikely(!at))
        return NULL;
    *length = wire_get_short(at);
    return reader_take(reader, *length);
}

static PyObject *decode_short_str(Reader *reader) {
    size_t length;
    const char *text = take_short(reader, &length);
    return text ? ascii(text, (Py_ssize_t)length) : NULL;
}

static PyObject *decode_str(Reader *reader) {
    Py_ssize_t nbytes = reader_length(reader);
    const char *text = nbytes < 0 ? NULL : reader_data(reader, nbytes);
    heap_expect(nbytes);
    PyObject *string = text ? PyUnicode_DecodeUTF8(text, nbytes, NULL) : NULL;
    return string || !text ? string : damaged_by(PyExc_UnicodeDecodeError);
}

/* Strings that were keys, by their first and last bytes: a key that comes again is the same object, whose
 * hash is known, and interned, so that a look-up by a literal compares addresses. */
enum { CACHED_KEYS = 256, LONGEST_CACHED = 40 };
static PyObject *cached_keys[CACHED_KEYS];

static inline unsigned key_slot(const char *text, size_t length) {
    uint64_t first = 0, last = 0;
    if (length >= 8) {
        memcpy(&first, text, 8);
        memcpy(&last, text + length - 8, 8);
    } else if (length >= 4) {
        memcpy(&first, text, 4);
        memcpy(&last, text + length - 4, 4);
    } else {
        first = (uint64_t)(unsigned char)text[0] << 8 | (unsigned char)text[length / 2];
        last = (unsigned char)text[length - 1];
    }
    uint64_t mixed = (first * 0x9E3779B97F4A7C15u) ^ ((last + length) * 0xC2B2AE3D27D4EB4Fu);
    return (unsigned)(mixed >> 56) % CACHED_KEYS;
}

/* A TAG_SHORT_STR; a new reference. */
static inline PyObject *short_key(Reader *reader) {
    size_t length;
    const char *text = take_short(reader, &length);
    if (unlikely(!text))
        return NULL;
    if (length < 2 || length > LONGEST_CACHED)
        return ascii(text, (Py_ssize_t)length);
    PyObject **slot = &cached_keys[key_slot(text, length)], *cached = *slot;
    if (likely(cached && (size_t)PyUnicode_GET_LENGTH(cached) == length &&
               memcmp(PyUnicode_1BYTE_DATA(cached), text, length) == 0)) {
        if (unlikely(!PyUnicode_CHECK_INTERNED(cached))) {
            PyUnicode_InternInPlace(slot);
            cached = *slot;
        }
        return Py_NewRef(cached);
    }
    PyObject *made = ascii(text, (Py_ssize_t)length);
    if (made) {
        *slot = Py_NewRef(made);
        Py_XDECREF(cached);
    }
    return made;
}

PyObject *decode_key(Reader *reader) { return short_key(reader); }

/* ---- other scalars ---- */

static PyObject *decode_int(Reader *reader) {
    const char *at = reader_take(reader, NUMBER_FORM - TAG_FORM);
    return likely(at != NULL) ? PyLong_FromLongLong(wire_get_int(at)) : NULL;
}

static PyObject *decode_big_int(Reader *reader) {
    Py_ssize_t nbytes = reader_length(reader);
    const char *data = nbytes < 0 ? NULL : reader_data(reader, nbytes);
    if (!data)
        return NULL;
    PyObject *from_bytes = get_attribute((PyObject *)&PyLong_Type, NAME("from_bytes")), *number = NULL;
    PyObject *arguments = Py_BuildValue("(y#s)", data, nbytes, "little");
    PyObject *keywords = Py_BuildValue("{sO}", "signed", Py_True);
    if (from_bytes && arguments && keywords)
        number = PyObject_Call(from_bytes, arguments, keywords);
    Py_XDECREF(from_bytes);
    Py_XDECREF(arguments);
    Py_XDECREF(keywords);
    return number;
}

static PyObject *decode_float(Reader *reader) {
    const char *at = reader_take(reader, NUMBER_FORM - TAG_FORM);
    return likely(at != NULL) ? PyFloat_FromDouble(wire_get_float(at)) : NULL;
}

static PyObject *decode_complex(Reader *reader) {
    double parts[2];
    const char *at = reader_take(reader, COMPLEX_FORM - TAG_FORM);
    if (!at)
        return NULL;
    wire_get_complex(at, parts);
    return PyComplex_FromDoubles(parts[0], parts[1]);
}

static PyObject *decode_bytes(Reader *reader) {
    Py_ssize_t nbytes = reader_length(reader);
    const char *data = nbytes < 0 ? NULL : reader_data(reader, nbytes);
    heap_expect(nbytes);
    return data ? PyBytes_FromStringAndSize(data, nbytes) : NULL;
}

/* ---- containers ---- */

/* Each item has one byte at least. */
static inline Py_ssize_t items_to_come(Reader *reader) {
    Py_ssize_t count = reader_length(reader);
    if (unlikely(count > reader->end - reader->at)) {
        raise_damaged();
        return -1;
    }
    return count;
}

Py_ssize_t item_count(Reader *reader) { return items_to_come(reader); }

static PyObject *decode_tuple(Reader *reader) {
    Py_ssize_t count = items_to_come(reader);
    PyObject *tuple = count < 0 ? NULL : PyTuple_New(count);
    for (Py_ssize_t i = 0; tuple && i < count; i++) {
        PyObject *item = decode_value(reader);
        if (unlikely(!item))
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, i, item);
    }
    return tuple;
}

static PyObject *decode_list(Reader *reader) {
    Py_ssize_t count = items_to_come(reader);
    PyObject *list = count < 0 ? NULL : PyList_New(count);
    for (Py_ssize_t i = 0; list && i < count; i++) {
        PyObject *item = decode_value(reader);
        if (unlikely(!item))
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, i, item);
    }
    return list;
}

/* A list of numbers, each of PLAIN_NUMBER bytes. */
static PyObject *decode_numbers(Reader *reader, int tag) {
    Py_ssize_t count = items_to_come(reader);
    if (unlikely(count > (reader->end - reader->at) / PLAIN_NUMBER))
        return raise_damaged();
    PyObject *list = count < 0 ? NULL : PyList_New(count);
    for (Py_ssize_t i = 0; list && i < count; i++, reader->at += PLAIN_NUMBER) {
        PyObject *item = tag == TAG_FLOATS ? PyFloat_FromDouble(wire_get_float(reader->at))
                                           : PyLong_FromLongLong(wire_get_int(reader->at));
        if (unlikely(!item))
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, i, item);
    }
    return list;
}

static PyObject *decode_dict(Reader *reader) {
    Py_ssize_t count = items_to_come(reader);
    PyObject *dict = count < 0 ? NULL : PyDict_New();
    for (Py_ssize_t i = 0; dict && i < count; i++) {
        PyObject *key, *item = NULL;
        if (likely(reader_holds(reader, TAG_FORM) && wire_get_tag(reader->at) == TAG_SHORT_STR)) {
            reader->at += TAG_FORM;
            key = short_key(reader);
        } else
            key = decode_value(reader);
        if (likely(key != NULL))
            item = decode_value(reader);
        if (unlikely(!item))
            Py_CLEAR(dict);
        else if (unlikely(PyDict_SetItem(dict, key, item) < 0)) {
            damaged_by(PyExc_TypeError);
            Py_CLEAR(dict);
        }
        Py_XDECREF(key);
        Py_XDECREF(item);
    }
    return dict;
}

static PyObject *decode_set(Reader *reader, PyObject *set) {
    Py_ssize_t count = set ? items_to_come(reader) : -1;
    if (count < 0)
        Py_CLEAR(set);
    for (Py_ssize_t i = 0; set && i < count; i++) {
        PyObject *item = decode_value(reader);
        if (!item)
            Py_CLEAR(set);
        else if (PySet_Add(set, item) < 0) {
            damaged_by(PyExc_TypeError);
            Py_CLEAR(set);
        }
        Py_XDECREF(item);
    }
    return set;
}

static PyObject *decode_container(Reader *reader, int tag) {
    if (unlikely(reader->depth == DEEPEST))
        return raise_damaged();
    PyObject *made;
    reader->depth++;
    switch (tag) {
    case TAG_TUPLE:
        made = decode_tuple(reader);
        break;
    case TAG_LIST:
        made = decode_list(reader);
        break;
    case TAG_DICT:
        made = decode_dict(reader);
        break;
    case TAG_SET:
        made = decode_set(reader, PySet_New(NULL));
        break;
    case TAG_INSTANCE:
        made = decode_instance(reader);
        break;
    default:
        made = decode_set(reader, PyFrozenSet_New(NULL));
    }
    reader->depth--;
    return made;
}

static PyObject *decode_array(Reader *reader) {
    ArrayForm form;
    if (read_array(reader, &form) < 0)
        return NULL;
    return form.head.container == CONTAINER_NDARRAY ? decode_ndarray(reader, &form)
                                                    : decode_buffer(reader, &form);
}

PyObject *decode_value(Reader *reader) {
    if (unlikely(!reader_holds(reader, TAG_FORM)))
        return raise_damaged();
    int tag = wire_get_tag(reader->at);
    if (tag == TAG_ROW || tag == TAG_ARRAY)
        return decode_array(reader);
    reader->at += TAG_FORM;
    switch (tag) {
    case TAG_NONE:
        return Py_NewRef(Py_None);
    case TAG_FALSE:
        return Py_NewRef(Py_False);
    case TAG_TRUE:
        return Py_NewRef(Py_True);
    case TAG_INT:
        return decode_int(reader);
    case TAG_BIG_INT:
        return decode_big_int(reader);
    case TAG_FLOAT:
        return decode_float(reader);
    case TAG_COMPLEX:
        return decode_complex(reader);
    case TAG_SHORT_STR:
        return decode_short_str(reader);
    case TAG_STR:
        return decode_str(reader);
    case TAG_BYTES:
        return decode_bytes(reader);
    case TAG_TUPLE:
    case TAG_LIST:
    case TAG_DICT:
    case TAG_SET:
    case TAG_FROZENSET:
    case TAG_INSTANCE:
        return decode_container(reader, tag);
    case TAG_INTS:
    case TAG_FLOATS:
        return decode_numbers(reader, tag);
    case TAG_NUMPY_SCALAR:
        return decode_scalar(reader);
    case TAG_FOREIGN:
        return decode_foreign(reader);
    case TAG_PICKLE:
        return decode_pickle(reader);
    default:
        return raise_damaged();
    }
}

bool plain_pickles;

/* Whether this is a pickle as pickle.dumps makes it, which begins with the opcode of its protocol; or
 * nothing, which stands for None. */
static bool is_plain_pickle(const char *bytes, Py_ssize_t nbytes) {
    return nbytes == 0 || wire_get_tag(bytes) == 0x80;
}

PyObject *codec_decode(const char *bytes, Py_ssize_t nbytes, Arrived *parts, int part_count) {
    if (unlikely(plain_pickles) && unlikely(is_plain_pickle(bytes, nbytes)))
        return nbytes ? unpickled(bytes, nbytes) : Py_NewRef(Py_None);
    Reader reader = {.at = bytes, .end = bytes + nbytes, .parts = parts, .part_count = part_count};
    PyObject *value = decode_value(&reader);
    if (unlikely(value && (reader.at != reader.end || reader.next_part != part_count))) {
        Py_DECREF(value);
        return raise_damaged();
    }
    return value;
}
