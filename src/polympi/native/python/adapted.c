/* The sends and receives of an Adapted. */
#include "python/adapted_arguments.h"
#include "python/blocking_send.h"
#include "python/point_to_point.h"

/* ---- what is given ---- */

/* Peer and tag into the call; false: it is unusual. */
static inline bool take_peer(const Adapted *self, const Communicator *comm, PyObject *const *given,
                             Call *call) {
    call->rank = comm->rank;
    call->sends = self->sends;
    call->peer = ANY_SOURCE;
    call->tag = self->tag;
    if (given[PEER] && !short_int(given[PEER], &call->peer) && (self->sends || given[PEER] != Py_None))
        return false;
    if (given[TAG] && !short_int(given[TAG], &call->tag)) {
        if (self->sends || given[TAG] != Py_None)
            return false;
        call->tag = ANY_TAG;
    }
    if (unlikely((unsigned)call->peer >= (unsigned)comm->size) &&
        (self->sends || call->peer != ANY_SOURCE ||
         (given[PEER] && given[PEER] != Py_None && !self->wildcards)))
        return false;
    if (likely(call->tag >= 0))
        return likely(call->tag <= state.highest_tag && call->tag != self->reserved);
    return !self->sends && call->tag == ANY_TAG && (!given[TAG] || given[TAG] == Py_None || self->wildcards);
}

/* Whether an object is a row of the count and the datatype that are given. */
static inline bool is_given_row(Adapted *self, PyObject *object, PyObject *const *given) {
    int count;
    PyObject *dtype = dtype_of(self, given[DATATYPE], &self->last_dtype);
    return dtype && short_int(given[COUNT], &count) && is_row(object, count, dtype);
}

/* An array of plain memory, or a text. */
static inline bool is_data(PyObject *object) {
    if (likely(Py_TYPE(object) == ndarray_type))
        return !PyDataType_REFCHK(PyArray_DESCR((PyArrayObject *)object));
    return PyUnicode_CheckExact(object) || PyBytes_CheckExact(object);
}

/* ---- sends ---- */

/* The commonest send, as of polympi's own: 1; 0 for any other, -1 with an exception. */
static inline int send_usual_array(Adapted *self, Communicator *comm, PyObject *const *given) {
    int dest, tag = self->tag;
    if (!given[OBJECT] || Py_TYPE(given[OBJECT]) != ndarray_type || !given[PEER] ||
        !short_int(given[PEER], &dest) ||
        (given[TAG] && (!short_int(given[TAG], &tag) || tag == self->reserved)) ||
        (given[DATATYPE] && !is_given_row(self, given[OBJECT], given)))
        return 0;
    return send_array_to(comm, given[OBJECT], dest, tag);
}

/* Any other object: 1, 0 where the call is unusual, or -1. */
static int send_any(Adapted *self, Communicator *comm, PyObject *const *given) {
    Call call = {.operation = "send"};
    PyObject *object = given[OBJECT] ? given[OBJECT] : Py_None;
    if (unlikely(!take_peer(self, comm, given, &call) || (given[ARRAY] && Py_TYPE(object) != ndarray_type) ||
                 Py_TYPE(object) == self->excluded || (self->data && !is_data(object)) ||
                 (given[DATATYPE] && !is_given_row(self, object, given))))
        return 0;
    return send_standard(comm, object, &call) < 0 ? -1 : 1;
}

PyObject *adapted_send(PyObject *callable, PyObject *const *args, size_t flagged, PyObject *kwnames) {
    Adapted *self = (Adapted *)callable;
    Py_ssize_t nargs = PyVectorcall_NARGS(flagged);
    PyObject *given[ROLES];
    Communicator *comm;
    if (unlikely(!take_arguments(self, args, nargs, kwnames, given) ||
                 !(comm = take_communicator(self, given[COMM], NULL))))
        return PyObject_Vectorcall(self->otherwise, args, flagged, kwnames);
    Py_INCREF(comm); /* other threads, or methods of what is sent, may drop it */
    int sent = send_usual_array(self, comm, given);
    if (!sent)
        sent = send_any(self, comm, given);
    Py_DECREF(comm);
    if (unlikely(sent == 0))
        return PyObject_Vectorcall(self->otherwise, args, flagged, kwnames);
    if (unlikely(sent < 0))
        return tell(self, args, nargs, kwnames);
    self->calls++;
    return Py_NewRef(self->answer);
}

/* ---- receives ---- */

/* How many numbers of C an element of a type is of which nothing but itself can be received: numbers of more
 * than one byte. 0: others. */
static inline int numbers_of(PyObject *array) {
    const PyArray_Descr *dtype = PyArray_DESCR((PyArrayObject *)array);
    int type = dtype->type_num;
    if ((type >= NPY_SHORT && type <= NPY_ULONGLONG) || type == NPY_FLOAT || type == NPY_DOUBLE)
        return 1;
    return type == NPY_CFLOAT || type == NPY_CDOUBLE ? 2 : 0;
}

/* (source, tag, 0): the one before, if it is the same. A new reference. */
static PyObject *status_of(Adapted *self, const Status *status) {
    if (likely(self->known && self->known_source == status->source && self->known_tag == status->tag))
        return Py_NewRef(self->known);
    PyObject *made = self->status->tp_alloc(self->status, 3);
    if (!made)
        return NULL;
    PyTuple_SET_ITEM(made, 0, PyLong_FromLong(status->source));
    PyTuple_SET_ITEM(made, 1, PyLong_FromLong(status->tag));
    PyTuple_SET_ITEM(made, 2, PyLong_FromLong(0));
    if (PyErr_Occurred()) {
        Py_DECREF(made);
        return NULL;
    }
    self->known_source = status->source;
    self->known_tag = status->tag;
    Py_XSETREF(self->known, Py_NewRef(made));
    return made;
}

/* The pair of what came, which is stolen, and its status. */
static PyObject *with_known_status(Adapted *self, PyObject *value, const Status *status) {
    PyObject *told = status_of(self, status), *both = told ? PyTuple_New(2) : NULL;
    if (unlikely(!both)) {
        Py_XDECREF(told);
        Py_DECREF(value);
        return NULL;
    }
    PyTuple_SET_ITEM(both, 0, value);
    PyTuple_SET_ITEM(both, 1, told);
    return both;
}

/* (value, source, tag), and for an array the elements that came. The value is stolen. */
static PyObject *with_source(const Adapted *self, PyObject *value, const Status *status) {
    bool counted = self->result == COUNTED;
    PyObject *source = PyLong_FromLong(status->source), *tag = PyLong_FromLong(status->tag);
    PyObject *count = counted ? PyLong_FromSsize_t(status->elements * numbers_of(value)) : NULL;
    PyObject *all = PyTuple_New(counted ? 4 : 3);
    if (unlikely(!source || !tag || (counted && !count) || !all)) {
        Py_XDECREF(source);
        Py_XDECREF(tag);
        Py_XDECREF(count);
        Py_XDECREF(all);
        Py_DECREF(value);
        return NULL;
    }
    PyTuple_SET_ITEM(all, 0, value);
    PyTuple_SET_ITEM(all, 1, source);
    PyTuple_SET_ITEM(all, 2, tag);
    if (counted)
        PyTuple_SET_ITEM(all, 3, count);
    return all;
}

/* Remember a message of a datatype. */
static inline void remember(Adapted *self, const Call *call, PyObject *const *given) {
    int count = 0;
    (void)short_int(given[COUNT], &count);
    self->last_source = call->peer;
    self->last_tag = call->tag;
    self->last_count = count;
    if (self->last_datatype != given[DATATYPE])
        Py_XSETREF(self->last_datatype, Py_NewRef(given[DATATYPE]));
}

PyObject *adapted_receive(PyObject *callable, PyObject *const *args, size_t flagged, PyObject *kwnames) {
    Adapted *self = (Adapted *)callable;
    Py_ssize_t nargs = PyVectorcall_NARGS(flagged);
    PyObject *given[ROLES], *memory = NULL;
    Call call = {.operation = "recv"};
    Communicator *comm;
    Status status = {.place_only = self->result != COUNTED};
    if (unlikely(!take_arguments(self, args, nargs, kwnames, given) ||
                 !(comm = take_communicator(self, given[COMM], NULL)) ||
                 !take_peer(self, comm, given, &call)))
        return PyObject_Vectorcall(self->otherwise, args, flagged, kwnames);
    PyObject *into = given[INTO] == Py_None ? NULL : given[INTO];
    if (unlikely((given[ARRAY] && !into) ||
                 (self->result == COUNTED && (!into || Py_TYPE(into) != ndarray_type || !numbers_of(into))) ||
                 (into && !(memory = memory_of(into)))))
        return PyErr_Occurred() ? NULL : PyObject_Vectorcall(self->otherwise, args, flagged, kwnames);
    Py_INCREF(comm);
    PyObject *value = incoming_receive(comm, call.peer, call.tag, memory, &call,
                                       self->result == VALUE ? NULL : &status, DEFAULT_TIMEOUT);
    Py_DECREF(comm);
    if (memory && value) /* what the caller gave, not a view of it */
        Py_SETREF(value, Py_NewRef(into));
    Py_XDECREF(memory);
    if (unlikely(!value))
        return tell(self, args, nargs, kwnames);
    if (given[DATATYPE]) {
        if (unlikely(!is_given_row(self, value, given)))
            return call_with(self->mismatched, value, args, nargs, kwnames);
        remember(self, &call, given);
    }
    self->calls++;
    if (self->result == STATUS)
        return with_known_status(self, value, &status);
    if (self->result == VALUE)
        return value;
    bool is_text = PyUnicode_CheckExact(value) || PyBytes_CheckExact(value);
    PyObject *all = with_source(self, value, &status);
    if (unlikely(all && self->result == TEXT && !is_text))
        return call_with(self->mismatched, all, args, nargs, kwnames);
    return all;
}
