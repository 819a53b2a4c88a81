/* mpi4py's collectives of objects. */
#include "python/mpi4py/mpi4py.h"

#ifndef POLYMPI_SERIAL

#include "codec/numpy_api.h"
#include "collectives/collectives.h"
#include "reductions/op.h"
#include "reductions/reductions.h"

/* clang-format off */
#define COLLECTIVE_METHODS(X)                                                                                \
    X(Comm, bcast) X(Comm, gather) X(Comm, scatter) X(Comm, allgather) X(Comm, alltoall)                     \
    X(Comm, reduce) X(Comm, allreduce) X(Intracomm, scan) X(Intracomm, exscan)
/* clang-format on */
enum { COLLECTIVE_METHODS(TAKEOVER_PLACE) };

static Signature bcast_names = {"bcast", 2, 1, 2, {"obj", "root"}, {NULL}};
static Signature rooted_names = {"gather", 2, 1, 2, {"sendobj", "root"}, {NULL}};
static Signature joint_names = {"allgather", 1, 1, 1, {"sendobj"}, {NULL}};
static Signature reduce_names = {"reduce", 3, 1, 3, {"sendobj", "op", "root"}, {NULL}};
static Signature scan_names = {"scan", 2, 1, 2, {"sendobj", "op"}, {NULL}};

static inline bool take_root(PyObject *value, const Communicator *comm, int *root) {
    *root = 0;
    return !value || take_rank(value, comm, root);
}

/* ---- the root's own copy ---- */

static bool never_changes(PyObject *value) {
    PyTypeObject *type = Py_TYPE(value);
    return value == Py_None || type == &PyLong_Type || type == &PyFloat_Type || type == &PyBool_Type ||
           type == &PyUnicode_Type || type == &PyBytes_Type || type == &PyComplex_Type;
}

/* mpi4py gives the root a copy of its object, too. Steals `value`. */
static PyObject *own_copy(PyObject *value) {
    PyObject *copy;
    if (!value || never_changes(value))
        return value;
    if (ndarray_type && Py_TYPE(value) == ndarray_type && is_native(PyArray_TYPE((PyArrayObject *)value)))
        copy = PyArray_NewCopy((PyArrayObject *)value, NPY_KEEPORDER);
    else
        copy = PyObject_CallMethod(mpi4py.help, "copied", "(O)", value);
    Py_DECREF(value);
    return copy;
}

/* ---- moving objects ---- */

typedef PyObject *(*Method)(Communicator *self, FASTCALL_ARGS);

/* Call a method of the Communicator, which a destructor may drop meanwhile; the last argument may be NULL. */
static inline PyObject *call_held(Method method, Communicator *comm, PyObject *const *args,
                                  Py_ssize_t nargs) {
    Py_INCREF(comm);
    PyObject *result = method(comm, args, args[nargs - 1] ? nargs : nargs - 1, NULL);
    Py_DECREF(comm);
    return result;
}

static PyObject *accelerated_bcast(PyObject *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    int root;
    Communicator *comm = attached(self);
    if (unlikely(!comm) || !takes_arguments(&bcast_names, args, nargs, kwnames, values) ||
        !take_root(values[1], comm, &root))
        return call_before(&collective_takeovers[AT_bcast], self, args, nargs, kwnames);
    if (unlikely(join(comm, "bcast") < 0))
        return mpi4py_exception();
    bool is_root = comm->rank == root;
    PyObject *object = is_root ? to_send(values[0]) : Py_NewRef(Py_None);
    if (!object)
        return NULL;
    PyObject *inner[] = {object, values[1]};
    PyObject *result = call_held(communicator_bcast, comm, inner, 2);
    Py_DECREF(object);
    return checked_result(is_root ? own_copy(result) : result);
}

static inline PyObject *gather_by(int which, PyObject *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    const bool rooted = which == AT_gather;
    int root;
    Communicator *comm = attached(self);
    if (unlikely(!comm) ||
        !takes_arguments(rooted ? &rooted_names : &joint_names, args, nargs, kwnames, values) ||
        !take_root(values[1], comm, &root))
        return call_before(&collective_takeovers[which], self, args, nargs, kwnames);
    if (unlikely(join(comm, rooted ? "gather" : "allgather") < 0))
        return mpi4py_exception();
    PyObject *object = to_send(values[0]);
    if (!object)
        return NULL;
    PyObject *inner[] = {object, values[1]};
    PyObject *result = call_held(rooted ? communicator_gather : communicator_allgather, comm, inner, 2);
    Py_DECREF(object);
    return checked_result(result);
}

TAKEN_BY(gather, gather_by)
TAKEN_BY(allgather, gather_by)

/* The items for the ranks: mpi4py accepts any iterable, and None for as many None. */
static PyObject *items_of(PyObject *given, int size) {
    if (given == Py_None) {
        PyObject *items = PyList_New(size);
        for (int i = 0; items && i < size; i++)
            PyList_SET_ITEM(items, i, Py_NewRef(Py_None));
        return items;
    }
    PyObject *items =
        PyList_CheckExact(given) || PyTuple_CheckExact(given) ? Py_NewRef(given) : PySequence_List(given);
    if (!items || likely(!mpi4py.pickled))
        return items;
    Py_ssize_t count = PySequence_Fast_GET_SIZE(items);
    PyObject *pickled = PyList_New(count);
    for (Py_ssize_t i = 0; pickled && i < count; i++) {
        PyObject *item = to_send(PySequence_Fast_GET_ITEM(items, i));
        if (item)
            PyList_SET_ITEM(pickled, i, item);
        else
            Py_CLEAR(pickled);
    }
    Py_DECREF(items);
    return pickled;
}

/* Raise what mpi4py does for a wrong number of items, after that was reported to the other ranks. */
static PyObject *wrong_number(PyObject *result, PyObject *items, int size) {
    Py_ssize_t count = PySequence_Fast_GET_SIZE(items);
    if (!result && count != size) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "expecting %d items, got %zd", size, count);
        return NULL;
    }
    return checked_result(result);
}

static inline PyObject *scatter_by(int which, PyObject *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    const bool rooted = which == AT_scatter;
    int root;
    Communicator *comm = attached(self);
    if (unlikely(!comm) ||
        !takes_arguments(rooted ? &rooted_names : &joint_names, args, nargs, kwnames, values) ||
        !take_root(values[1], comm, &root))
        return call_before(&collective_takeovers[which], self, args, nargs, kwnames);
    if (unlikely(join(comm, rooted ? "scatter" : "alltoall") < 0))
        return mpi4py_exception();
    const bool gives = !rooted || comm->rank == root;
    const int size = comm->size;
    PyObject *items = gives ? items_of(values[0], size) : Py_NewRef(Py_None);
    if (!items)
        return NULL;
    PyObject *inner[] = {items, values[1]};
    PyObject *result = call_held(rooted ? communicator_scatter : communicator_alltoall, comm, inner, 2);
    result = gives ? wrong_number(result, items, size) : checked_result(result);
    Py_DECREF(items);
    return result;
}

TAKEN_BY(scatter, scatter_by)
TAKEN_BY(alltoall, scatter_by)

/* ---- reductions ---- */

/* The core's operation for MPI's handle, or NULL. */
static Op *known_op(MPI_Op op) {
    if (likely(op == MPI_SUM))
        return built_in_ops[OP_SUM];
    for (int code = OP_SUM + 1; code < OP_MINLOC; code++)
        if (mpi_ops[code] == op)
            return built_in_ops[code];
    return op == MPI_MINLOC ? built_in_ops[OP_MINLOC] : op == MPI_MAXLOC ? built_in_ops[OP_MAXLOC] : NULL;
}

/* The core's operation for one of mpi4py, or a function of two arguments. A new reference. */
static PyObject *op_of(PyObject *given) {
    if (!given)
        return Py_NewRef((PyObject *)built_in_ops[OP_SUM]);
    if (PyObject_TypeCheck(given, mpi4py.op_type)) {
        Op *op = known_op(*(MPI_Op *)((char *)given + mpi4py.op));
        if (op)
            return Py_NewRef((PyObject *)op);
    }
    if (!PyCallable_Check(given))
        return PyErr_Format(PyExc_TypeError, "op must be an Op or a function of two arguments, not %R",
                            given);
    return PyObject_CallFunction((PyObject *)&Op_Type, "OOs", given, Py_False, "op");
}

static inline PyObject *reduce_by(Method method, Communicator *comm, PyObject *object, PyObject *given,
                                  PyObject *root) {
    PyObject *op = op_of(given);
    if (!op)
        return NULL;
    PyObject *inner[] = {object, op, root};
    PyObject *result = call_held(method, comm, inner, 3);
    Py_DECREF(op);
    return checked_result(result);
}

static PyObject *accelerated_reduce(PyObject *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    int root;
    Communicator *comm = attached(self);
    if (unlikely(!comm) || !takes_arguments(&reduce_names, args, nargs, kwnames, values) ||
        !take_root(values[2], comm, &root))
        return call_before(&collective_takeovers[AT_reduce], self, args, nargs, kwnames);
    if (unlikely(join(comm, "reduce") < 0))
        return mpi4py_exception();
    return reduce_by(communicator_reduce, comm, values[0], values[1], values[2]);
}

#define REDUCTION(name)                                                                                      \
    static PyObject *accelerated_##name(PyObject *self, FASTCALL_ARGS) {                                     \
        PyObject *values[MOST_ARGUMENTS];                                                                    \
        Communicator *comm = attached(self);                                                                 \
        if (unlikely(!comm) || !takes_arguments(&scan_names, args, nargs, kwnames, values))                  \
            return call_before(&collective_takeovers[AT_##name], self, args, nargs, kwnames);                \
        if (unlikely(join(comm, #name) < 0))                                                                 \
            return mpi4py_exception();                                                                       \
        return reduce_by(communicator_##name, comm, values[0], values[1], NULL);                             \
    }
REDUCTION(allreduce)
REDUCTION(scan)
REDUCTION(exscan)

/* ---- the table ---- */

Takeover collective_takeovers[] = {COLLECTIVE_METHODS(TAKEOVER_ROW) LAST_TAKEOVER};

int mpi4py_collectives_prepare(void) {
    return PREPARE_SIGNATURES(&bcast_names, &rooted_names, &joint_names, &reduce_names, &scan_names);
}

#endif
