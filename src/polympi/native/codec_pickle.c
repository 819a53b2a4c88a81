/* Everything without a form of its own: pickled with protocol 5 (PEP 574), its large buffers beside the
 * stream.
 *
 * uint64 bytes of the pickle, uint64 number of buffers, uint64 bytes of each; then the pickle and the
 * buffers, those of PART_BYTES and more apart.
 */
#include "pool.h"
#include "stream.h"

static struct {
    PyObject *dumps, *loads, *protocol; /* of the module pickle, and the number 5 */
    PyObject *dumps_keywords, *loads_keywords;
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
    if (!pickle.dumps_keywords)
        pickle.dumps_keywords = Py_BuildValue("(s)", "buffer_callback");
    Py_DECREF(module);
    if (pickle.dumps && pickle.loads && pickle.protocol && pickle.dumps_keywords)
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

/* The pickle; `buffers` is a list, which is given the PickleBuffers. */
static PyObject *pickled_apart(PyObject *value, PyObject *buffers) {
    PyObject *append = get_attribute(buffers, NAME("append"));
    if (!append)
        return NULL;
    PyObject *arguments[] = {value, pickle.protocol, append};
    PyObject *made = PyObject_Vectorcall(pickle.dumps, arguments, 2, pickle.dumps_keywords);
    Py_DECREF(append);
    return made;
}

/* Memory beside the stream or in it. */
static int put_memory(Stream *stream, char *data, Py_ssize_t nbytes, PyObject *owner) {
    if (nbytes >= PART_BYTES)
        return stream_part(stream, data, nbytes, Py_NewRef(owner), false);
    char *at = stream_reserve(stream, nbytes);
    if (!at)
        return -1;
    if (nbytes)
        memcpy(at, data, (size_t)nbytes);
    return 0;
}

/* `buffers` is a list of memoryviews of contiguous bytes. */
static int put_pickle(Stream *stream, PyObject *made, PyObject *buffers) {
    Py_ssize_t count = PyList_GET_SIZE(buffers);
    char *at = stream_reserve(stream, LENGTH_FORM + (count + 1) * (Py_ssize_t)sizeof(uint64_t));
    if (!at)
        return -1;
    put_length(at, TAG_PICKLE, PyBytes_GET_SIZE(made));
    Py_ssize_t number = count;
    memcpy(at + LENGTH_FORM, &number, sizeof number);
    at += LENGTH_FORM + sizeof number;
    for (Py_ssize_t i = 0; i < count; i++, at += sizeof number)
        memcpy(at, &PyMemoryView_GET_BUFFER(PyList_GET_ITEM(buffers, i))->len, sizeof number);
    if (put_memory(stream, PyBytes_AS_STRING(made), PyBytes_GET_SIZE(made), made) < 0)
        return -1;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *view = PyList_GET_ITEM(buffers, i);
        if (put_memory(stream, PyMemoryView_GET_BUFFER(view)->buf, PyMemoryView_GET_BUFFER(view)->len, view) <
            0)
            return -1;
    }
    return 0;
}

/* Replace PickleBuffers by memoryviews of their bytes. */
static int open_buffers(PyObject *buffers) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(buffers); i++) {
        PyObject *view = call_method(PyList_GET_ITEM(buffers, i), NAME("raw"));
        if (!view || PyList_SetItem(buffers, i, view) < 0)
            return -1;
    }
    return 0;
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

/* What cannot be pickled but has memory: a DLPack object arrives as an ndarray, others as a memoryview. */
static int encode_memory(Stream *stream, PyObject *value) {
    Encoder encoder = {.stream = stream};
    if (PyObject_CheckBuffer(value))
        return encode_buffer(&encoder, value, CONTAINER_MEMORYVIEW);
    PyObject *array = has_dlpack(value) ? foreign_array(value) : NULL;
    int outcome = array ? encode_ndarray(&encoder, array) : TO_PICKLE;
    Py_XDECREF(array);
    return outcome;
}

/* With the exception of pickle set: 0, or -1 with that exception. */
static int encode_unpicklable(Stream *stream, PyObject *value) {
    if (PyErr_ExceptionMatches(PyExc_Exception)) {
        PyObject *type, *error, *traceback;
        PyErr_Fetch(&type, &error, &traceback);
        if (encode_memory(stream, value) == ENCODED) {
            Py_XDECREF(type);
            Py_XDECREF(error);
            Py_XDECREF(traceback);
            return 0;
        }
        PyErr_Clear();
        PyErr_Restore(type, error, traceback);
    }
    note_object(value);
    return -1;
}

int encode_pickle(Stream *stream, PyObject *value) {
    if (pickle_ready() < 0)
        return -1;
    Py_ssize_t used = stream->used;
    int part_count = stream->part_count, failed = -1;
    PyObject *buffers = PyList_New(0), *made = buffers ? pickled_apart(value, buffers) : NULL;
    if (made && open_buffers(buffers) == 0)
        failed = put_pickle(stream, made, buffers);
    Py_XDECREF(made);
    Py_XDECREF(buffers);
    if (likely(!failed))
        return 0;
    stream_rewind(stream, used, part_count);
    return encode_unpicklable(stream, value);
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

/* `lengths` are `count` lengths. */
static PyObject *take_buffers(Reader *reader, Py_ssize_t count, Reader lengths) {
    PyObject *buffers = PyList_New(count);
    for (Py_ssize_t i = 0; buffers && i < count; i++) {
        Py_ssize_t nbytes = reader_length(&lengths);
        PyObject *buffer = nbytes < 0 ? NULL : take_buffer(reader, nbytes);
        if (buffer)
            PyList_SET_ITEM(buffers, i, buffer);
        else
            Py_CLEAR(buffers);
    }
    return buffers;
}

PyObject *decode_pickle(Reader *reader) {
    Py_ssize_t nbytes = reader_length(reader);
    Py_ssize_t count = nbytes < 0 ? -1 : reader_length(reader);
    if (count < 0)
        return NULL;
    if (count > (reader->end - reader->at) / (Py_ssize_t)sizeof(uint64_t))
        return raise_damaged();
    Reader lengths = *reader;
    reader->at += count * (Py_ssize_t)sizeof(uint64_t);
    const char *data = reader_data(reader, nbytes);
    if (!data)
        return NULL;
    if (!count)
        return load(data, nbytes, NULL);
    PyObject *buffers = take_buffers(reader, count, lengths);
    return buffers ? load(data, nbytes, buffers) : NULL;
}
