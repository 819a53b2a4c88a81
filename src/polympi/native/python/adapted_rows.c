#include "python/adapted_rows.h"

#include "python/adapted_arguments.h"

/* ---- what is given ---- */

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

/* Whether each rank gives a piece to each. */
static inline bool exchanges(const Adapted *self) {
    return self->collective->cuts && !self->collective->from_root;
}

/* The pieces of all ranks as slices of the object. In an exchange that of this rank stays here. */
static bool make_slices(const Adapted *self, Asked *asked, const Parts *parts, Py_ssize_t each) {
    int size = asked->comm->size;
    PyObject *row = asked->object;
    asked->slices = asked->object = PyList_New(size);
    for (int rank = 0; asked->slices && rank < size; rank++) {
        Py_ssize_t start = parts ? parts->places[rank] : rank * each;
        PyObject *slice = PySequence_GetSlice(row, start, start + (parts ? parts->counts[rank] : each));
        if (!slice)
            return false;
        if (exchanges(self) && rank == asked->comm->rank) {
            asked->own = slice;
            slice = Py_NewRef(Py_None);
        }
        PyList_SET_ITEM(asked->slices, rank, slice);
    }
    return asked->slices;
}

/* From so many bytes on a copy of a piece takes longer than to make slices. */
enum { LARGE_PIECE = 16 * 1024 };
static bool has_large_pieces(const Adapted *self, const Asked *asked) {
    return exchanges(self) &&
           PyArray_NBYTES((PyArrayObject *)asked->object) >= (npy_intp)LARGE_PIECE * asked->comm->size;
}

/* The object as a row of pieces: the counts of them if polympi can cut it by these, otherwise slices. */
static bool cut(const Adapted *self, Asked *asked) {
    Parts parts;
    int size = asked->comm->size;
    Py_ssize_t length = PyArray_DIM((PyArrayObject *)asked->object, 0);
    PyObject *counts = asked->given[COUNT];
    if (!take_parts(counts, asked->given[PLACES], size, &parts) || parts.reach > length)
        return false;
    if (!parts.in_order || parts.sum != length || has_large_pieces(self, asked))
        return make_slices(self, asked, &parts, 0);
    if (PyList_CheckExact(counts) && PyList_GET_SIZE(counts) == size) {
        asked->counts = Py_NewRef(counts);
        return true;
    }
    asked->counts = PyList_New(size);
    for (int rank = 0; asked->counts && rank < size; rank++) {
        PyObject *count = PyLong_FromSsize_t(parts.counts[rank]);
        if (!count)
            return false;
        PyList_SET_ITEM(asked->counts, rank, count);
    }
    return asked->counts;
}

/* What comes: how many elements of which datatype. */
static bool take_result(Adapted *self, Asked *asked) {
    PyObject *const *given = asked->given;
    int count;
    asked->into_dtype = asked->dtype;
    if (!given[INTO_COUNT])
        return true;
    if (given[INTO_DATATYPE] != given[DATATYPE] &&
        !(asked->into_dtype = dtype_of(self, given[INTO_DATATYPE], &self->last_into_dtype)))
        return false;
    if (!given[INTO_PLACES])
        return short_int(given[INTO_COUNT], &count);
    return !asked->gets ||
           take_parts(given[INTO_COUNT], given[INTO_PLACES], asked->comm->size, &asked->parts);
}

/* Whether this rank gets the pieces of all. */
static inline bool gathers_here(const Adapted *self, const Asked *asked) {
    return self->collective->to_root && asked->gets && !self->collective->combines;
}

bool take_rows(Adapted *self, Asked *asked) {
    PyObject *const *given = asked->given;
    PyArrayObject *array = (PyArrayObject *)asked->object;
    int count = 0;
    if (!(asked->dtype = dtype_of(self, given[DATATYPE], &self->last_dtype)) || !take_result(self, asked) ||
        (!given[PLACES] && !short_int(given[COUNT], &count)))
        return false;
    if (!asked->gives) {
        asked->object = Py_None;
        return true;
    }
    if (given[PLACES])
        return Py_TYPE(asked->object) == ndarray_type && PyArray_NDIM(array) == 1 &&
               is_row(asked->object, PyArray_DIM(array, 0), asked->dtype) && cut(self, asked);
    Py_ssize_t whole = self->collective->cuts ? (Py_ssize_t)count * asked->comm->size : count;
    if (!is_row(asked->object, whole, asked->dtype))
        return false;
    if (has_large_pieces(self, asked))
        return make_slices(self, asked, NULL, count);
    if (gathers_here(self, asked)) {
        asked->own = Py_NewRef(asked->object);
        asked->object = Py_None;
    }
    return true;
}

/* ---- what comes ---- */

/* Pieces of as many elements each, or as parts say, in one row. */
static PyObject *joined(PyObject *list, Py_ssize_t count, const Parts *parts, const PyObject *expected) {
    Py_ssize_t size = PyList_GET_SIZE(list);
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *piece = PyList_GET_ITEM(list, i);
        if (!is_row(piece, parts ? parts->counts[i] : count, expected) ||
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

/* Whether a row is empty, of a type, and nobody has it any more. */
static bool is_unused(PyObject *row, const PyObject *dtype) {
    return row && Py_REFCNT(row) == 1 && is_row(row, 0, dtype) &&
           !((PyArrayObject_fields *)row)->weakreflist && PyArray_ISWRITEABLE((PyArrayObject *)row);
}

/* An empty row, where this rank gets nothing: the one before, if that was dropped. */
static PyObject *empty_row(const Asked *asked) {
    static PyObject *last;
    npy_intp none = 0;
    if (likely(is_unused(last, asked->into_dtype)))
        return Py_NewRef(last);
    if (!PyArray_DescrCheck(asked->into_dtype))
        return NULL;
    PyObject *row = PyArray_SimpleNewFromDescr(1, &none, (PyArray_Descr *)Py_NewRef(asked->into_dtype));
    Py_XSETREF(last, Py_XNewRef(row));
    return row;
}

PyObject *rows_of(const Asked *asked, PyObject *came) {
    PyObject *const *given = asked->given;
    int count = 0;
    if (!asked->gets)
        return empty_row(asked);
    (void)short_int(given[INTO_COUNT] ? given[INTO_COUNT] : given[COUNT], &count);
    if (asked->own)
        PyList_SetItem(came, asked->comm->rank, Py_NewRef(asked->own));
    if (PyList_CheckExact(came))
        return joined(came, count, given[INTO_PLACES] ? &asked->parts : NULL, asked->into_dtype);
    if (came == asked->object)
        return PyArray_NewCopy((PyArrayObject *)came, NPY_CORDER);
    return is_row(came, count, asked->into_dtype) ? Py_NewRef(came) : NULL;
}
