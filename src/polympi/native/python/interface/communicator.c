#include "python/interface/communicator.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <structmember.h>

#include "base/arguments.h"
#include "base/errors.h"
#include "collectives/call_log.h"
#include "collectives/creation.h"
#include "collectives/mailbox.h"
#include "collectives/placement.h"
#include "collectives/subset_notes.h"
#include "python/interface/window.h"
#include "python/raw/raw.h"
#include "python/wrapping.h"
#include "transfer/open_communicators.h"
#include "transfer/plan/channel_handshake.h"
#include "transfer/receive/probing_receive.h"
#include "transfer/transfer.h"
#include "transport/handles.h"

/* ---- making them ---- */

/* A number that no other communicator has: how many its rank 0 has made before, and the rank; the bits of the
 * rank depend on its world. */
uint64_t next_communicator_number(void) {
    static uint32_t given;
    return (uint64_t)((uint32_t)state.world_rank ^ state.family) << 32 | given++;
}

/* Set up a communicator that has ranks of another world: it uses messages only. */
static int complete_across_worlds(Communicator *self, int size) {
    int code = MPI_Bcast(&self->number, 1, MPI_UINT64_T, 0, self->shadow);
    if (code == MPI_SUCCESS) {
        self->probing = probes_wildcards(self) ? PROBES_WILDCARDS : 0;
        self->size = size;
    }
    return code;
}

int communicator_complete(Communicator *self) {
    int size = 0, code = MPI_Comm_rank(self->comm, &self->rank);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_size(self->comm, &size);
    int strangers = 0;
    if (code == MPI_SUCCESS && state.connected)
        code = count_strangers(self->comm, &strangers);
    if (code == MPI_SUCCESS && strangers)
        return complete_across_worlds(self, size);
    if (code == MPI_SUCCESS)
        code = mailboxes_open(self->shadow, &self->mailboxes, &self->together);
    if (code == MPI_SUCCESS)
        code = placement_open(self->shadow, &self->placement, &self->apart, &self->number);
    if (code == MPI_SUCCESS) {
        self->probing = probes_wildcards(self) ? PROBES_WILDCARDS : 0;
        self->size = size;
    }
    return code;
}

int communicator_open(Communicator *self) {
    self->number = next_communicator_number();
    MPI_Comm_set_errhandler(self->comm, MPI_ERRORS_RETURN);
    int code = MPI_Comm_dup(self->comm, &self->shadow);
    if (code == MPI_SUCCESS)
        code = communicator_complete(self);
    return code == MPI_SUCCESS ? open_communicators_add(self) : code;
}

PyObject *communicator_new(PyTypeObject *type, MPI_Comm comm, MPI_Comm named) {
    Communicator *self = (Communicator *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    const Call call = {.operation = "dup", .rank = state.world_rank, .peer = NO_PEER, .tag = NO_TAG};
    self->comm = comm;
    self->named = named;
    int code = IN_TURN(communicator_open(self));
    if (code != MPI_SUCCESS) {
        Py_DECREF(self);
        raise_mpi(code, &call);
        return NULL;
    }
    return (PyObject *)self;
}

/* A communicator to be made from another. */
struct making {
    Communicator *from, *made; /* NULL: not for this rank */
    int color, key;            /* of split */
    MPI_Comm raw;              /* made for other code */
};

static int make_copy(void *context) {
    struct making *making = context;
    int code = MPI_Comm_dup(making->from->comm, &making->made->comm);
    making->made->named = making->made->comm;
    return code == MPI_SUCCESS ? communicator_open(making->made) : code;
}

static int make_part(void *context) {
    struct making *making = context;
    MPI_Comm part;
    int code = MPI_Comm_split(making->from->comm, making->color, making->key, &part);
    if (code != MPI_SUCCESS || !making->made)
        return code;
    making->made->comm = making->made->named = part;
    return communicator_open(making->made);
}

/* The communicator that `make` makes; None if this rank has color None. */
static PyObject *make(struct making *making, enum verb verb, int (*make)(void *context)) {
    PyTypeObject *type = Py_TYPE(making->from);
    Creation creation;
    if (verb == DUP || making->color != MPI_UNDEFINED) {
        making->made = (Communicator *)type->tp_alloc(type, 0);
        if (!making->made)
            return NULL;
    }
    if (creation_begin(&creation, making->from, verb) < 0) {
        Py_XDECREF(making->made);
        return NULL;
    }
    int code = creation_make(make, making);
    creation_end(&creation);
    if (code != MPI_SUCCESS) {
        Py_XDECREF(making->made);
        raise_mpi(code, &creation.call);
        return NULL;
    }
    return making->made ? (PyObject *)making->made : Py_NewRef(Py_None);
}

int parse_split(PyObject *const *values, int *color, int *key, const Call *call) {
    if ((values[0] != Py_None && parse_int(values[0], color, "split", "color") < 0) ||
        (values[1] && parse_int(values[1], key, "split", "key") < 0))
        return -1;
    if (values[0] == Py_None || *color >= 0)
        return 0;
    return raise_error("MismatchError", call, "color is %d, but must be 0 or more, or None to take no part",
                       *color);
}

static Signature split_signature = {"split", 2, 1, 2, {"color", "key"}, {NULL}};

static PyObject *communicator_split(Communicator *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = "split", .rank = self->rank, .peer = NO_PEER, .tag = NO_TAG};
    int color = MPI_UNDEFINED, key = 0;
    if (signature_parse(&split_signature, args, nargs, kwnames, values) < 0 || !is_usable(self))
        return NULL;
    if (parse_split(values, &color, &key, &call) < 0)
        return NULL;
    return make(&(struct making){.from = self, .color = color, .key = key}, SPLIT, make_part);
}

static PyObject *communicator_dup(Communicator *self, PyObject *Py_UNUSED(unused)) {
    if (!is_usable(self))
        return NULL;
    return make(&(struct making){.from = self}, DUP, make_copy);
}

static int make_bare(void *context) {
    struct making *making = context;
    return MPI_Comm_dup(making->from->comm, &making->raw);
}

static PyObject *communicator_dup_for_others(Communicator *self, PyObject *Py_UNUSED(unused)) {
    struct making making = {.from = self};
    Creation creation;
    if (!is_usable(self))
        return NULL;
    if (!has_handles(&(Call){
            .operation = "to_mpi4py", .rank = self->rank, .peer = NO_PEER, .tag = NO_TAG, .comm = self}) ||
        creation_begin(&creation, self, DUP) < 0)
        return NULL;
    int code = creation_make(make_bare, &making);
    creation_end(&creation);
    if (code != MPI_SUCCESS)
        return raise_mpi(code, &creation.call), NULL;
    return PyLong_FromLong(fortran_number(making.raw));
}

PyObject *self_world(PyObject *Py_UNUSED(module), PyObject *type) {
    MPI_Comm alone;
    if (!is_running())
        return NULL;
    int code = IN_TURN(MPI_Comm_dup(MPI_COMM_SELF, &alone));
    if (code != MPI_SUCCESS)
        return raise_mpi(code, NULL), NULL;
    return communicator_new((PyTypeObject *)type, alone, MPI_COMM_SELF);
}

static PyObject *communicator_set_name(Communicator *self, PyObject *given) {
    char name[MPI_MAX_OBJECT_NAME];
    const char *text = PyUnicode_AsUTF8(given);
    if (!text || !is_usable(self))
        return NULL;
    snprintf(name, sizeof name, "%s", text);
    int code = IN_TURN(MPI_Comm_set_name(self->comm, name));
    if (code != MPI_SUCCESS)
        return raise_mpi(code, NULL), NULL;
    Py_RETURN_NONE;
}

/* ---- the class ---- */

static PyObject *communicator_repr(Communicator *self) {
    if (!self->size)
        return PyUnicode_FromFormat("<%s, freed>", Py_TYPE(self)->tp_name);
    return PyUnicode_FromFormat("<%s, rank %d of %d>", Py_TYPE(self)->tp_name, self->rank, self->size);
}

/* MPI can't free a communicator on one rank alone, so a dropped one stays allocated. */
static void communicator_dealloc(Communicator *self) {
    Py_XDECREF(self->raw);
    Py_XDECREF((PyObject *)self->whole);
    open_communicators_drop(self);
    calls_close(self);
    handshakes_close(self);
    subset_notes_close(self);
    mailboxes_close(self->mailboxes);
    free(self->placement);
    free(self->places);
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
     "The same ranks, with separate messages. All ranks call it (MPI 5.0, section 7.4.2)."},
    {"_set_name", (PyCFunction)communicator_set_name, METH_O,
     "_set_name($self, name, /)\n--\n\n"
     "Tell the MPI library the name of the communicator, of which it keeps the first bytes."},
    {"_dup_for_others", (PyCFunction)communicator_dup_for_others, METH_NOARGS,
     "_dup_for_others($self, /)\n--\n\n"
     "The handle, as Fortran has it, of a duplicate that the caller owns. All ranks call it."},
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
    .tp_getset = handle_attributes,
};

int communicator_prepare(void) {
    PyMethodDef *const tables[] = {point_to_point_methods, collective_methods, nonblocking_collective_methods,
                                   plan_methods,           management_methods, group_methods,
                                   window_methods,         freeing_methods};
    Communicator_Type.tp_methods = join_methods(tables, sizeof tables / sizeof *tables);
    if (!Communicator_Type.tp_methods || point_to_point_prepare() < 0 || collectives_prepare() < 0 ||
        nonblocking_collectives_prepare() < 0 || plan_prepare() < 0 || window_prepare() < 0 ||
        PREPARE_SIGNATURES(&split_signature) < 0)
        return -1;
    return PyType_Ready(&Communicator_Type);
}
