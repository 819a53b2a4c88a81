/* NumPy's arrays and scalars. */
#define POLYMPI_FILLS_NUMPY_API
#include "numpy_api.h"

#include "errors.h"
#include "pool.h"
#include "stream.h"
#include "strided.h"

enum { NATIVE_TYPES = TYPE_HALF + 1, MOST_NATIVE_BYTES = 64 };

PyTypeObject *ndarray_type;

/* By type number, once NumPy is loaded: the dtypes that are not described, and the types of their scalars. */
static PyArray_Descr *native_dtypes[NATIVE_TYPES];
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

/* The type number, and the pickle of a dtype that has none (borrowed); false when the array is to be pickled.
 */
static inline bool describe(PyArray_Descr *dtype, int *type, PyObject **description) {
    *description = NULL;
    *type = dtype->type_num;
    if (likely((unsigned)*type < NATIVE_TYPES && dtype == native_dtypes[*type])) {
        *type = canonical(*type);
        return true;
    }
    *type = dtype_type(dtype);
    if (*type != TYPE_DESCRIBED)
        return PyDataType_METADATA(dtype) == NULL;
    *description = dtype_description((PyObject *)dtype);
    return *description != NULL;
}

int encode_ndarray(Encoder *encoder, PyObject *value) {
    PyArrayObject *array = (PyArrayObject *)value;
    PyArray_Descr *dtype = PyArray_DESCR(array);
    Py_ssize_t itemsize = PyDataType_ELSIZE(dtype), nbytes = itemsize;
    PyObject *description;
    int type, ndim = PyArray_NDIM(array);
    if (unlikely(mutable_met_before(encoder, value)) || unlikely(!describe(dtype, &type, &description)))
        return TO_PICKLE;
    const npy_intp *shape = PyArray_DIMS(array);
    for (int axis = 0; axis < ndim; axis++)
        nbytes *= shape[axis];
    bool in_c_order = PyArray_IS_C_CONTIGUOUS(array), fortran = !in_c_order && PyArray_IS_F_CONTIGUOUS(array);
    bool apart = nbytes >= PART_BYTES;
    Py_ssize_t described = description ? PyBytes_GET_SIZE(description) : 0,
               shape_bytes = ndim * (Py_ssize_t)8;
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
    char *at = stream_reserve(encoder->stream,
                              (Py_ssize_t)sizeof head + shape_bytes + described + (apart ? 0 : nbytes));
    if (unlikely(!at))
        return FAILED;
    memcpy(at, &head, sizeof head);
    put_shape(at + sizeof head, shape, ndim);
    at += (Py_ssize_t)sizeof head + shape_bytes;
    if (unlikely(described))
        memcpy(at, PyBytes_AS_STRING(description), (size_t)described);
    return put_elements(encoder, array, nbytes, apart ? NULL : at + described, !in_c_order && !fortran);
}

/* A tag, the type number, and the bytes of the value. */
int encode_scalar(Encoder *encoder, PyObject *scalar) {
    static const uint8_t likely_first[] = {
        NPY_DOUBLE, NPY_LONG,    NPY_BOOL,     NPY_FLOAT,     NPY_INT,        NPY_UBYTE,
        NPY_BYTE,   NPY_SHORT,   NPY_USHORT,   NPY_UINT,      NPY_ULONG,      NPY_HALF,
        NPY_CFLOAT, NPY_CDOUBLE, NPY_LONGLONG, NPY_ULONGLONG, NPY_LONGDOUBLE, NPY_CLONGDOUBLE};
    if (!PyObject_TypeCheck(scalar, &PyGenericArrType_Type))
        return TO_PICKLE;
    for (size_t i = 0; i < sizeof likely_first; i++)
        if (scalar_types[likely_first[i]] == Py_TYPE(scalar)) {
            int type = likely_first[i];
            Py_ssize_t nbytes = PyDataType_ELSIZE(native_dtypes[type]);
            _Alignas(16) char value[MOST_NATIVE_BYTES];
            PyArray_ScalarAsCtype(scalar, value);
            char *at = stream_reserve(encoder->stream, 2 + nbytes);
            if (!at)
                return FAILED;
            at[0] = TAG_NUMPY_SCALAR;
            at[1] = (char)type;
            memcpy(at + 2, value, (size_t)nbytes);
            return ENCODED;
        }
    return TO_PICKLE;
}

/* ---- decoding ---- */

PyObject *decode_scalar(Reader *reader) {
    const char *type = reader_take(reader, 1);
    if (!type)
        return NULL;
    if (!is_native((unsigned char)*type))
        return raise_damaged();
    if (!numpy_loaded(true))
        return NULL;
    PyArray_Descr *dtype = native_dtypes[(int)*type];
    const char *at = reader_take(reader, (uint64_t)PyDataType_ELSIZE(dtype));
    if (!at)
        return NULL;
    _Alignas(16) char value[MOST_NATIVE_BYTES];
    memcpy(value, at, (size_t)PyDataType_ELSIZE(dtype));
    return PyArray_Scalar(value, dtype, NULL);
}

/* An array that owns memory of the pool. */
static PyObject *adopt(Arrived *part, PyArray_Descr *dtype, const ArrayForm *form) {
    PyObject *handler = pool_handler();
    if (!handler) {
        Py_DECREF(dtype);
        return NULL;
    }
    int flags = form->head.fortran ? NPY_ARRAY_FARRAY : NPY_ARRAY_CARRAY;
    PyObject *array = PyArray_NewFromDescr(&PyArray_Type, dtype, form->head.ndim, form->shape, NULL,
                                           part->data, flags, NULL);
    if (!array)
        return NULL;
    PyArray_ENABLEFLAGS((PyArrayObject *)array, NPY_ARRAY_OWNDATA);
    ((PyArrayObject_fields *)array)->mem_handler = Py_NewRef(handler);
    part->taken = true;
    return array;
}

/* The dtype of an array in a stream; a new reference. */
static PyArray_Descr *form_dtype(const ArrayForm *form) {
    PyArray_Descr *dtype;
    if (is_native(form->head.type))
        dtype = (PyArray_Descr *)Py_NewRef(native_dtypes[form->head.type]);
    else if (form->head.type == TYPE_DESCRIBED)
        dtype = (PyArray_Descr *)described_dtype(form->described, form->head.described);
    else
        return raise_damaged();
    if (dtype && unlikely(PyDataType_ELSIZE(dtype) != form->head.itemsize)) {
        Py_DECREF(dtype);
        return raise_damaged();
    }
    return dtype;
}

PyObject *decode_ndarray(Reader *reader, const ArrayForm *form) {
    if (!numpy_loaded(true))
        return NULL;
    Arrived *part = NULL;
    if (form->head.apart && !(part = reader_part(reader, form->nbytes)))
        return NULL;
    PyArray_Descr *dtype = form_dtype(form);
    if (!dtype)
        return NULL;
    if (part && likely(form->nbytes))
        return adopt(part, dtype, form);
    int fortran = form->head.fortran ? NPY_ARRAY_F_CONTIGUOUS : 0;
    PyObject *array =
        PyArray_NewFromDescr(&PyArray_Type, dtype, form->head.ndim, form->shape, NULL, NULL, fortran, NULL);
    if (likely(array && form->nbytes))
        memcpy(PyArray_BYTES((PyArrayObject *)array), form->data, (size_t)form->nbytes);
    return array;
}
