/* Arrays of other libraries, by the array API's DLPack: sent without a copy as an ndarray, and made again by
 * the from_dlpack of their library. Those on a device are copied from it and to it by polympi.devices.
 *
 * TAG_FOREIGN, uint64 bytes of the name of a module, the name, a TAG_ARRAY. The name of what was on a device
 * has a colon in it, and is understood by polympi.devices.
 */
#include "codec/numpy_api.h"

#include "base/errors.h"
#include "codec/stream.h"

/* DLDeviceType of dlpack.h: memory the CPU can read, also that which is pinned for a GPU. */
static bool is_cpu(long device) { return device == 1 || device == 3 || device == 11; }

enum { CUDA = 2 };

static const char *device_name(long device) {
    return device == CUDA || device == 13 ? "CUDA"
           : device == 10                 ? "ROCm"
           : device == 8                  ? "Metal"
                                          : "another device";
}

/* By the dictionaries of its classes: a look-up that fails would make an exception, for every object that is
 * pickled. */
bool is_foreign(PyObject *object) {
    PyObject *names[] = {NAME("__dlpack__"), NAME("__cuda_array_interface__")};
    if (!names[0] || !names[1]) {
        PyErr_Clear();
        return false;
    }
    PyObject *classes = Py_TYPE(object)->tp_mro;
    for (Py_ssize_t i = 0; classes && i < PyTuple_GET_SIZE(classes); i++) {
        PyObject *attributes =
            ((PyTypeObject *)PyTuple_GET_ITEM(classes, i))->tp_dict; /* NULL in Python's own */
        if (attributes &&
            (PyDict_GetItemWithError(attributes, names[0]) || PyDict_GetItemWithError(attributes, names[1])))
            return true;
    }
    return false;
}

/* 1 when it lies where the CPU can read it, 0 when not (with *device), -1 with an exception. */
static int on_cpu(PyObject *object, long *device) {
    PyObject *name = NAME("__dlpack_device__");
    if (name && !PyObject_HasAttr((PyObject *)Py_TYPE(object), name)) {
        *device = CUDA;
        return 0;
    }
    PyObject *pair = call_method(object, NAME("__dlpack_device__"));
    PyObject *type = pair ? PySequence_GetItem(pair, 0) : NULL, *number = type ? PyNumber_Index(type) : NULL;
    *device = number ? PyLong_AsLong(number) : -1;
    Py_XDECREF(pair);
    Py_XDECREF(type);
    Py_XDECREF(number);
    return *device == -1 && PyErr_Occurred() ? -1 : is_cpu(*device);
}

static PyObject *by_numpy(PyObject *object) {
    PyObject *numpy = numpy_loaded(true) ? PyImport_ImportModule("numpy") : NULL;
    PyObject *array = call_method_with(numpy, NAME("from_dlpack"), object);
    Py_XDECREF(numpy);
    if (array && !PyArray_Check(array)) {
        Py_CLEAR(array);
        PyErr_SetString(PyExc_TypeError, "numpy.from_dlpack returned no ndarray");
    }
    return array;
}

PyObject *foreign_array(PyObject *object) {
    long device;
    int readable = on_cpu(object, &device);
    if (!readable)
        raise_error("MismatchError", NULL,
                    "this %s lies on %s (DLPack device type %ld): copy it to the CPU first",
                    Py_TYPE(object)->tp_name, device_name(device), device);
    return readable == 1 ? by_numpy(object) : NULL;
}

/* ---- on a device ---- */

/* Raise MismatchError with the reason of a BufferError; other exceptions stay, such as out of memory. */
static void explain_device(PyObject *object, long device) {
    if (!PyErr_ExceptionMatches(PyExc_BufferError))
        return;
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyErr_NormalizeException(&type, &error, &traceback);
    raise_error("MismatchError", NULL, "this %s lies on %s (DLPack device type %ld): %S",
                Py_TYPE(object)->tp_name, device_name(device), device, error);
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(traceback);
}

static PyObject *devices(void) {
    return numpy_loaded(true) ? PyImport_ImportModule("polympi.devices") : NULL;
}

/* Whether an object is an array there; what can't say where it is isn't. An exception only if the program
 * ends. */
static bool lies_on_device(PyObject *object, long *device) {
    int readable = is_foreign(object) ? on_cpu(object, device) : 1;
    if (readable < 0 && PyErr_ExceptionMatches(PyExc_Exception))
        PyErr_Clear();
    return readable == 0;
}

/* Of an array on a device, (name, ndarray), or None where its library has to pickle it: a new reference. */
static PyObject *host_copy(PyObject *object, long device) {
    PyObject *module = devices(), *copy = call_method_with(module, NAME("to_host"), object);
    Py_XDECREF(module);
    if (!copy)
        explain_device(object, device);
    return copy;
}

PyObject *on_device(PyObject *object) {
    long device;
    PyObject *copy = lies_on_device(object, &device) ? host_copy(object, device) : NULL;
    if (copy == Py_None)
        Py_CLEAR(copy);
    return copy;
}

/* Host memory to receive into. */
static PyObject *memory_for(PyObject *object, long device) {
    PyObject *module = devices(), *memory = call_method_with(module, NAME("memory_for"), object);
    Py_XDECREF(module);
    if (!memory)
        explain_device(object, device);
    return memory;
}

/* The elements of an array that its library copies. */
static PyObject *elements_of(PyObject *object, long device) {
    PyObject *copy = host_copy(object, device), *array = NULL;
    if (copy == Py_None)
        array = foreign_array(object);
    else if (copy)
        array = Py_NewRef(PyTuple_GET_ITEM(copy, 1));
    Py_XDECREF(copy);
    return array;
}

int foreign_memory(PyObject *object, bool sends, PyObject **array) {
    long device;
    int readable = on_cpu(object, &device);
    *array = readable < 0 ? NULL
             : readable   ? by_numpy(object)
             : sends      ? elements_of(object, device)
                          : memory_for(object, device);
    return *array ? !readable : -1;
}

PyObject *direct_memory(PyObject *object) {
    long device;
    if (!lies_on_device(object, &device))
        return NULL;
    PyObject *module = devices(), *memory = call_method_with(module, NAME("direct"), object);
    Py_XDECREF(module);
    if (!memory)
        explain_device(object, device);
    if (memory == Py_None)
        Py_CLEAR(memory);
    return memory;
}

int direct_read(PyObject *array, char *to, Py_ssize_t nbytes) {
    PyObject *module = devices(), *copy = call_method_with(module, NAME("read"), array);
    Py_XDECREF(module);
    if (copy)
        memcpy(to, PyArray_BYTES((PyArrayObject *)copy), (size_t)nbytes);
    Py_XDECREF(copy);
    return copy ? 0 : -1;
}

PyObject *device_array(PyObject *name, PyObject *array) {
    PyObject *module = devices(), *to_device = NAME("to_device"), *made = NULL;
    if (module && to_device)
        made = PyObject_CallMethodObjArgs(module, to_device, name, array, NULL);
    Py_XDECREF(module);
    return made;
}

PyObject *copy_to_device(const Target *target, Py_ssize_t count) {
    PyObject *module = devices();
    PyObject *done =
        module ? PyObject_CallMethod(module, "fill", "OOn", target->object, target->array, count) : NULL;
    Py_XDECREF(module);
    if (!done)
        return NULL;
    Py_DECREF(done);
    return Py_NewRef(target->object);
}

/* ---- encoding ---- */

/* The module whose from_dlpack makes such an object: its array namespace, or the package of its type. NULL
 * without an exception where neither has one. */
static PyObject *maker(PyObject *object) {
    PyObject *name = NULL, *module = call_method(object, NAME("__array_namespace__"));
    if (module)
        name = get_attribute(module, NAME("__name__"));
    else if (PyErr_ExceptionMatches(PyExc_Exception)) {
        PyErr_Clear();
        PyObject *full = get_attribute((PyObject *)Py_TYPE(object), NAME("__module__"));
        PyObject *parts = call_method_with(full, NAME("partition"), NAME("."));
        name = parts ? PySequence_GetItem(parts, 0) : NULL;
        module = name ? PyImport_GetModule(name) : NULL;
        Py_XDECREF(full);
        Py_XDECREF(parts);
    }
    bool named = module && name && PyUnicode_CheckExact(name);
    PyObject *function = named ? get_attribute(module, NAME("from_dlpack")) : NULL;
    if (!function)
        Py_CLEAR(name);
    Py_XDECREF(function);
    Py_XDECREF(module);
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception))
        PyErr_Clear();
    return name;
}

static int put_foreign(Encoder *encoder, PyObject *name, PyObject *array) {
    Py_ssize_t nbytes;
    const char *text = PyUnicode_AsUTF8AndSize(name, &nbytes);
    char *at = text ? stream_reserve(encoder->stream, LENGTH_FORM + nbytes) : NULL;
    if (!at)
        return FAILED;
    wire_put_length(at, TAG_FOREIGN, nbytes);
    memcpy(at + LENGTH_FORM, text, (size_t)nbytes);
    return encode_ndarray(encoder, array);
}

/* Without a copy: an enum outcome, TO_PICKLE if only a copy can be sent. */
static int encode_direct(Encoder *encoder, PyObject *value) {
    PyObject *memory = encoder->stream->direct ? direct_memory(value) : NULL;
    if (!memory)
        return PyErr_Occurred() ? FAILED : TO_PICKLE;
    PyObject *name = PyTuple_GET_ITEM(memory, 0), *array = PyTuple_GET_ITEM(memory, 1);
    int outcome = TO_PICKLE;
    if (PyArray_NBYTES((PyArrayObject *)array) >= PART_BYTES) {
        outcome = put_foreign(encoder, name, array);
        if (outcome == ENCODED)
            encoder->stream->parts[encoder->stream->part_count - 1].on_device = true;
    }
    Py_DECREF(memory);
    return outcome;
}

static int encode_device(Encoder *encoder, PyObject *value, long device) {
    int direct = encode_direct(encoder, value);
    if (direct != TO_PICKLE)
        return direct;
    PyObject *copy = host_copy(value, device);
    int outcome = !copy ? FAILED
                  : copy == Py_None
                      ? TO_PICKLE
                      : put_foreign(encoder, PyTuple_GET_ITEM(copy, 0), PyTuple_GET_ITEM(copy, 1));
    Py_XDECREF(copy);
    return outcome;
}

/* What says no to DLPack (a tensor with gradients, types without a number there) is pickled. */
int encode_foreign(Encoder *encoder, PyObject *value) {
    if (likely(!is_foreign(value)))
        return TO_PICKLE;
    encoder->gives_memory = true;
    if (mutable_met_before(encoder, value))
        return TO_PICKLE;
    long device;
    int readable = on_cpu(value, &device);
    if (readable == 0)
        return encode_device(encoder, value, device);
    PyObject *name = readable == 1 ? maker(value) : NULL, *array = name ? by_numpy(value) : NULL;
    int outcome = TO_PICKLE;
    if (array && Py_IS_TYPE(array, ndarray_type))
        outcome = put_foreign(encoder, name, array);
    else if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_Exception))
        outcome = FAILED;
    else
        PyErr_Clear();
    Py_XDECREF(name);
    Py_XDECREF(array);
    return outcome;
}

/* ---- decoding ---- */

/* The array as its library makes it; the ndarray itself where the library is not installed or has no
 * from_dlpack. */
static PyObject *remake(PyObject *array, PyObject *name) {
    if (PyUnicode_FindChar(name, ':', 0, PyUnicode_GET_LENGTH(name), 1) >= 0)
        return device_array(name, array);
    PyObject *module = PyImport_Import(name);
    PyObject *function = get_attribute(module, NAME("from_dlpack"));
    Py_XDECREF(module);
    if (!function) {
        if (!PyErr_ExceptionMatches(PyExc_ImportError) && !PyErr_ExceptionMatches(PyExc_AttributeError))
            return NULL;
        PyErr_Clear();
        return Py_NewRef(array);
    }
    PyObject *made = PyObject_CallOneArg(function, array);
    Py_DECREF(function);
    return made;
}

PyObject *decode_foreign(Reader *reader) {
    Py_ssize_t nbytes = reader_length(reader);
    const char *text = nbytes < 0 ? NULL : reader_take(reader, (uint64_t)nbytes);
    ArrayForm form;
    if (!text || read_array(reader, &form) < 0)
        return NULL;
    if (form.head.container != CONTAINER_NDARRAY || nbytes == 0)
        return raise_damaged();
    PyObject *name = PyUnicode_DecodeUTF8(text, nbytes, NULL), *array = NULL;
    if (name)
        array = decode_ndarray(reader, &form);
    else if (PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) {
        PyErr_Clear();
        return raise_damaged();
    }
    PyObject *made = array ? remake(array, name) : NULL;
    Py_XDECREF(name);
    Py_XDECREF(array);
    return made;
}
