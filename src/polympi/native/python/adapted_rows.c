#include "python/adapted_rows.h"

#include "python/adapted_arguments.h"

/* ---- what is given ---- */

/* Whether a datatype is known. */
static inline bool is_datatype(const Adapted *self, PyObject *datatype) {
    return PyLong_CheckExact(datatype) && PyDict_GetItemWithError(self->dtypes, datatype);
}

/* A number for each rank, 0 or more, of a list, a tuple or an array of as many or more; false: unusual. */
static bool take_numbers(PyObject *given, int size, Py_ssize_t *numbers) {
    if (PyList_CheckExact(given) || PyTuple_CheckExact(given)) {
        if (PySequence_Fast_GET_SIZE(given) < size)
            return false;
        for (int rank = 0, number; rank < size; rank++) {
            if (!short_int(PySequence_Fast_GET_ITEM(given, rank), &number) || number < 0)
                return false;
            numbers[rank] = number;
        }
        return true;
    }
    PyArrayObject *array = (PyArrayObject *)given;
    if (Py_TYPE(given) != ndarray_type || PyArray_NDIM(array) != 1 || PyArray_DIM(array, 0) < size ||
        !PyArray_ISBEHAVED_RO(array) || (PyArray_TYPE(array) != NPY_INT && PyArray_TYPE(array) != NPY_LONG))
        return false;
    for (int rank = 0; rank < size; rank++) {
        const void *at = PyArray_GETPTR1(array, rank);
        numbers[rank] = PyArray_TYPE(array) == NPY_INT ? *(const int *)at : *(const long *)at;
        if (numbers[rank] < 0 || numbers[rank] > INT_MAX)
            return false;
    }
    return true;
}

static bool take_parts(PyObject *counts, PyObject *places, int size, Parts *parts) {
    if (size > FEW_RANKS || !take_numbers(counts, size, parts->counts) ||
        !take_numbers(places, size, parts->places))
        return false;
    parts->sum = parts->reach = 0;
    parts->in_order = true;
    for (int rank = 0; rank < size; rank++) {
        Py_ssize_t end = parts->places[rank] + parts->counts[rank];
        parts->in_order &= parts->places[rank] == parts->sum;
        parts->sum += parts->counts[rank];
        parts->reach = end > parts->reach ? end : parts->reach;
    }
    return true;
}

/* The object as a row of pieces: the counts of them if polympi can cut it by these, otherwise slices. */
static bool cut(Asked *asked) {
    Parts parts;
    int size = asked->comm->size;
    Py_ssize_t length = PyArray_DIM((PyArrayObject *)asked->object, 0);
    if (!take_parts(asked->given[COUNT], asked->given[PLACES], size, &parts) || parts.reach > length)
        return false;
    bool whole = parts.in_order && parts.sum == length;
    PyObject *list = PyList_New(size);
    for (int rank = 0; list && rank < size; rank++) {
        Py_ssize_t start = parts.places[rank], count = parts.counts[rank];
        PyObject *item =
            whole ? PyLong_FromSsize_t(count) : PySequence_GetSlice(asked->object, start, start + count);
        if (item)
            PyList_SET_ITEM(list, rank, item);
        else
            Py_CLEAR(list);
    }
    if (whole)
        asked->counts = list;
    else
        asked->slices = asked->object = list;
    return list;
}

/* What comes: how many elements of which datatype. */
static bool take_result(const Adapted *self, Asked *asked) {
    PyObject *const *given = asked->given;
    int count;
    if (!given[INTO_COUNT])
        return true;
    if (!is_datatype(self, given[INTO_DATATYPE]))
        return false;
    if (!given[INTO_PLACES])
        return short_int(given[INTO_COUNT], &count);
    return !asked->gets ||
           take_parts(given[INTO_COUNT], given[INTO_PLACES], asked->comm->size, &asked->parts);
}

bool take_rows(const Adapted *self, Asked *asked) {
    PyObject *const *given = asked->given;
    PyArrayObject *array = (PyArrayObject *)asked->object;
    int count = 0;
    if (!is_datatype(self, given[DATATYPE]) || !take_result(self, asked) ||
        (!given[PLACES] && !short_int(given[COUNT], &count)))
        return false;
    if (!asked->gives) {
        asked->object = Py_None;
        return true;
    }
    if (given[PLACES])
        return Py_TYPE(asked->object) == ndarray_type && PyArray_NDIM(array) == 1 &&
               is_row(self, asked->object, PyArray_DIM(array, 0), given[DATATYPE]) && cut(asked);
    Py_ssize_t whole = self->collective->cuts ? (Py_ssize_t)count * asked->comm->size : count;
    return is_row(self, asked->object, whole, given[DATATYPE]);
}

/* ---- what comes ---- */

/* Pieces of as many elements each, or as parts say, in one row. */
static PyObject *joined(const Adapted *self, PyObject *list, Py_ssize_t count, const Parts *parts,
                        PyObject *datatype) {
    Py_ssize_t size = PyList_GET_SIZE(list);
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *piece = PyList_GET_ITEM(list, i);
        if (!is_row(self, piece, parts ? parts->counts[i] : count, datatype) ||
            !PyArray_IS_C_CONTIGUOUS((PyArrayObject *)piece))
            return NULL;
    }
    PyArray_Descr *dtype = PyArray_DESCR((PyArrayObject *)PyList_GET_ITEM(list, 0));
    npy_intp whole = !parts ? size * count : parts->sum > parts->reach ? parts->sum : parts->reach;
    PyObject *row = parts && !parts->in_order
                        ? new_zeros(dtype, whole)
                        : PyArray_SimpleNewFromDescr(1, &whole, (PyArray_Descr *)Py_NewRef(dtype));
    for (Py_ssize_t i = 0; row && i < size; i++) {
        PyArrayObject *piece = (PyArrayObject *)PyList_GET_ITEM(list, i);
        Py_ssize_t place = parts ? parts->places[i] : i * count;
        memcpy(PyArray_BYTES((PyArrayObject *)row) + place * PyArray_ITEMSIZE(piece), PyArray_DATA(piece),
               (size_t)PyArray_NBYTES(piece));
    }
    return row;
}

PyObject *rows_of(const Adapted *self, const Asked *asked, PyObject *came) {
    PyObject *const *given = asked->given;
    PyObject *datatype = given[INTO_DATATYPE] ? given[INTO_DATATYPE] : given[DATATYPE];
    PyObject *expected = given[INTO_COUNT] ? given[INTO_COUNT] : given[COUNT];
    int count = 0;
    if (!asked->gets) {
        PyObject *dtype = PyDict_GetItemWithError(self->dtypes, datatype);
        return dtype && PyArray_DescrCheck(dtype) ? new_zeros((PyArray_Descr *)dtype, 0) : NULL;
    }
    (void)short_int(expected, &count);
    if (PyList_CheckExact(came))
        return joined(self, came, count, given[INTO_PLACES] ? &asked->parts : NULL, datatype);
    if (came == asked->object)
        return PyArray_NewCopy((PyArrayObject *)came, NPY_CORDER);
    return is_row(self, came, count, datatype) ? Py_NewRef(came) : NULL;
}
