#include "communicator.h"

#include <stddef.h>
#include <structmember.h>

#include "arguments.h"
#include "collectives.h"
#include "errors.h"
#include "point_to_point.h"
#include "transfer.h"

bool usable(const Communicator *comm) {
    if (running() && !comm->size)
        raise_error("StateError", NULL, "this communicator was freed: use another one");
    return !PyErr_Occurred();
}

PyObject *communicator_new(PyTypeObject *type, MPI_Comm comm) {
    Communicator *self = (Communicator *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    const Call call = {.operation = "dup", .rank = state.world_rank, .peer = NO_PEER, .tag = NO_TAG};
    self->comm = comm;
    bool locked = enter_mpi();
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int code = MPI_Comm_dup(comm, &self->shadow);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_rank(comm, &self->rank);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_size(comm, &self->size);
    if (code == MPI_SUCCESS)
        code = mailboxes_open(self->shadow, &self->mailboxes);
    leave_mpi(locked);
    if (code != MPI_SUCCESS) {
        Py_DECREF(self);
        raise_mpi(code, &call);
        return NULL;
    }
    return (PyObject *)self;
}

/* Come together without blocking, so that the collective call that follows, which has no nonblocking form,
 * does not wait long, and other threads and pending receives go on until then. 0 or -1. */
static int assemble(Communicator *self, const Call *call, double timeout) {
    MPI_Request request;
    bool locked = enter_mpi();
    int code = MPI_Ibarrier(self->comm, &request);
    leave_mpi(locked);
    if (code != MPI_SUCCESS)
        return raise_mpi(code, call);
    return wait_for(&request, 1, MPI_STATUSES_IGNORE, call, timeout);
}

static Signature split_signature = {"split", 2, 1, 2, {"color", "key"}, {NULL}};

static PyObject *communicator_split(Communicator *self, PyObject *const *args, Py_ssize_t nargs,
                                    PyObject *kwnames) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = "split", .rank = self->rank, .peer = NO_PEER, .tag = NO_TAG};
    int color = MPI_UNDEFINED, key = 0;
    if (signature_parse(&split_signature, args, nargs, kwnames, values) < 0 || !is_usable(self))
        return NULL;
    if (values[0] != Py_None) {
        if (parse_int(values[0], &color, "split", "color") < 0)
            return NULL;
        if (color < 0) {
            raise_error("MismatchError", &call, "color is %d, but must be 0 or more, or None to take no part",
                        color);
            return NULL;
        }
    }
    if ((values[1] && parse_int(values[1], &key, "split", "key") < 0) ||
        assemble(self, &call, DEFAULT_TIMEOUT) < 0)
        return NULL;
    MPI_Comm part;
    bool locked = enter_mpi();
    int code = MPI_Comm_split(self->comm, color, key, &part);
    leave_mpi(locked);
    if (code != MPI_SUCCESS) {
        raise_mpi(code, &call);
        return NULL;
    }
    if (part == MPI_COMM_NULL)
        Py_RETURN_NONE;
    return communicator_new(Py_TYPE(self), part);
}

static PyObject *communicator_dup(Communicator *self, PyObject *Py_UNUSED(unused)) {
    Call call = {.operation = "dup", .rank = self->rank, .peer = NO_PEER, .tag = NO_TAG};
    if (!is_usable(self) || assemble(self, &call, DEFAULT_TIMEOUT) < 0)
        return NULL;
    MPI_Comm copy;
    bool locked = enter_mpi();
    int code = MPI_Comm_dup(self->comm, &copy);
    leave_mpi(locked);
    if (code != MPI_SUCCESS) {
        raise_mpi(code, &call);
        return NULL;
    }
    return communicator_new(Py_TYPE(self), copy);
}

/* Data of a message could not be fetched any more once the communicator is freed. 0 or -1. */
static int end_receives(Communicator *self, const Call *call) {
    progress();
    const Call *receive = receive_under_way(self);
    if (!receive)
        return wait_poll(give_up_abandoned, self, call, DEFAULT_TIMEOUT) < 0 ? -1 : 0;
    PyObject *text = describe_call(receive);
    if (text)
        raise_error("StateError", call, "%U is under way: wait for it, or cancel it, first", text);
    Py_XDECREF(text);
    return -1;
}

static PyObject *communicator_free(Communicator *self, PyObject *Py_UNUSED(unused)) {
    Call call = {.operation = "free", .rank = self->rank, .peer = NO_PEER, .tag = NO_TAG};
    if (!is_usable(self) || end_receives(self, &call) < 0 || assemble(self, &call, DEFAULT_TIMEOUT) < 0)
        return NULL;
    self->size = 0;
    mailboxes_close(self->mailboxes);
    self->mailboxes = NULL;
    bool locked = enter_mpi();
    int code = MPI_Comm_free(&self->shadow);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_free(&self->comm);
    leave_mpi(locked);
    if (code != MPI_SUCCESS) {
        raise_mpi(code, &call);
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *communicator_repr(Communicator *self) {
    if (!self->size)
        return PyUnicode_FromFormat("<%s, freed>", Py_TYPE(self)->tp_name);
    return PyUnicode_FromFormat("<%s, rank %d of %d>", Py_TYPE(self)->tp_name, self->rank, self->size);
}

/* MPI has no way to free a communicator on one rank alone, so that one that is only forgotten stays. */
static void communicator_dealloc(Communicator *self) {
    mailboxes_close(self->mailboxes);
    Py_TYPE(self)->tp_free(self);
}

static PyMemberDef members[] = {
    {"rank", T_INT, offsetof(Communicator, rank), READONLY, "This process's rank, from 0."},
    {"size", T_INT, offsetof(Communicator, size), READONLY, "How many ranks there are; 0 once freed."},
    {NULL, 0, 0, 0, NULL},
};

static PyMethodDef management_methods[] = {
    {"split", (PyCFunction)(void (*)(void))communicator_split, METH_FASTCALL | METH_KEYWORDS,
     "split($self, color, key=0)\n--\n\n"
     "Communicators of the ranks that give the same color, in the order of their keys. All ranks call it.\n\n"
     "Args:\n"
     "    color: 0 or more, or None to take no part.\n"
     "    key: ranks of the new communicator follow it; equal keys, the old ranks.\n\n"
     "Returns:\n"
     "    The new communicator; None where color is None.\n\n"
     "Raises:\n"
     "    MismatchError: the color is negative.\n"
     "    Timeout: not all ranks came within POLYMPI_TIMEOUT.\n\n"
     "MPI 5.0, section 7.4.2."},
    {"dup", (PyCFunction)communicator_dup, METH_NOARGS,
     "dup($self, /)\n--\n\n"
     "The same ranks, with messages of their own. All ranks call it (MPI 5.0, section 7.4.2)."},
    {"free", (PyCFunction)communicator_free, METH_NOARGS,
     "free($self, /)\n--\n\n"
     "Give the communicator back to MPI. All ranks call it; calls on it afterwards raise StateError.\n\n"
     "Raises:\n"
     "    StateError: a receive on it is under way.\n"
     "    Timeout: not all ranks came within POLYMPI_TIMEOUT.\n\n"
     "MPI libraries have room for a thousand or two (MPI 5.0, section 7.4.3)."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject Communicator_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "polympi.native.core.Communicator",
    .tp_basicsize = sizeof(Communicator),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "A group of ranks that send each other any object (MPI 5.0, chapter 7).",
    .tp_dealloc = (destructor)communicator_dealloc,
    .tp_repr = (reprfunc)communicator_repr,
    .tp_members = members,
};

/* One table of the methods of all files. */
static PyMethodDef *join_methods(PyMethodDef *const *tables, int count) {
    size_t total = 1;
    for (int t = 0; t < count; t++)
        for (PyMethodDef *method = tables[t]; method->ml_name; method++)
            total++;
    PyMethodDef *joined = PyMem_Calloc(total, sizeof *joined), *end = joined;
    for (int t = 0; joined && t < count; t++)
        for (PyMethodDef *method = tables[t]; method->ml_name; method++)
            *end++ = *method;
    if (!joined)
        PyErr_NoMemory();
    return joined;
}

int communicator_prepare(void) {
    PyMethodDef *const tables[] = {point_to_point_methods, collective_methods, management_methods};
    Communicator_Type.tp_methods = join_methods(tables, sizeof tables / sizeof *tables);
    if (!Communicator_Type.tp_methods || point_to_point_prepare() < 0 || collectives_prepare() < 0 ||
        signature_prepare(&split_signature) < 0)
        return -1;
    return PyType_Ready(&Communicator_Type);
}
