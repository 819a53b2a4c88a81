#include "reductions/contribution.h"

#include "base/errors.h"
#include "codec/numpy_api.h"
#include "memory/strided.h"

/* ---- writing a contribution ---- */

static inline void set_form(Contribution *own, enum contribution_kind kind, int type, Py_ssize_t nbytes) {
    own->head.kind = kind;
    own->head.type = (uint8_t)type;
    own->head.nbytes = (uint32_t)(CONTRIBUTION_HEAD + nbytes);
}

/* Python's ints are exact, so the fast path is for results that fit 64 bits in any order of combination. */
static uint64_t magnitude(long number, enum op op) {
    uint64_t absolute = number < 0 ? -(uint64_t)number : (uint64_t)number;
    if (op == OP_SUM)
        return absolute;
    if (op != OP_PROD || absolute <= 1)
        return 0;
    return 64 - (uint64_t)__builtin_clzll(absolute - 1); /* |number| <= 2 to this power */
}

static bool is_logical(enum op op) { return op >= OP_LAND && op <= OP_LXOR; }

static void contribute_integer(Contribution *own, enum contribution_kind kind, PyObject *value, enum op op) {
    int overflow;
    long number = PyLong_AsLongAndOverflow(value, &overflow);
    if (overflow || op >= OP_MINLOC)
        return;
    if (is_logical(op))
        number = number != 0;
    set_form(own, kind, NPY_LONG, sizeof number);
    own->bound = magnitude(number, op);
    memcpy(own->data, &number, sizeof number);
}

/* Logical operations on NumPy's numbers give booleans, which are left to NumPy. */
static void contribute_scalar(Contribution *own, PyObject *value, enum op op) {
    Native native;
    PyArray_Descr *dtype = PyArray_DescrFromScalar(value);
    if (!dtype) {
        PyErr_Clear();
        return;
    }
    int type = dtype_type(dtype);
    bool exact = type != TYPE_DESCRIBED && dtype->typeobj == Py_TYPE(value);
    Py_ssize_t nbytes = PyDataType_ELSIZE(dtype);
    Py_DECREF(dtype);
    if (!exact || (is_logical(op) && type != NPY_BOOL) || !native_op(type, op, &native))
        return;
    PyArray_ScalarAsCtype(value, own->data);
    set_form(own, SCALAR, type, nbytes);
}

/* FNV-1a over the lengths; it must distinguish shapes, but need not resist an attack. */
static uint32_t hash_shape(const Layout *layout) {
    uint64_t hash = 0xcbf29ce484222325u ^ (uint64_t)layout->ndim;
    for (int axis = 0; axis < layout->ndim; axis++)
        hash = (hash ^ (uint64_t)layout->shape[axis]) * 0x100000001b3u;
    return (uint32_t)(hash ^ hash >> 32);
}

static void contribute_array(Contribution *own, PyObject *value, enum op op) {
    Native native;
    int type = dtype_type(PyArray_DESCR((PyArrayObject *)value));
    if (type == TYPE_DESCRIBED || !native_op(type, op, &native))
        return;
    Layout layout;
    array_layout(value, &layout);
    own->shape = hash_shape(&layout);
    bool small = layout.nbytes <= MOST_ELEMENT_BYTES;
    set_form(own, small ? ARRAY : LARGE_ARRAY, type, small ? layout.nbytes : 0);
    if (!small)
        return;
    if (likely(layout.contiguous))
        memcpy(own->data, layout.data, (size_t)layout.nbytes);
    else
        strided_pack(&layout, own->data);
}

/* ---- values without bits ---- */

/* Whether elements of a dtype, in any byte order, have bits to combine; objects may. */
static bool elements_have_bits(const PyArray_Descr *dtype) {
    int type = dtype->type_num;
    return PyTypeNum_ISBOOL(type) || PyTypeNum_ISINTEGER(type) || PyTypeNum_ISOBJECT(type);
}

/* Whether an object's class has the operator, or NumPy can make an array of it for one of another rank. */
static bool object_has_bits(PyObject *value, enum op op) {
    const PyNumberMethods *methods = Py_TYPE(value)->tp_as_number;
    const binaryfunc function = !methods        ? NULL
                                : op == OP_BAND ? methods->nb_and
                                : op == OP_BOR  ? methods->nb_or
                                                : methods->nb_xor;
    return function || PyList_Check(value) || PyTuple_Check(value) || PyObject_CheckBuffer(value);
}

/* The dtype of an array or of a NumPy scalar, a new reference; NULL without an exception for other objects.
 */
static PyArray_Descr *dtype_of(PyObject *value) {
    if (!ndarray_type && !numpy_loaded(false))
        return NULL;
    if (PyArray_Check(value))
        return (PyArray_Descr *)Py_NewRef(PyArray_DESCR((PyArrayObject *)value));
    return PyArray_IsScalar(value, Generic) ? PyArray_DescrFromScalar(value) : NULL;
}

int check_bits(const Collective *collective, PyObject *value, enum op op) {
    if (op < OP_BAND || op > OP_BXOR)
        return 0;
    PyArray_Descr *dtype = dtype_of(value);
    if (!dtype && PyErr_Occurred())
        return -1;
    bool have = dtype ? elements_have_bits(dtype) : object_has_bits(value, op);
    const char *name = dtype ? dtype->typeobj->tp_name : Py_TYPE(value)->tp_name, *last = strrchr(name, '.');
    Py_XDECREF(dtype); /* the name belongs to its class */
    return have ? 0
                : raise_error("MismatchError", &collective->call,
                              "%U combines integers, booleans and objects that have %s, not %s",
                              built_in_ops[op]->name,
                              op == OP_BAND  ? "&"
                              : op == OP_BOR ? "|"
                                             : "^",
                              last ? last + 1 : name);
}

int contribute(const Collective *collective, Contribution *own, PyObject *value, enum op op) {
    own->head = (Head){
        .verb = (uint8_t)collective->verb, .op = (uint8_t)op, .root = collective->root, .failed = INT32_MAX};
    own->shape = own->consent = 0;
    own->bound = 0;
    set_form(own, OBJECT, 0, 0);
    if (likely(PyFloat_CheckExact(value))) {
        double number = PyFloat_AS_DOUBLE(value);
        if (op <= OP_MAX) {
            set_form(own, FLOAT, NPY_DOUBLE, sizeof number);
            memcpy(own->data, &number, sizeof number);
            return 0;
        }
    } else if (PyLong_CheckExact(value))
        contribute_integer(own, INTEGER, value, op);
    else if (PyBool_Check(value))
        contribute_integer(own, BOOLEAN, value, op);
    else if (PyComplex_CheckExact(value)) {
        Py_complex number = PyComplex_AsCComplex(value);
        if (op == OP_SUM || op == OP_PROD) {
            set_form(own, COMPLEX, NPY_CDOUBLE, sizeof number);
            memcpy(own->data, &number, sizeof number);
        }
    } else if (ndarray_type || numpy_loaded(false)) {
        if (Py_TYPE(value) == ndarray_type)
            contribute_array(own, value, op);
        else if (PyArray_IsScalar(value, Generic))
            contribute_scalar(own, value, op);
    }
    PyErr_Clear();
    return check_bits(collective, value, op);
}

/* ---- combining ---- */

void combine_data(const Contribution *left, Contribution *right) {
    Py_ssize_t nbytes = (Py_ssize_t)right->head.nbytes - CONTRIBUTION_HEAD;
    if (nbytes == 0)
        return;
#define SIZE_OF_TYPE(name, number, ctype, kind, npy, mpi, text, format) [number] = sizeof(ctype),
    static const uint8_t sizes[] = {
        ELEMENT_TYPES(SIZE_OF_TYPE)[TYPE_LONG_LONG] = sizeof(long long), [TYPE_ULONG_LONG] =
                                                                             sizeof(long long)};
    combine_elements(right->head.type, right->head.op, left->data, right->data,
                     (int)(nbytes / sizes[right->head.type]));
}

bool alike(const Contribution *left, const Contribution *right) {
    const Head *a = &left->head, *b = &right->head;
    return a->kind == b->kind && a->type == b->type && a->op == b->op && a->nbytes == b->nbytes &&
           left->shape == right->shape;
}

void combine_contributions(const Contribution *left, Contribution *right) {
    if (unlikely(left->head.failed < right->head.failed))
        right->head.failed = left->head.failed;
    if (unlikely(left->head.root != right->head.root))
        right->head.root = DIFFERENT_ROOTS;
    if (__builtin_add_overflow(left->bound, right->bound, &right->bound))
        right->bound = UINT64_MAX;
    right->consent &= left->consent;
    if (likely(alike(left, right))) {
        combine_data(left, right);
        return;
    }
    if (left->head.op != right->head.op)
        right->head.op = DIFFERENT_OPS;
    set_form(right, OBJECT, 0, 0);
}

bool is_result(const Contribution *total) {
    enum { MOST_BITS = 62 }; /* of a product: 2 to this power fits a long of either sign */
    if (total->head.kind > ARRAY)
        return false;
    if (total->head.kind != INTEGER && total->head.kind != BOOLEAN)
        return true;
    return total->bound <= (total->head.op == OP_PROD ? MOST_BITS : (uint64_t)INT64_MAX);
}

/* ---- the result ---- */

static PyObject *array_result(const Contribution *total, PyArrayObject *like, Py_ssize_t first,
                              Py_ssize_t rows) {
    npy_intp shape[NPY_MAXDIMS];
    int ndim = PyArray_NDIM(like);
    Py_ssize_t row = PyArray_ITEMSIZE(like);
    for (int axis = ndim - 1; axis >= 0; axis--) {
        shape[axis] = PyArray_DIM(like, axis);
        if (axis)
            row *= shape[axis];
    }
    if (rows >= 0)
        shape[0] = rows;
    PyArray_Descr *dtype = (PyArray_Descr *)Py_NewRef(PyArray_DESCR(like));
    PyObject *array = PyArray_NewFromDescr(ndarray_type, dtype, ndim, shape, NULL, NULL, 0, NULL);
    if (array && PyArray_NBYTES((PyArrayObject *)array))
        memcpy(PyArray_BYTES((PyArrayObject *)array), total->data + first * row,
               (size_t)PyArray_NBYTES((PyArrayObject *)array));
    return array;
}

PyObject *contribution_result(const Contribution *total, PyObject *like, Py_ssize_t first, Py_ssize_t rows) {
    double parts[2];
    long number;
    switch ((enum contribution_kind)total->head.kind) {
    case FLOAT:
        memcpy(parts, total->data, sizeof *parts);
        return PyFloat_FromDouble(parts[0]);
    case COMPLEX:
        memcpy(parts, total->data, sizeof parts);
        return PyComplex_FromDoubles(parts[0], parts[1]);
    case INTEGER:
        memcpy(&number, total->data, sizeof number);
        return is_logical(total->head.op) ? PyBool_FromLong(number) : PyLong_FromLong(number);
    case BOOLEAN: /* Python adds and multiplies booleans as integers */
        memcpy(&number, total->data, sizeof number);
        return total->head.op <= OP_PROD ? PyLong_FromLong(number) : PyBool_FromLong(number);
    case SCALAR: {
        PyArray_Descr *dtype = PyArray_DescrFromScalar(like);
        if (!dtype)
            return NULL;
        PyObject *scalar = PyArray_Scalar((void *)total->data, dtype, NULL);
        Py_DECREF(dtype);
        return scalar;
    }
    default:
        return array_result(total, (PyArrayObject *)like, first, rows);
    }
}
