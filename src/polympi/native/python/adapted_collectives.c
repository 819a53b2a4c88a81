/* The collectives of an Adapted. Whether a call is usual is found out by each rank alone: the function of
 * Python makes the same collective of polympi, so that it does not matter which of the two another rank has
 * made. */
#include "python/adapted_collectives.h"

#include "python/adapted_arguments.h"
#include "python/adapted_rows.h"
#include "reductions/op.h"
#include "reductions/reductions.h"

static const struct collective collectives[] = {
    {.name = "barrier", .call = communicator_barrier},
    {.name = "bcast", .call = communicator_bcast, .from_root = true},
    {.name = "scatter", .call = communicator_scatter, .from_root = true, .cuts = true},
    {.name = "gather", .call = communicator_gather, .to_root = true},
    {.name = "allgather", .call = communicator_allgather},
    {.name = "alltoall", .call = communicator_alltoall, .cuts = true},
    {.name = "reduce", .call = communicator_reduce, .combines = true, .to_root = true},
    {.name = "allreduce", .call = communicator_allreduce, .combines = true},
    {.name = "scan", .call = communicator_scan, .combines = true},
};

static PyObject *into_name, *counts_name; /* ("into",) and ("counts",) */

const struct collective *collective_named(const char *name) {
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        if (strcmp(collectives[i].name, name) == 0)
            return &collectives[i];
    return NULL;
}

/* A tuple of an interned name. */
static PyObject *one_name(const char *text) {
    PyObject *name = PyUnicode_InternFromString(text), *names = name ? PyTuple_Pack(1, name) : NULL;
    Py_XDECREF(name);
    return names;
}

int adapted_collectives_prepare(void) {
    return (into_name = one_name("into")) && (counts_name = one_name("counts")) ? 0 : -1;
}

/* ---- what is given ---- */

/* All functions that take something return false where the call is unusual, or there is an exception. */

static inline bool take_place(Adapted *self, Asked *asked) {
    asked->comm = (Communicator *)Py_XNewRef(take_communicator(self, asked->given[COMM], &self->last_comm));
    if (unlikely(!asked->comm))
        return false;
    const struct collective *collective = self->collective;
    PyObject *root = asked->given[ROOT_RANK];
    asked->root = 0;
    if (unlikely((root && !short_int(root, &asked->root)) ||
                 (unsigned)asked->root >= (unsigned)asked->comm->size))
        return false;
    bool is_root = asked->comm->rank == asked->root;
    asked->gives = is_root || !collective->from_root;
    asked->gets = is_root || !collective->to_root;
    return true;
}

/* Whether hash and comparison of a key are not functions of the user. */
static inline bool has_plain_hash(PyObject *key) {
    return PyLong_CheckExact(key) || PyCFunction_CheckExact(key) ||
           Py_TYPE(key)->tp_hash == PyBaseObject_Type.tp_hash;
}

static inline bool take_operation(Adapted *self, Asked *asked) {
    PyObject *key = asked->given[OPERATION], *found = NULL;
    if (!self->collective->combines)
        return true;
    if (likely(key && (key == self->last_op.key || has_plain_hash(key))))
        found = look_for(self->ops, key, &self->last_op);
    if (unlikely(!found || Py_TYPE(found) != &Op_Type))
        return false;
    asked->op = Py_NewRef(found);
    return true;
}

static inline bool is_array(PyObject *object) { return Py_TYPE(object) == ndarray_type; }

/* Whether an object is an array that has no objects of Python. */
static inline bool is_plain(PyObject *object) {
    return is_array(object) && !PyDataType_REFCHK(PyArray_DESCR((PyArrayObject *)object));
}

static inline bool is_text(PyObject *object) {
    return PyUnicode_CheckExact(object) || PyBytes_CheckExact(object);
}

static inline bool is_sequence(PyObject *object) {
    return PyList_CheckExact(object) || PyTuple_CheckExact(object);
}

static inline bool has_axis(PyObject *array) { return PyArray_NDIM((PyArrayObject *)array) > 0; }

/* Where something else than an array was given, it may still be something that the facade fills. */
static bool take_filled(const Adapted *self, Asked *asked) {
    PyObject *object = asked->object;
    if (unlikely(!numpy_loaded(false) && PyErr_Occurred())) /* otherwise nothing is an array */
        return false;
    if ((self->data && !is_plain(object)) || (asked->given[ARRAY] && !is_array(object)))
        return false;
    if (asked->gives)
        return true;
    asked->object = Py_None;
    if (self->data) {
        asked->memory = Py_NewRef(object);
        return PyArray_ISWRITEABLE((PyArrayObject *)object);
    }
    if (is_array(object))
        return (asked->memory = memory_of(object)) != NULL;
    return !PyByteArray_Check(object) && !(ndarray_type && PyObject_TypeCheck(object, ndarray_type));
}

/* An array for the pieces of all ranks; or, of texts, none. */
static bool take_gathered(Asked *asked, PyObject *into) {
    PyArrayObject *array = (PyArrayObject *)asked->object;
    if (!into && PyUnicode_CheckExact(asked->object))
        return true;
    if (!is_array(asked->object))
        return false;
    if (into)
        return (asked->memory = memory_of(into)) != NULL;
    return is_plain(asked->object) && PyArray_NDIM(array) == 1 &&
           (asked->memory = new_zeros(PyArray_DESCR(array), PyArray_DIM(array, 0) * asked->comm->size));
}

/* Whether one array has the shape of another, behind as many further axes. */
static bool has_shape(PyArrayObject *array, PyArrayObject *other, int further) {
    return PyArray_NDIM(array) == PyArray_NDIM(other) + further &&
           PyArray_CompareLists(PyArray_DIMS(array) + further, PyArray_DIMS(other), PyArray_NDIM(other));
}

static bool take_arrays(const Adapted *self, Asked *asked) {
    PyObject *into = asked->given[INTO] == Py_None ? NULL : asked->given[INTO];
    if (asked->given[ARRAY] && !into)
        return false;
    if (self->collective->call == communicator_gather)
        return take_gathered(asked, into);
    PyArrayObject *from = (PyArrayObject *)asked->object, *to = (PyArrayObject *)into;
    if (!is_plain(asked->object) || (!self->data && PyArray_NDIM(from) != 1))
        return false;
    if (!into) { /* at the root all of it is written */
        npy_intp count = PyArray_DIM(from, 0);
        PyArray_Descr *dtype = (PyArray_Descr *)Py_NewRef(PyArray_DESCR(from));
        asked->memory =
            asked->gets ? PyArray_SimpleNewFromDescr(1, &count, dtype) : PyArray_Zeros(1, &count, dtype, 0);
        return asked->memory;
    }
    bool collects = self->collective->call == communicator_allgather;
    if (!is_array(into) || PyArray_DESCR(from) != PyArray_DESCR(to) || !PyArray_ISWRITEABLE(to) ||
        !has_shape(to, from, collects) || (collects && PyArray_DIM(to, 0) != asked->comm->size))
        return false;
    asked->memory = Py_NewRef(into);
    return true;
}

/* An array is cut by polympi. */
static bool take_slices(const Adapted *self, Asked *asked) {
    PyObject *object = asked->object, *into = asked->given[INTO] == Py_None ? NULL : asked->given[INTO];
    bool array = is_array(object);
    if (self->data && !(array ? has_axis(object) : is_text(object) || (object == Py_None && !asked->gives)))
        return false;
    if (into && !(asked->memory = memory_of(into)))
        return false;
    if (!asked->gives) {
        asked->object = Py_None;
        return true;
    }
    Py_ssize_t size = asked->comm->size, length = 0;
    if (array ? is_plain(object) && has_axis(object) : !into && (is_text(object) || is_sequence(object)))
        length = PyObject_Size(object);
    if (length <= 0 || length % size != 0)
        return false;
    if (array)
        return true;
    length /= size;
    asked->slices = asked->object = PyList_New(size);
    for (Py_ssize_t i = 0; asked->slices && i < size; i++) {
        PyObject *slice = PySequence_GetSlice(object, i * length, (i + 1) * length);
        if (!slice)
            return false;
        PyList_SET_ITEM(asked->slices, i, slice);
    }
    return asked->slices;
}

static bool take_object(Adapted *self, Asked *asked) {
    PyObject *object = asked->object = asked->given[OBJECT] ? asked->given[OBJECT] : Py_None;
    switch (self->form) {
    case FILLED:
        return take_filled(self, asked);
    case ARRAYS:
        return take_arrays(self, asked);
    case PIECES:
        asked->object = asked->gives ? object : Py_None;
        return !asked->gives || is_sequence(object);
    case SLICES:
        return take_slices(self, asked);
    case ITEMS:
        return is_array(object) ? has_axis(object) : is_sequence(object) || is_text(object);
    case ROWS:
        return take_rows(self, asked);
    default:
        return Py_TYPE(object) != self->excluded;
    }
}

/* ---- what comes ---- */

/* The items of lists and tuples as one list. */
static PyObject *items_of_sequences(PyObject *pieces, Py_ssize_t count) {
    PyObject *all = PyList_New(count);
    Py_ssize_t place = 0;
    for (Py_ssize_t i = 0; all && i < PyList_GET_SIZE(pieces); i++) {
        PyObject *piece = PyList_GET_ITEM(pieces, i);
        for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(piece); k++)
            PyList_SET_ITEM(all, place++, Py_NewRef(PySequence_Fast_GET_ITEM(piece, k)));
    }
    return all;
}

/* The items of all ranks as one list. */
static PyObject *items_of(PyObject *pieces) {
    Py_ssize_t count = 0, size = PyList_GET_SIZE(pieces), i = 0;
    for (; i < size && is_sequence(PyList_GET_ITEM(pieces, i)); i++)
        count += PySequence_Fast_GET_SIZE(PyList_GET_ITEM(pieces, i));
    if (i == size)
        return items_of_sequences(pieces, count);
    PyObject *all = PyList_New(0);
    for (i = 0; all && i < size; i++) {
        PyObject *more = PySequence_InPlaceConcat(all, PyList_GET_ITEM(pieces, i));
        Py_SETREF(all, more);
    }
    return all;
}

/* The texts of all ranks as one; blanks where this rank gets nothing. */
static PyObject *text_of(const Asked *asked, PyObject *pieces) {
    if (asked->gets) {
        PyObject *nothing = PyUnicode_New(0, 0);
        PyObject *whole = nothing ? PyUnicode_Join(nothing, pieces) : NULL;
        Py_XDECREF(nothing);
        return whole;
    }
    Py_ssize_t length = PyUnicode_GET_LENGTH(asked->object) * asked->comm->size;
    PyObject *blanks = PyUnicode_New(length, ' ');
    if (blanks && length)
        memset(PyUnicode_1BYTE_DATA(blanks), ' ', (size_t)length);
    return blanks;
}

/* What the call gives; a new reference. */
static PyObject *result_of(const Adapted *self, const Asked *asked, PyObject *value) {
    if (self->result == ANSWER || asked->given[ARRAY])
        return Py_NewRef(self->answer);
    if (self->form == ROWS)
        return rows_of(asked, value);
    if (asked->memory && self->form == FILLED)
        return Py_NewRef(asked->given[OBJECT]);
    if (asked->memory)
        return Py_NewRef(asked->given[INTO] && asked->given[INTO] != Py_None ? asked->given[INTO]
                                                                             : asked->memory);
    if (self->form == ARRAYS)
        return text_of(asked, value);
    if (PyList_CheckExact(value) && self->form == ITEMS)
        return items_of(value);
    if (PyList_CheckExact(value) && self->result == TUPLE)
        return PyList_AsTuple(value);
    return Py_NewRef(value);
}

/* ---- the call ---- */

static inline PyObject *make_call(const Adapted *self, const Asked *asked) {
    PyObject *args[4];
    Py_ssize_t count = 0;
    if (self->collective->call != communicator_barrier)
        args[count++] = asked->object;
    if (asked->op)
        args[count++] = asked->op;
    if (asked->given[ROOT_RANK])
        args[count++] = asked->given[ROOT_RANK];
    PyObject *names = asked->memory ? into_name : asked->counts ? counts_name : NULL;
    args[count] = asked->memory ? asked->memory : asked->counts; /* rows have no memory, others no counts */
    return self->collective->call(asked->comm, args, count, names);
}

PyObject *adapted_collective(PyObject *callable, PyObject *const *args, size_t flagged, PyObject *kwnames) {
    Adapted *self = (Adapted *)callable;
    Py_ssize_t nargs = PyVectorcall_NARGS(flagged);
    Asked asked;
    asked.comm = NULL;
    asked.op = asked.memory = asked.counts = asked.slices = asked.own = NULL;
    PyObject *result = NULL;
    if (unlikely(!take_arguments(self, args, nargs, kwnames, asked.given) || !take_place(self, &asked) ||
                 !take_operation(self, &asked) || !take_object(self, &asked))) {
        if (!PyErr_Occurred())
            result = PyObject_Vectorcall(self->otherwise, args, flagged, kwnames);
    } else {
        PyObject *value = make_call(self, &asked);
        if (unlikely(!value))
            result = tell(self, args, nargs, kwnames);
        else if (unlikely(!(result = result_of(self, &asked, value))) && !PyErr_Occurred())
            result = call_with(self->mismatched, Py_NewRef(value), args, nargs, kwnames);
        else if (result)
            self->calls++;
        Py_XDECREF(value);
    }
    Py_XDECREF(asked.own);
    Py_XDECREF(asked.slices);
    Py_XDECREF(asked.counts);
    Py_XDECREF(asked.memory);
    Py_XDECREF(asked.op);
    Py_XDECREF(asked.comm);
    return result;
}
