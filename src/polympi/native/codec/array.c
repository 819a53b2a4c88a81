/* NumPy's arrays and scalars. */
#define POLYMPI_FILLS_NUMPY_API
#include "codec/numpy_api.h"

#include "base/errors.h"
#include "codec/stream.h"
#include "memory/pool.h"
#include "memory/strided.h"

enum { MOST_NATIVE_BYTES = 64 };

PyTypeObject *ndarray_type;

PyArray_Descr *native_dtypes[NATIVE_TYPES];
/* The types of their scalars. */
static PyTypeObject *scalar_types[NATIVE_TYPES];

/* ---- loading ---- */

/* NumPy 1 has another layout of its dtypes. True, or false with LibraryError. */
static bool is_recent(PyObject *numpy) {
    PyObject *version = PyObject_GetAttrString(numpy, "__version__");
    const char *text = version && PyUnicode_Check(version) ? PyUnicode_AsUTF8(version) : NULL;
    bool old = text && text[0] < '2' && text[1] == '.';
    if (old)
        raise_error("LibraryError", NULL,
                    "arrays need NumPy 2.0 or newer, but %s is installed: pip install 'numpy>=2'", text);
    Py_XDECREF(version);
    return text && !old;
}

/* Fill the table of NumPy's API and those above. */
static bool load_api(void) {
    if (PyArray_ImportNumPyAPI() < 0)
        return false;
    for (int type = 0; type < NATIVE_TYPES; type++)
        if (is_native(type)) {
            native_dtypes[type] = PyArray_DescrFromType(type);
            if (!native_dtypes[type])
                return false;
            scalar_types[type] = native_dtypes[type]->typeobj;
        }
    ndarray_type = &PyArray_Type;
    return true;
}

bool numpy_loaded(bool import) {
    if (likely(ndarray_type != NULL))
        return true;
    PyObject *name = NAME("numpy");
    if (!name)
        return false;
    PyObject *numpy = import ? PyImport_Import(name) : PyImport_GetModule(name);
    if (!numpy)
        return false;
    bool usable = PyObject_HasAttrString(numpy, "ndarray"); /* another thread may be importing it right now */
    if (usable || import)
        usable = is_recent(numpy) && load_api();
    Py_DECREF(numpy);
    return usable;
}

/* ---- layout ---- */

static void layout_of(PyArrayObject *array, Layout *layout) {
    int ndim = PyArray_NDIM(array);
    const npy_intp *shape = PyArray_DIMS(array), *strides = PyArray_STRIDES(array);
    Py_ssize_t count = 1;
    for (int axis = 0; axis < ndim; axis++) {
        layout->shape[axis] = shape[axis];
        layout->strides[axis] = strides[axis];
        count *= shape[axis];
    }
    layout->data = PyArray_BYTES(array);
    layout->itemsize = PyArray_ITEMSIZE(array);
    layout->count = count;
    layout->nbytes = count * layout->itemsize;
    layout->ndim = ndim;
    layout->contiguous = PyArray_IS_C_CONTIGUOUS(array);
}

void array_layout(PyObject *array, Layout *layout) { layout_of((PyArrayObject *)array, layout); }

/* ---- encoding ---- */

/* The elements, after the head. */
static int put_elements(Encoder *encoder, PyArrayObject *array, Py_ssize_t nbytes, char *at, bool strided) {
    if (!at)
        return stream_part(encoder->stream, PyArray_BYTES(array), nbytes, Py_NewRef(array), strided);
    if (likely(!strided)) {
        memcpy(at, PyArray_BYTES(array), (size_t)nbytes);
        return ENCODED;
    }
    Layout layout;
    layout_of(array, &layout);
    strided_pack(&layout, at);
    return ENCODED;
}

/* Whether a class of arrays leaves pickling to ndarray: then class, dtype, shape and elements are all that
 * pickle would send. */
static bool pickled_as_ndarray(PyTypeObject *class) {
    static PyObject *registered; /* copyreg.dispatch_table */
    PyObject *names[] = {NAME("__reduce_ex__"), NAME("__reduce__"), NAME("__setstate__")};
    if (!registered) {
        PyObject *module = PyImport_ImportModule("copyreg");
        registered = get_attribute(module, NAME("dispatch_table"));
        Py_XDECREF(module);
    }
    if (!registered || PyDict_GetItemWithError(registered, (PyObject *)class))
        return false;
    PyObject *classes = class->tp_mro;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(classes); i++) {
        PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(classes, i);
        if (base == ndarray_type)
            return !PyErr_Occurred();
        for (int name = 0; base->tp_dict && name < 3; name++) /* NULL in Python's own */
            if (!names[name] || PyDict_GetItemWithError(base->tp_dict, names[name]))
                return false;
    }
    return false;
}

/* The type number, and the description of what has none (strong, else NULL): an enum outcome. */
static int describe(PyArrayObject *array, int *type, PyObject **description) {
    PyArray_Descr *dtype = PyArray_DESCR(array);
    bool exact = Py_IS_TYPE(array, ndarray_type);
    *description = NULL;
    *type = wire_type(dtype);
    if (likely(exact && *type != TYPE_DESCRIBED && !has_metadata((PyObject *)dtype)))
        return ENCODED;
    *type = TYPE_DESCRIBED;
    if (exact || pickled_as_ndarray(Py_TYPE(array))) {
        Py_INCREF(dtype);
        *description = dtype_description((PyObject *)dtype, Py_TYPE(array));
        bool changed = PyArray_DESCR(array) != dtype; /* by metadata while they were pickled */
        Py_DECREF(dtype);
        if (likely(*description && !changed))
            return ENCODED;
        Py_CLEAR(*description);
    }
    return PyErr_Occurred() ? FAILED : TO_PICKLE;
}

/* An array whose head is one number: not apart, of a native type, contiguous in the stream. */
static int put_row(Encoder *encoder, PyArrayObject *array, int type, Py_ssize_t nbytes) {
    char *at = stream_reserve(encoder->stream, ROW_FORM + nbytes);
    if (unlikely(!at))
        return FAILED;
    wire_put_row(at, wire_row(type, PyArray_ITEMSIZE(array), PyArray_DIM(array, 0)));
    return put_elements(encoder, array, nbytes, at + ROW_FORM, !PyArray_IS_C_CONTIGUOUS(array));
}

static int put_array(Encoder *encoder, PyArrayObject *array, int type, PyObject *description) {
    Py_ssize_t itemsize = PyArray_ITEMSIZE(array), nbytes = itemsize;
    int ndim = PyArray_NDIM(array);
    const npy_intp *shape = PyArray_DIMS(array);
    for (int axis = 0; axis < ndim; axis++)
        nbytes *= shape[axis];
    if (likely(ndim == 1 && nbytes < PART_BYTES && !description))
        return put_row(encoder, array, type, nbytes);
    bool in_c_order = PyArray_IS_C_CONTIGUOUS(array), fortran = !in_c_order && PyArray_IS_F_CONTIGUOUS(array);
    bool apart = nbytes >= PART_BYTES;
    Py_ssize_t described = description ? PyBytes_GET_SIZE(description) : 0;
    struct array_head head = {
        .tag = TAG_ARRAY,
        .type = (uint8_t)type,
        .ndim = (uint8_t)ndim,
        .container = CONTAINER_NDARRAY,
        .fortran = fortran,
        .apart = apart,
        .itemsize = (uint32_t)itemsize,
        .described = (uint32_t)described,
    };
    char *at = stream_reserve(encoder->stream, ARRAY_FORM(ndim) + described + (apart ? 0 : nbytes));
    if (unlikely(!at))
        return FAILED;
    at = wire_put_array(at, &head, shape);
    if (unlikely(described))
        memcpy(at, PyBytes_AS_STRING(description), (size_t)described);
    return put_elements(encoder, array, nbytes, apart ? NULL : at + described, !in_c_order && !fortran);
}

int encode_ndarray(Encoder *encoder, PyObject *value) {
    PyArrayObject *array = (PyArrayObject *)value;
    const PyArray_Descr *dtype = PyArray_DESCR(array);
    if (unlikely(mutable_met_before(encoder, value)))
        return TO_PICKLE;
    if (likely(is_native_dtype(dtype) && Py_IS_TYPE(value, ndarray_type)))
        return put_array(encoder, array, dtype->type_num, NULL);
    int type;
    PyObject *description;
    int outcome = describe(array, &type, &description);
    if (outcome == ENCODED)
        outcome = put_array(encoder, array, type, description);
    Py_XDECREF(description);
    return outcome;
}

int encode_scalar(Encoder *encoder, PyObject *scalar) {
#define TYPE_NUMBER(name, number, ctype, kind, npy, mpi, text, format) number,
    static const uint8_t likely_first[] = {TYPE_DOUBLE, TYPE_LONG, ELEMENT_TYPES(TYPE_NUMBER) TYPE_HALF,
                                           TYPE_LONG_LONG, TYPE_ULONG_LONG};
#undef TYPE_NUMBER
    if (!PyObject_TypeCheck(scalar, &PyGenericArrType_Type))
        return TO_PICKLE;
    for (size_t i = 0; i < sizeof likely_first; i++)
        if (scalar_types[likely_first[i]] == Py_TYPE(scalar)) {
            int type = likely_first[i];
            Py_ssize_t nbytes = PyDataType_ELSIZE(native_dtypes[type]);
            _Alignas(16) char value[MOST_NATIVE_BYTES];
            PyArray_ScalarAsCtype(scalar, value);
            char *at = stream_reserve(encoder->stream, SCALAR_FORM + nbytes);
            if (!at)
                return FAILED;
            wire_put_scalar(at, type);
            memcpy(at + SCALAR_FORM, value, (size_t)nbytes);
            return ENCODED;
        }
    return TO_PICKLE;
}

/* ---- decoding ---- */

PyObject *decode_scalar(Reader *reader) {
    const char *at = reader_take(reader, SCALAR_FORM - TAG_FORM);
    if (!at)
        return NULL;
    int type = wire_get_type(at);
    if (!is_native(type))
        return raise_damaged();
    if (!numpy_loaded(true))
        return NULL;
    PyArray_Descr *dtype = native_dtypes[type];
    at = reader_take(reader, (uint64_t)PyDataType_ELSIZE(dtype));
    if (!at)
        return NULL;
    _Alignas(16) char value[MOST_NATIVE_BYTES];
    memcpy(value, at, (size_t)PyDataType_ELSIZE(dtype));
    return PyArray_Scalar(value, dtype, NULL);
}

/* An array that owns memory of the pool; on failure the memory is still the caller's. */
static PyObject *adopt(char *data, PyArray_Descr *dtype, PyTypeObject *class, const ArrayForm *form) {
    PyObject *handler = pool_handler();
    if (!handler) {
        Py_DECREF(dtype);
        return NULL;
    }
    int flags = form->head.fortran ? NPY_ARRAY_FARRAY : NPY_ARRAY_CARRAY;
    PyObject *array =
        PyArray_NewFromDescr(class, dtype, form->head.ndim, form->shape, NULL, data, flags, NULL);
    if (!array)
        return NULL;
    if (unlikely(PyArray_BYTES((PyArrayObject *)array) != data)) { /* __array_finalize__ has seen to that */
        Py_DECREF(array);
        return raise_damaged();
    }
    PyArray_ENABLEFLAGS((PyArrayObject *)array, NPY_ARRAY_OWNDATA);
    ((PyArrayObject_fields *)array)->mem_handler = Py_NewRef(handler);
    return array;
}

/* The dtype and class of an array in a stream; new references. */
static PyArray_Descr *form_dtype(const ArrayForm *form, PyTypeObject **class) {
    PyArray_Descr *dtype;
    *class = NULL;
    if (is_native(form->head.type)) {
        dtype = (PyArray_Descr *)Py_NewRef(native_dtypes[form->head.type]);
        *class = (PyTypeObject *)Py_NewRef((PyObject *)ndarray_type);
    } else if (form->head.type == TYPE_DESCRIBED)
        dtype = (PyArray_Descr *)described_dtype(form->described, form->head.described, class);
    else
        return raise_damaged();
    if (dtype && unlikely(PyDataType_ELSIZE(dtype) != form->head.itemsize)) {
        Py_DECREF(dtype);
        Py_CLEAR(*class);
        return raise_damaged();
    }
    return dtype;
}

/* A new array of another class. The elements are there before its __array_finalize__ sees it. */
static PyObject *small_of_class(PyArray_Descr *dtype, PyTypeObject *class, const ArrayForm *form) {
    char *data = pool_allocate(form->nbytes);
    if (!data) {
        Py_DECREF(dtype);
        return NULL;
    }
    if (form->nbytes)
        memcpy(data, form->data, (size_t)form->nbytes);
    PyObject *array = adopt(data, dtype, class, form);
    if (!array)
        pool_release(data, form->nbytes);
    return array;
}

static PyObject *small_array(PyArray_Descr *dtype, const ArrayForm *form) {
    int fortran = form->head.fortran ? NPY_ARRAY_F_CONTIGUOUS : 0;
    PyObject *array =
        PyArray_NewFromDescr(ndarray_type, dtype, form->head.ndim, form->shape, NULL, NULL, fortran, NULL);
    if (likely(array && form->nbytes))
        memcpy(PyArray_BYTES((PyArrayObject *)array), form->data, (size_t)form->nbytes);
    return array;
}

PyObject *decode_ndarray(Reader *reader, const ArrayForm *form) {
    if (!numpy_loaded(true))
        return NULL;
    Arrived *part = NULL;
    if (form->head.apart && !(part = reader_part(reader, form->nbytes)))
        return NULL;
    PyTypeObject *class;
    PyArray_Descr *dtype = form_dtype(form, &class);
    if (!dtype)
        return NULL;
    PyObject *array;
    if (part && likely(form->nbytes)) {
        array = adopt(part->data, dtype, class, form);
        part->taken = array != NULL;
    } else
        array = likely(class == ndarray_type) ? small_array(dtype, form) : small_of_class(dtype, class, form);
    Py_DECREF(class);
    return array;
}
