/* The methods of communicators about some of their ranks, and their ranks elsewhere. */
#include "python/interface/communicator.h"

#include "base/arguments.h"
#include "base/errors.h"
#include "collectives/creation.h"
#include "python/start.h"
#include "transfer/transfer.h"

/* ---- making a communicator of some ranks ---- */

/* One item of `ranks`, which none before it is. 0, or -1 with TypeError or RankError. */
static int parse_member(PyObject *item, int *ranks, Py_ssize_t place, const Communicator *self,
                        const Call *call) {
    if (parse_int(item, &ranks[place], "subset", "ranks") < 0)
        return -1;
    if (ranks[place] < 0 || ranks[place] >= self->size)
        return raise_error("RankError", call, "ranks has %d, but the ranks of this communicator are 0 to %d",
                           ranks[place], self->size - 1);
    for (Py_ssize_t i = 0; i < place; i++)
        if (ranks[i] == ranks[place])
            return raise_error("RankError", call, "ranks has %d twice: name each rank once", ranks[place]);
    return 0;
}

/* The ranks, on the heap: NULL with an exception, also if this rank isn't one of them. */
static int *parse_members(PyObject *given, Py_ssize_t *count, const Communicator *self, const Call *call) {
    PyObject *items = PySequence_Tuple(given);
    int *ranks = items ? PyMem_RawMalloc((size_t)PyTuple_GET_SIZE(items) * sizeof *ranks + 1) : NULL;
    bool parsed = ranks != NULL, member = false;
    *count = items ? PyTuple_GET_SIZE(items) : 0;
    if (items && !ranks)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; parsed && i < *count; i++) {
        parsed = parse_member(PyTuple_GET_ITEM(items, i), ranks, i, self, call) == 0;
        member |= parsed && ranks[i] == self->rank;
    }
    Py_XDECREF(items);
    if (parsed && !member)
        raise_error("RankError", call, "ranks doesn't have this rank: only the ranks in it make this call");
    if (parsed && member)
        return ranks;
    PyMem_RawFree(ranks);
    return NULL;
}

struct making {
    Communicator *made;
    const Subset *subset;
};

/* MPI's code. */
static int make_subset(void *context) {
    const struct making *making = context;
    const Subset *subset = making->subset;
    MPI_Group all, some;
    int code = MPI_Comm_group(subset->comm->comm, &all);
    if (code != MPI_SUCCESS)
        return code;
    code = MPI_Group_incl(all, subset->count, subset->ranks, &some);
    if (code == MPI_SUCCESS) {
        code = MPI_Comm_create_group(subset->comm->comm, some, 0, &making->made->comm);
        MPI_Group_free(&some);
    }
    MPI_Group_free(&all);
    making->made->named = making->made->comm;
    return code == MPI_SUCCESS ? communicator_open(making->made) : code;
}

/* 0, or -1 with an exception, which the other members learn of. */
static int make_agreed_subset(Subset *subset, Communicator *made) {
    Creation creation;
    int failed = creation_begin_subset(&creation, subset);
    if (!failed) {
        int code = creation_make(make_subset, &(struct making){.made = made, .subset = subset});
        creation_end(&creation);
        failed = code == MPI_SUCCESS ? 0 : raise_mpi(code, &creation.call);
    }
    subset_close(subset, failed);
    return failed;
}

static PyObject *communicator_subset(Communicator *self, PyObject *args) {
    PyTypeObject *type;
    PyObject *given;
    Py_ssize_t count;
    unsigned label = 0;
    Subset subset;
    const Call call = {.operation = "subset", .rank = self->rank, .peer = NO_PEER, .tag = NO_TAG};
    if (!PyArg_ParseTuple(args, "O!O|I", &PyType_Type, &type, &given, &label) || !is_usable(self))
        return NULL;
    int *ranks = parse_members(given, &count, self, &call);
    Communicator *made = ranks && is_usable(self) /* the numbers may have run Python code */
                             ? (Communicator *)type->tp_alloc(type, 0)
                             : NULL;
    if (!made || subset_open(&subset, self, ranks, (int)count, label) < 0 ||
        make_agreed_subset(&subset, made) < 0)
        Py_CLEAR(made);
    PyMem_RawFree(ranks);
    return (PyObject *)made;
}

/* ---- the same ranks elsewhere ---- */

/* The rank in the world of each rank. MPI's code. */
static int find_in_world(const Communicator *self, int *ranks, int *in_world) {
    MPI_Group own;
    int code = MPI_Comm_group(self->comm, &own);
    if (code != MPI_SUCCESS)
        return code;
    for (int rank = 0; rank < self->size; rank++)
        ranks[rank] = rank;
    code = MPI_Group_translate_ranks(own, self->size, ranks, ranks_of_world(), in_world);
    MPI_Group_free(&own);
    return code;
}

static PyObject *communicator_world_ranks(Communicator *self, PyObject *Py_UNUSED(unused)) {
    if (!is_usable(self))
        return NULL;
    int size = self->size, *ranks = PyMem_RawMalloc(2 * (size_t)size * sizeof *ranks);
    if (!ranks)
        return PyErr_NoMemory();
    int code = IN_TURN(find_in_world(self, ranks, ranks + size));
    PyObject *found = code == MPI_SUCCESS ? PyTuple_New(size) : (raise_mpi(code, NULL), NULL);
    for (int i = 0; found && i < size; i++) {
        PyObject *rank = PyLong_FromLong(ranks[size + i]);
        if (rank)
            PyTuple_SET_ITEM(found, i, rank);
        else
            Py_CLEAR(found);
    }
    PyMem_RawFree(ranks);
    return found;
}

PyMethodDef group_methods[] = {
    {"_subset", (PyCFunction)communicator_subset, METH_VARARGS,
     "_subset($self, type, ranks, label=0, /)\n--\n\n"
     "A communicator of that class with these ranks of this one. All of them call it, and no others. Threads "
     "may make several calls with the same ranks at a time if their labels differ."},
    {"_world_ranks", (PyCFunction)communicator_world_ranks, METH_NOARGS,
     "_world_ranks($self, /)\n--\n\nThe rank in the world of each rank."},
    {NULL, NULL, 0, NULL},
};
