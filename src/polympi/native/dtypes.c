/* Dtypes other than native numbers, as pickles: a cache each way, as pickling a dtype takes longer than a
 * message. */
#include "numpy_api.h"
#include "stream.h"

enum { CACHED = 8, LONGEST_CACHED = 4096 };

/* A dtype of a structure can be changed in place, by assigning to its `names`, which replaces the tuple of
 * them. */
typedef struct {
    PyArray_Descr *dtype;
    PyObject *names;
    PyObject *pickle;
} Entry;
static Entry sent[CACHED], received[CACHED];
static unsigned next_sent, next_received;

static bool is_current(const Entry *entry) { return PyDataType_NAMES(entry->dtype) == entry->names; }

static void enter(Entry *entry, PyArray_Descr *dtype, PyObject *pickle) {
    Entry old = *entry;
    *entry = (Entry){dtype, PyDataType_NAMES(dtype), pickle};
    Py_INCREF(dtype);
    Py_XINCREF(entry->names);
    Py_INCREF(pickle);
    Py_XDECREF(old.dtype);
    Py_XDECREF(old.names);
    Py_XDECREF(old.pickle);
}

/* Older NumPy gives an empty dict to dtypes that were pickled. */
static bool has_metadata(const PyArray_Descr *dtype) {
    PyObject *metadata = PyDataType_METADATA(dtype);
    return metadata && !(PyDict_CheckExact(metadata) && PyDict_GET_SIZE(metadata) == 0);
}

/* Whether a dtype is fully said by its pickle and pickling it runs no code of the user: no objects, metadata,
 * titles, other types of records, nested structures (whose names could change unseen). */
static bool is_plain(PyArray_Descr *dtype, bool in_structure) {
    if (!PyDataType_ISLEGACY(dtype) || dtype->type_num > NPY_HALF || has_metadata(dtype) ||
        PyDataType_FLAGS(dtype) & (NPY_ITEM_REFCOUNT | NPY_ITEM_IS_POINTER | NPY_LIST_PICKLE))
        return false;
    PyArray_ArrayDescr *block = PyDataType_SUBARRAY(dtype);
    if (block)
        return in_structure && is_plain(block->base, true);
    if (dtype->type_num != NPY_VOID)
        return true;
    if (dtype->typeobj != &PyVoidArrType_Type)
        return false;
    PyObject *names = PyDataType_NAMES(dtype), *fields = PyDataType_FIELDS(dtype);
    if (!names)
        return true;
    if (in_structure || !PyTuple_CheckExact(names))
        return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
        PyObject *field = PyDict_GetItemWithError(fields, PyTuple_GET_ITEM(names, i));
        if (!field || PyTuple_GET_SIZE(field) != 2 ||
            !is_plain((PyArray_Descr *)PyTuple_GET_ITEM(field, 0), true))
            return false;
    }
    return true;
}

/* Whether two dtypes without fields have the same pickle: NumPy makes a new one for most arrays of text or
 * times. */
static bool are_alike(PyArray_Descr *known, PyArray_Descr *dtype) {
    if (known->type_num != dtype->type_num || known->byteorder != dtype->byteorder ||
        PyDataType_ELSIZE(known) != PyDataType_ELSIZE(dtype) || known->typeobj != dtype->typeobj)
        return false;
    if (PyDataType_NAMES(known) || PyDataType_NAMES(dtype) || has_metadata(dtype))
        return false;
    return !PyTypeNum_ISDATETIME(dtype->type_num) || PyArray_EquivTypes(known, dtype);
}

PyObject *dtype_description(PyObject *object) {
    PyArray_Descr *dtype = (PyArray_Descr *)object;
    for (int i = 0; i < CACHED; i++)
        if (sent[i].dtype == dtype && is_current(&sent[i]))
            return sent[i].pickle;
    for (int i = 0; i < CACHED && PyDataType_ISLEGACY(dtype); i++)
        if (sent[i].dtype && are_alike(sent[i].dtype, dtype))
            return sent[i].pickle;
    Py_ssize_t itemsize = PyDataType_ELSIZE(dtype);
    PyObject *pickle = NULL;
    if (itemsize > 0 && itemsize <= UINT32_MAX && is_plain(dtype, false))
        pickle = pickled(object);
    if (!pickle || PyBytes_GET_SIZE(pickle) > LONGEST_CACHED) {
        PyErr_Clear(); /* pickling the array meets the same error again */
        Py_XDECREF(pickle);
        return NULL;
    }
    enter(&sent[next_sent], dtype, pickle);
    Py_DECREF(pickle);
    pickle = sent[next_sent].pickle;
    next_sent = (next_sent + 1) % CACHED;
    return pickle;
}

/* A dtype of its own for every array of structures, since its names can be changed. */
static PyObject *for_one_array(PyArray_Descr *dtype) {
    return PyDataType_NAMES(dtype) ? (PyObject *)PyArray_DescrNew(dtype) : Py_NewRef((PyObject *)dtype);
}

PyObject *described_dtype(const char *description, Py_ssize_t length) {
    for (int i = 0; i < CACHED; i++) {
        Entry *entry = &received[i];
        if (entry->pickle && PyBytes_GET_SIZE(entry->pickle) == length &&
            memcmp(PyBytes_AS_STRING(entry->pickle), description, (size_t)length) == 0)
            return for_one_array(entry->dtype);
    }
    PyObject *made = unpickled(description, length);
    if (!made)
        return NULL;
    if (!PyArray_DescrCheck(made) || !is_plain((PyArray_Descr *)made, false)) {
        Py_DECREF(made);
        return raise_damaged();
    }
    PyObject *pickle = PyBytes_FromStringAndSize(description, length), *dtype = NULL;
    if (pickle) {
        enter(&received[next_received], (PyArray_Descr *)made, pickle);
        next_received = (next_received + 1) % CACHED;
        dtype = for_one_array((PyArray_Descr *)made);
    }
    Py_DECREF(made);
    Py_XDECREF(pickle);
    return dtype;
}
