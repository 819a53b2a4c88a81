#include "python/raw/raw.h"

#include <stddef.h>
#include <stdlib.h>
#include <structmember.h>

#include "base/arguments.h"
#include "base/errors.h"
#include "collectives/creation.h"
#include "python/interface/communicator.h"
#include "transfer/open_communicators.h"
#include "transfer/progress/offloaded_call.h"
#include "transport/handles.h"

bool raw_usable(const Raw *raw) {
    if (!is_running())
        return false;
    if (!raw->size)
        raise_error("StateError", NULL, "this raw communicator was freed: use another one");
    return raw->size;
}

Raw *raw_new(MPI_Comm comm, bool owned) {
    Raw *self = (Raw *)Raw_Type.tp_alloc(&Raw_Type, 0);
    if (!self || (owned && open_communicators_add_raw(comm) != MPI_SUCCESS)) {
        Py_XDECREF((PyObject *)self);
        return self ? (Raw *)PyErr_NoMemory() : NULL;
    }
    self->comm = comm;
    self->owned = owned;
    int code = IN_TURN(MPI_Comm_rank(comm, &self->rank));
    if (code == MPI_SUCCESS)
        code = IN_TURN(MPI_Comm_size(comm, &self->size));
    if (code == MPI_SUCCESS)
        return self;
    Py_DECREF((PyObject *)self);
    raise_mpi(code, NULL);
    return NULL;
}

int raw_limit(PyObject *timeout, const Call *call, double *seconds, bool *given) {
    if (parse_timeout(timeout, seconds, call->operation) < 0)
        return -1;
    *given = *seconds != DEFAULT_TIMEOUT;
    if (!*given)
        *seconds = state.timeout;
    return 0;
}

/* ---- making and freeing them: MPI's own calls, with any partner ---- */

struct creating {
    MPI_Comm from, made;
    int color, key;
    PyObject *held; /* of an offloaded call: the communicator that it is made of */
};

static int make_part(void *context) {
    struct creating *creating = context;
    return MPI_Comm_split(creating->from, creating->color, creating->key, &creating->made);
}

static int make_copy(void *context) {
    struct creating *creating = context;
    return MPI_Comm_dup(creating->from, &creating->made);
}

static int give_back(void *context) {
    struct creating *creating = context;
    open_communicators_remove(creating->from);
    return MPI_Comm_free(&creating->from);
}

/* A communicator made after the caller has left stays allocated: its ranks would have to free it together. */
static void close_creating(void *context) {
    struct creating *creating = context;
    Py_DECREF(creating->held);
    free(creating);
}

/* A call with a time-out: 0 with MPI's code, or LEFT or -1. */
static int make_offloaded(Raw *self, struct creating *creating, int (*function)(void *context),
                          const Call *call, double seconds, int *code) {
    struct creating *moved = malloc(sizeof *moved);
    if (!moved)
        return no_memory();
    *moved = *creating;
    moved->held = Py_NewRef((PyObject *)self);
    const OffloadedCall what = {
        .call = *call, .comm = self->comm, .make = function, .close = close_creating, .context = moved};
    int failed = offloaded_make(&what, seconds, code);
    if (failed == LEFT)
        return LEFT;
    creating->made = moved->made;
    close_creating(moved);
    return failed;
}

/* The raw communicator that is made; None if there is none for this rank. */
static PyObject *create(Raw *self, struct creating *creating, int (*function)(void *context),
                        const Call *call, PyObject *timeout) {
    double seconds;
    bool given;
    int code = MPI_SUCCESS;
    if (raw_limit(timeout, call, &seconds, &given) < 0)
        return NULL;
    int aside = self->size == 1 && state.phase != HELD ? 0 : is_offloaded(seconds, given, call);
    if (aside < 0 || (aside && make_offloaded(self, creating, function, call, seconds, &code) < 0))
        return NULL;
    if (!aside)
        code = creation_make(function, creating);
    if (code != MPI_SUCCESS)
        return raise_mpi(code, call), NULL;
    if (creating->made == MPI_COMM_NULL)
        Py_RETURN_NONE;
    IN_TURN(MPI_Comm_set_errhandler(creating->made, MPI_ERRORS_RETURN));
    return (PyObject *)raw_new(creating->made, true);
}

static Signature split_signature = {"split", 2, 1, 3, {"color", "key", "timeout"}, {NULL}};

static PyObject *raw_split(Raw *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    const Call call = {.operation = "raw.split", .rank = self->rank, .peer = NO_PEER, .tag = NO_TAG};
    struct creating creating = {.from = self->comm, .made = MPI_COMM_NULL, .color = MPI_UNDEFINED};
    if (signature_parse(&split_signature, args, nargs, kwnames, values) < 0 || !is_raw_joinable(self) ||
        parse_split(values, &creating.color, &creating.key, &call) < 0)
        return NULL;
    return create(self, &creating, make_part, &call, values[2]);
}

static Signature dup_signature = {"dup", 0, 0, 1, {"timeout"}, {NULL}};

static PyObject *raw_dup(Raw *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    const Call call = {.operation = "raw.dup", .rank = self->rank, .peer = NO_PEER, .tag = NO_TAG};
    struct creating creating = {.from = self->comm, .made = MPI_COMM_NULL};
    if (signature_parse(&dup_signature, args, nargs, kwnames, values) < 0 || !is_raw_joinable(self))
        return NULL;
    return create(self, &creating, make_copy, &call, values[0]);
}

static PyObject *raw_free(Raw *self, PyObject *Py_UNUSED(unused)) {
    const Call call = {.operation = "raw.free", .rank = self->rank, .peer = NO_PEER, .tag = NO_TAG};
    struct creating creating = {.from = self->comm};
    if (!is_raw_joinable(self))
        return NULL;
    if (self->lent || !self->owned) {
        raise_error("StateError", &call, "%s",
                    self->lent ? "polympi.world was made of this communicator and needs it until MPI ends"
                               : "this communicator belongs to the code that made it, which may free it");
        return NULL;
    }
    if (offloaded_wait(self->comm, &call, state.timeout) < 0)
        return NULL;
    self->size = 0;
    int code = creation_make(give_back, &creating);
    if (code != MPI_SUCCESS)
        return raise_mpi(code, &call), NULL;
    Py_RETURN_NONE;
}

PyObject *raw_of_handle(PyObject *Py_UNUSED(module), PyObject *handle) {
    const Call call = {.operation = "raw", .rank = state.world_rank, .peer = NO_PEER, .tag = NO_TAG};
    if (!PyLong_Check(handle))
        return PyErr_Format(PyExc_TypeError, "a handle is an int");
    if (!is_running() || !has_handles(&call))
        return NULL;
    MPI_Comm comm = handle_of_number((long long)PyLong_AsUnsignedLongLongMask(handle));
    int between = 0, code = MPI_SUCCESS;
    if (comm != MPI_COMM_NULL)
        code = IN_TURN(MPI_Comm_test_inter(comm, &between));
    if (code != MPI_SUCCESS)
        raise_mpi(code, &call);
    else if (comm == MPI_COMM_NULL || between)
        raise_error(
            "MismatchError", &call, "%s",
            between
                ? "this is an intercommunicator of other code, which polympi does not take: merge it first "
                  "(MPI_Intercomm_merge)"
                : "this is MPI_COMM_NULL: this rank is in no such communicator");
    else
        return (PyObject *)raw_new(comm, false);
    return NULL;
}

/* ---- the class ---- */

static bool has_handle(const Raw *self) {
    const Call call = {.operation = "handle", .rank = self->rank, .peer = NO_PEER, .tag = NO_TAG};
    return is_raw_usable(self) && has_handles(&call);
}

static PyObject *get_handle(Raw *self, void *Py_UNUSED(unused)) {
    return has_handle(self) ? PyLong_FromLongLong(handle_number(self->comm)) : NULL;
}

static PyObject *get_handle_size(Raw *self, void *Py_UNUSED(unused)) {
    return has_handle(self) ? PyLong_FromLong(HANDLE_BYTES) : NULL;
}

static PyObject *get_fortran_handle(Raw *self, void *Py_UNUSED(unused)) {
    return has_handle(self) ? PyLong_FromLong(fortran_number(self->comm)) : NULL;
}

static PyObject *raw_repr(Raw *self) {
    if (!self->size)
        return PyUnicode_FromString("<polympi.Raw, freed>");
    return PyUnicode_FromFormat("<polympi.Raw, rank %d of %d>", self->rank, self->size);
}

static PyObject *raw_reduce(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(unused)) {
    return PyErr_Format(PyExc_TypeError,
                        "a raw communicator cannot be sent or pickled: split or dup it on all ranks instead");
}

static PyMemberDef members[] = {
    {"rank", T_INT, offsetof(Raw, rank), READONLY, "This process's rank, from 0."},
    {"size", T_INT, offsetof(Raw, size), READONLY, "How many ranks there are; 0 once freed."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"handle", (getter)get_handle, NULL, "The MPI_Comm of C, as a number.", NULL},
    {"handle_size", (getter)get_handle_size, NULL,
     "The bytes of an MPI_Comm of C: 4, an int (MPICH), or 8, a pointer (Open MPI, the ABI of the standard).",
     NULL},
    {"fortran_handle", (getter)get_fortran_handle, NULL, "The handle in Fortran, an INTEGER.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef management[] = {
    {"split", (PyCFunction)(void (*)(void))raw_split, METH_FASTCALL | METH_KEYWORDS,
     "split($self, color, key=0, *, timeout=None)\n--\n\n"
     "Raw communicators of the ranks with the same color, in the order of their keys; partners call "
     "MPI_Comm_split.\n\n"
     "Args:\n"
     "    color: 0 or more, or None (MPI_UNDEFINED) to take no part.\n"
     "    key: ranks of the new communicator follow it; equal keys, the old ranks.\n"
     "    timeout: seconds to wait; None means POLYMPI_TIMEOUT, or no limit.\n\n"
     "Returns:\n"
     "    The new one; None where color is None.\n\n"
     "Raises:\n"
     "    MismatchError: the color is negative.\n"
     "    Timeout: not all ranks called it in time. MPI cannot take it back: it goes on until they do, and "
     "nobody gets what is made then.\n\n"
     "MPI 5.0, section 7.4.2."},
    {"dup", (PyCFunction)(void (*)(void))raw_dup, METH_FASTCALL | METH_KEYWORDS,
     "dup($self, /, *, timeout=None)\n--\n\n"
     "The same ranks, with separate messages; partners call MPI_Comm_dup.\n\n"
     "Args:\n"
     "    timeout: as that of split.\n\n"
     "Raises:\n"
     "    Timeout: as split does.\n\n"
     "MPI 5.0, section 7.4.2."},
    {"free", (PyCFunction)raw_free, METH_NOARGS,
     "free($self, /)\n--\n\n"
     "Free what split or dup has made; partners call MPI_Comm_free (MPI 5.0, section 7.4.3).\n\n"
     "Raises:\n"
     "    StateError: it was made by others, or polympi.world was made of it."},
    {"__reduce__", raw_reduce, METH_NOARGS, "Refuse to be pickled."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject Raw_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "polympi.Raw",
    .tp_basicsize = sizeof(Raw),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "MPI's own messages and collectives, of the elements of arrays alone: for partners in C, C++, "
              "Fortran or "
              "with mpi4py (MPI 5.0, chapters 3 and 6).",
    .tp_repr = (reprfunc)raw_repr,
    .tp_members = members,
    .tp_getset = attributes,
};

int raw_prepare(void) {
    PyMethodDef *const tables[] = {raw_messages, raw_collectives, raw_reductions, management};
    raw_buffer_prepare();
    Raw_Type.tp_methods = join_methods(tables, sizeof tables / sizeof *tables);
    if (!Raw_Type.tp_methods || raw_messages_prepare() < 0 || raw_collectives_prepare() < 0 ||
        raw_reductions_prepare() < 0 || PREPARE_SIGNATURES(&split_signature, &dup_signature) < 0)
        return -1;
    return PyType_Ready(&Raw_Type);
}
