/* Dtypes other than native numbers, and classes of arrays, as pickles: a cache each way, as pickling a dtype
 * takes longer than a message. */
#include "codec/numpy_api.h"
#include "codec/stream.h"

enum { CACHED = 8, LONGEST_CACHED = 1 << 16, DEEPEST_STRUCTURE = 32 };

/* A dtype of a structure can be changed in place, by assigning to its `names`, which replaces the tuple of
 * them. */
typedef struct {
    PyArray_Descr *dtype;
    PyTypeObject *class;  /* of the arrays */
    PyObject *structures; /* the dtypes of structures in it, and the names of each, in turn; NULL: none */
    PyObject *pickle;
} Entry;
static Entry sent[CACHED], received[CACHED];
static unsigned next_sent, next_received;

static bool is_current(const Entry *entry) {
    Py_ssize_t count = entry->structures ? PyList_GET_SIZE(entry->structures) : 0;
    for (Py_ssize_t i = 0; i < count; i += 2) {
        PyArray_Descr *structure = (PyArray_Descr *)PyList_GET_ITEM(entry->structures, i);
        if (PyDataType_NAMES(structure) != PyList_GET_ITEM(entry->structures, i + 1))
            return false;
    }
    return true;
}

/* Takes over nothing. */
static void enter(Entry *entry, const Entry *made) {
    Entry old = *entry;
    Py_INCREF(made->dtype);
    Py_INCREF(made->class);
    Py_XINCREF(made->structures);
    Py_INCREF(made->pickle);
    *entry = *made;
    Py_XDECREF(old.dtype);
    Py_XDECREF(old.class);
    Py_XDECREF(old.structures);
    Py_XDECREF(old.pickle);
}

/* ---- what a dtype is made of ---- */

bool has_metadata(PyObject *dtype) {
    PyObject *metadata = PyDataType_METADATA((PyArray_Descr *)dtype);
    /* older NumPy gives an empty dict to dtypes that were pickled */
    return metadata && !(PyDict_CheckExact(metadata) && PyDict_GET_SIZE(metadata) == 0);
}

typedef struct {
    PyObject *structures; /* as in an Entry */
    bool objects_about;   /* metadata, or titles, that may be any objects, and change */
} Examined;

static bool examine(PyArray_Descr *dtype, int depth, Examined *examined);

/* A field: (dtype, offset) or (dtype, offset, title). */
static bool examine_field(PyArray_Descr *structure, PyObject *field, int depth, Examined *examined) {
    if (!field || !PyTuple_CheckExact(field) || PyTuple_GET_SIZE(field) < 2 ||
        !PyArray_DescrCheck(PyTuple_GET_ITEM(field, 0)))
        return false;
    PyArray_Descr *dtype = (PyArray_Descr *)PyTuple_GET_ITEM(field, 0);
    Py_ssize_t offset = PyLong_AsSsize_t(PyTuple_GET_ITEM(field, 1));
    if (offset < 0 || offset > PyDataType_ELSIZE(structure) - PyDataType_ELSIZE(dtype))
        return false;
    if (PyTuple_GET_SIZE(field) > 2 && !PyUnicode_CheckExact(PyTuple_GET_ITEM(field, 2)))
        examined->objects_about = true;
    return examine(dtype, depth + 1, examined);
}

/* Whether the elements are plain memory, which the pickle of the dtype describes. False with an exception
 * where memory lacks. */
static bool examine(PyArray_Descr *dtype, int depth, Examined *examined) {
    const uint64_t objects = NPY_ITEM_REFCOUNT | NPY_ITEM_IS_POINTER | NPY_LIST_PICKLE;
    if (!PyDataType_ISLEGACY(dtype) || depth > DEEPEST_STRUCTURE || PyDataType_FLAGS(dtype) & objects)
        return false;
    examined->objects_about |= has_metadata((PyObject *)dtype);
    PyArray_ArrayDescr *subarray = PyDataType_SUBARRAY(dtype);
    if (subarray)
        return depth > 0 && examine(subarray->base, depth + 1, examined);
    PyObject *names = PyDataType_NAMES(dtype), *fields = PyDataType_FIELDS(dtype);
    if (!names)
        return true;
    if (!PyTuple_CheckExact(names) || (!examined->structures && !(examined->structures = PyList_New(0))) ||
        PyList_Append(examined->structures, (PyObject *)dtype) < 0 ||
        PyList_Append(examined->structures, names) < 0)
        return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++)
        if (!examine_field(dtype, PyDict_GetItemWithError(fields, PyTuple_GET_ITEM(names, i)), depth,
                           examined))
            return false;
    return true;
}

/* NumPy makes strings of no characters those of one. */
static bool has_fit_size(PyArray_Descr *dtype) {
    Py_ssize_t itemsize = PyDataType_ELSIZE(dtype);
    return itemsize <= UINT32_MAX && (itemsize > 0 || dtype->type_num == NPY_VOID);
}

/* ---- sending ---- */

/* Whether two dtypes without fields have the same pickle: NumPy makes a new one for most arrays of text or
 * times. */
static bool are_alike(PyArray_Descr *known, PyArray_Descr *dtype) {
    if (known->type_num != dtype->type_num || known->byteorder != dtype->byteorder ||
        PyDataType_ELSIZE(known) != PyDataType_ELSIZE(dtype) || known->typeobj != dtype->typeobj)
        return false;
    if (PyDataType_NAMES(known) || PyDataType_NAMES(dtype) || has_metadata((PyObject *)dtype) ||
        !PyDataType_ISLEGACY(dtype) || PyTypeNum_ISUSERDEF(dtype->type_num))
        return false;
    return !PyTypeNum_ISDATETIME(dtype->type_num) || PyArray_EquivTypes(known, dtype);
}

static PyObject *known_description(PyArray_Descr *dtype, PyTypeObject *class) {
    for (int i = 0; i < CACHED; i++)
        if (sent[i].dtype == dtype && sent[i].class == class && is_current(&sent[i]))
            return Py_NewRef(sent[i].pickle);
    for (int i = 0; i < CACHED; i++)
        if (sent[i].dtype && sent[i].class == class && are_alike(sent[i].dtype, dtype))
            return Py_NewRef(sent[i].pickle);
    return NULL;
}

PyObject *dtype_description(PyObject *object, PyTypeObject *class) {
    PyArray_Descr *dtype = (PyArray_Descr *)object;
    PyObject *pickle = known_description(dtype, class);
    if (likely(pickle != NULL))
        return pickle;
    Examined examined = {NULL, false};
    if (has_fit_size(dtype) && examine(dtype, 0, &examined)) {
        PyObject *pair = class == ndarray_type ? Py_NewRef(object) : PyTuple_Pack(2, object, class);
        pickle = pair ? pickled(pair) : NULL;
        Py_XDECREF(pair);
    }
    if (pickle && !examined.objects_about && PyBytes_GET_SIZE(pickle) <= LONGEST_CACHED) {
        const Entry entry = {dtype, class, examined.structures, pickle};
        enter(&sent[next_sent], &entry);
        next_sent = (next_sent + 1) % CACHED;
    }
    Py_XDECREF(examined.structures);
    if (!pickle && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception))
        PyErr_Clear(); /* pickling the array meets the same error again */
    return pickle;
}

/* ---- receiving ---- */

/* Whether a structure has others in it. */
static bool is_nested(PyObject *structures) { return structures && PyList_GET_SIZE(structures) > 2; }

/* A new dtype for every array of structures, since its names can be changed. */
static PyObject *for_one_array(PyArray_Descr *dtype) {
    return PyDataType_NAMES(dtype) ? (PyObject *)PyArray_DescrNew(dtype) : Py_NewRef((PyObject *)dtype);
}

/* The entry of a pickle that was received before. */
static const Entry *known_entry(const char *description, Py_ssize_t length) {
    for (int i = 0; i < CACHED; i++) {
        PyObject *pickle = received[i].pickle;
        if (pickle && PyBytes_GET_SIZE(pickle) == length &&
            memcmp(PyBytes_AS_STRING(pickle), description, (size_t)length) == 0)
            return &received[i];
    }
    return NULL;
}

/* Take what was unpickled apart; borrowed. False where it is something else. */
static bool is_description(PyObject *made, PyArray_Descr **dtype, PyTypeObject **class) {
    PyObject *first = made, *second = (PyObject *)ndarray_type;
    if (PyTuple_CheckExact(made) && PyTuple_GET_SIZE(made) == 2) {
        first = PyTuple_GET_ITEM(made, 0);
        second = PyTuple_GET_ITEM(made, 1);
    }
    if (!PyArray_DescrCheck(first) || !PyType_Check(second) ||
        !PyType_IsSubtype((PyTypeObject *)second, ndarray_type))
        return false;
    *dtype = (PyArray_Descr *)first;
    *class = (PyTypeObject *)second;
    return true;
}

static void remember(const char *description, Py_ssize_t length, Entry *made) {
    made->pickle = PyBytes_FromStringAndSize(description, length);
    if (made->pickle) {
        enter(&received[next_received], made);
        next_received = (next_received + 1) % CACHED;
    }
    Py_XDECREF(made->pickle);
    PyErr_Clear(); /* it is remembered another time */
}

/* As described_dtype, of what was unpickled. A nested structure that an array is given is not remembered:
 * the names within could change. */
static PyObject *made_dtype(PyObject *made, const char *description, Py_ssize_t length,
                            PyTypeObject **class) {
    Entry entry = {0};
    Examined examined = {NULL, false};
    PyObject *dtype = NULL;
    if (is_description(made, &entry.dtype, &entry.class) && has_fit_size(entry.dtype) &&
        examine(entry.dtype, 0, &examined)) {
        entry.structures = examined.structures;
        bool kept =
            !examined.objects_about && length <= LONGEST_CACHED && !(class && is_nested(examined.structures));
        if (kept)
            remember(description, length, &entry);
        dtype = kept && class ? for_one_array(entry.dtype) : Py_NewRef((PyObject *)entry.dtype);
        if (dtype && class)
            *class = (PyTypeObject *)Py_NewRef((PyObject *)entry.class);
    } else
        raise_damaged();
    Py_XDECREF(examined.structures);
    return dtype;
}

PyObject *described_dtype(const char *description, Py_ssize_t length, PyTypeObject **class) {
    const Entry *known = known_entry(description, length);
    if (known && !class)
        return Py_NewRef((PyObject *)known->dtype);
    if (known && !is_nested(known->structures)) {
        *class = (PyTypeObject *)Py_NewRef((PyObject *)known->class);
        PyObject *dtype = for_one_array(known->dtype);
        if (!dtype)
            Py_CLEAR(*class);
        return dtype;
    }
    if (length < 3 || memcmp(description, "\x80\x05", 2) != 0 || description[length - 1] != '.')
        return raise_damaged(); /* no whole pickle */
    PyObject *made = unpickled(description, length);
    PyObject *dtype = made ? made_dtype(made, description, length, class) : NULL;
    Py_XDECREF(made);
    return dtype;
}
