/* Everything without a special form: pickled with protocol 5 (PEP 574), with what lies in memory alongside
 * the pickle.
 *
 * The entries of a TAG_PICKLE come in the order in which the pickle asks for them, each a value in a form of
 * its own (pickler.c) or a TAG_BUFFER; then comes the pickle.
 */
#include "codec/stream.h"
#include "memory/pool.h"

static struct {
    PyObject *dumps, *loads, *protocol; /* of the module pickle, and the number 5 */
    PyObject *loads_keywords;
} pickle;

/* Import pickle on first use: 0 or -1. */
static int pickle_ready(void) {
    if (likely(pickle.loads_keywords != NULL))
        return 0;
    PyObject *module = PyImport_ImportModule("pickle");
    if (!module)
        return -1;
    if (!pickle.dumps)
        pickle.dumps = PyObject_GetAttrString(module, "dumps");
    if (!pickle.loads)
        pickle.loads = PyObject_GetAttrString(module, "loads");
    if (!pickle.protocol)
        pickle.protocol = PyLong_FromLong(5);
    Py_DECREF(module);
    if (pickle.dumps && pickle.loads && pickle.protocol)
        pickle.loads_keywords = Py_BuildValue("(s)", "buffers");
    return pickle.loads_keywords ? 0 : -1;
}

/* ---- encoding ---- */

PyObject *pickled(PyObject *value) {
    if (pickle_ready() < 0)
        return NULL;
    PyObject *arguments[] = {value, pickle.protocol};
    return PyObject_Vectorcall(pickle.dumps, arguments, 2, NULL);
}

/* Add a note to the exception that is set: which object could not be sent. */
static void note_object(PyObject *value) {
#if PY_VERSION_HEX >= 0x030B0000
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyErr_NormalizeException(&type, &error, &traceback);
    PyObject *note = PyUnicode_FromFormat("an object of type %s could not be sent", Py_TYPE(value)->tp_name);
    PyObject *done = call_method_with(error, NAME("add_note"), note);
    Py_XDECREF(note);
    Py_XDECREF(done);
    PyErr_Clear();
    PyErr_Restore(type, error, traceback);
#else
    (void)value;
#endif
}

int encode_memory(Stream *stream, PyObject *value) {
    Encoder encoder;
    encoder_start(&encoder, stream);
    if (PyObject_CheckBuffer(value))
        return encode_buffer(&encoder, value, CONTAINER_MEMORYVIEW);
    PyObject *array = is_foreign(value) ? foreign_array(value) : NULL;
    int outcome = array ? encode_ndarray(&encoder, array) : PyErr_Occurred() ? FAILED : TO_PICKLE;
    Py_XDECREF(array);
    return outcome;
}

/* The value as its memory, or pickled with such objects in it as theirs: 0, or -1 with an exception. */
static int encode_as_memory(Stream *stream, PyObject *value) {
    Py_ssize_t used = stream->used;
    int part_count = stream->part_count;
    if (encode_memory(stream, value) == ENCODED)
        return 0;
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_Exception))
        return -1;
    PyErr_Clear();
    stream_rewind(stream, used, part_count);
    bool gives_memory;
    PyObject *tried = PyDict_New();
    int failed = tried ? pickle_apart(stream, value, tried, &gives_memory) : -1;
    Py_XDECREF(tried);
    return failed;
}

int encode_pickle(Stream *stream, PyObject *value) {
    Py_ssize_t used = stream->used;
    int part_count = stream->part_count;
    bool gives_memory;
    if (likely(pickle_apart(stream, value, NULL, &gives_memory) == 0))
        return 0;
    stream_rewind(stream, used, part_count);
    if (gives_memory && PyErr_ExceptionMatches(PyExc_Exception)) {
        PyErr_Clear(); /* if it was not about what gives memory, it comes again */
        if (encode_as_memory(stream, value) == 0)
            return 0;
        stream_rewind(stream, used, part_count);
    }
    note_object(value);
    return -1;
}

/* ---- decoding ---- */

/* pickle.loads; takes over `buffers`, which may be NULL. */
static PyObject *load(const char *data, Py_ssize_t nbytes, PyObject *buffers) {
    PyObject *view = pickle_ready() < 0 ? NULL : PyMemoryView_FromMemory((char *)data, nbytes, PyBUF_READ);
    PyObject *arguments[] = {view, buffers};
    PyObject *value = NULL;
    if (view)
        value = PyObject_Vectorcall(pickle.loads, arguments, 1, buffers ? pickle.loads_keywords : NULL);
    Py_XDECREF(view);
    Py_XDECREF(buffers);
    return value;
}

PyObject *unpickled(const char *data, Py_ssize_t nbytes) { return load(data, nbytes, NULL); }

PyObject *unpickled_with(const char *data, Py_ssize_t nbytes, PyObject *state) {
    PyObject *buffers = state ? PyTuple_Pack(1, state) : NULL;
    Py_XDECREF(state);
    return buffers ? load(data, nbytes, buffers) : NULL;
}

/* A buffer for the object to own. */
static PyObject *take_buffer(Reader *reader, Py_ssize_t nbytes) {
    if (nbytes < PART_BYTES) {
        const char *data = reader_take(reader, (uint64_t)nbytes);
        return data ? PyByteArray_FromStringAndSize(data, nbytes) : NULL;
    }
    Arrived *part = reader_part(reader, nbytes);
    if (!part)
        return NULL;
    part->taken = true;
    return pool_memory(part->data, nbytes);
}

/* What lies alongside a pickle: no other pickles, so that a damaged message cannot nest them without end. */
static PyObject *decode_entry(Reader *reader) {
    if (!reader_holds(reader, TAG_FORM))
        return raise_damaged();
    switch (wire_get_tag(reader->at)) {
    case TAG_ARRAY:
    case TAG_ROW:
    case TAG_NUMPY_SCALAR:
    case TAG_FOREIGN:
        return decode_value(reader);
    case TAG_BUFFER:
        reader->at += TAG_FORM;
        Py_ssize_t nbytes = reader_length(reader);
        return nbytes < 0 ? NULL : take_buffer(reader, nbytes);
    default:
        return raise_damaged();
    }
}

static PyObject *decode_entries(Reader *reader, Py_ssize_t count) {
    PyObject *entries = PyList_New(count);
    for (Py_ssize_t i = 0; entries && i < count; i++) {
        PyObject *entry = decode_entry(reader);
        if (entry)
            PyList_SET_ITEM(entries, i, entry);
        else
            Py_CLEAR(entries);
    }
    return entries;
}

PyObject *decode_pickle(Reader *reader) {
    Py_ssize_t count = reader_length(reader);
    Py_ssize_t nbytes = count < 0 ? -1 : reader_length(reader);
    if (nbytes < 0)
        return NULL;
    if (count > reader->end - reader->at)
        return raise_damaged();
    PyObject *entries = count ? decode_entries(reader, count) : NULL;
    const char *data = count && !entries ? NULL : reader_data(reader, nbytes);
    if (!data) {
        Py_XDECREF(entries);
        return NULL;
    }
    return load(data, nbytes, entries);
}
