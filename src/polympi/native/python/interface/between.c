#include "python/interface/between.h"

#include <stdlib.h>
#include <string.h>

#include "base/errors.h"
#include "collectives/creation.h"
#include "python/interface/communicator.h"
#include "transfer/open_communicators.h"
#include "transfer/progress/ended.h"
#include "transfer/progress/offloaded_call.h"
#include "transfer/receive/probing_receive.h"
#include "transfer/transfer.h"

/* Set up an intercommunicator, except its `comm` and `whole`. MPI's code; without the GIL. Collective. */
static int between_open(Communicator *self) {
    int rank = 0, remote_size = 0;
    self->named = self->comm;
    self->number = next_communicator_number();
    MPI_Comm_set_errhandler(self->comm, MPI_ERRORS_RETURN);
    int code = MPI_Comm_dup(self->comm, &self->shadow);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_rank(self->comm, &rank);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_remote_size(self->comm, &remote_size);
    if (code == MPI_SUCCESS)
        code = open_communicators_add(self);
    if (code == MPI_SUCCESS) {
        self->rank = OUTSIDE - rank;
        self->probing = probes_wildcards(self) ? PROBES_WILDCARDS : 0;
        self->size = remote_size;
    }
    return code;
}

static Communicator *new_of(PyTypeObject *type) { return (Communicator *)type->tp_alloc(type, 0); }

static Call call_of(const char *operation, const Communicator *comm) {
    return (Call){.operation = operation, .rank = comm->rank, .peer = NO_PEER, .tag = NO_TAG, .comm = comm};
}

/* ---- between groups of this world ---- */

enum { LEADERS_TAG = 0 };

struct making {
    const Communicator *whole, *group;
    Communicator *made;
    int leader, other; /* ranks of the group and of the whole */
};

/* MPI's code. */
static int make(void *context) {
    struct making *making = context;
    int code = MPI_Intercomm_create(making->group->comm, making->leader, making->whole->comm, making->other,
                                    LEADERS_TAG, &making->made->comm);
    return code == MPI_SUCCESS ? between_open(making->made) : code;
}

PyObject *make_between(PyObject *Py_UNUSED(module), PyObject *args) {
    PyTypeObject *type;
    Communicator *whole, *group;
    struct making making;
    if (!PyArg_ParseTuple(args, "O!O!O!ii", &PyType_Type, &type, &Communicator_Type, &whole,
                          &Communicator_Type, &group, &making.leader, &making.other) ||
        !is_usable(whole) || !is_usable(group) || !(making.made = new_of(type)))
        return NULL;
    making.whole = whole;
    making.group = group;
    Creation creation;
    int code = MPI_SUCCESS, failed = creation_begin(&creation, whole, DUP);
    if (!failed) {
        code = creation_make(make, &making);
        creation_end(&creation);
    }
    if (failed || code != MPI_SUCCESS) {
        const Call call = call_of("create_intercomm", group);
        Py_DECREF(making.made);
        return failed ? NULL : (raise_mpi(code, &call), NULL);
    }
    making.made->whole = (Communicator *)Py_NewRef((PyObject *)whole);
    return (PyObject *)making.made;
}

/* ---- between two worlds ---- */

/* Two worlds that meet. */
typedef struct {
    MPI_Comm between;
    bool high; /* whether this world's ranks follow those of the other one */
    Communicator *whole, *made;
    Circle *circle;
    /* of the one that spawns the other */
    Communicator *group;
    PyObject *words; /* the command and its arguments; held, since `argv` points into it */
    char **argv;
    int count;
} Meeting;

/* Meet the other world, on whose ranks the same calls are made. MPI's code; without the GIL. */
static int meet(Meeting *meeting) {
    MPI_Comm notes;
    int remote = 0, own = 0,
        code = MPI_Intercomm_merge(meeting->between, meeting->high, &meeting->whole->comm);
    if (code != MPI_SUCCESS)
        return code;
    meeting->whole->named = meeting->whole->comm;
    code = communicator_open(meeting->whole);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_dup(meeting->between, &meeting->made->comm);
    if (code == MPI_SUCCESS)
        code = between_open(meeting->made);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_dup(meeting->whole->comm, &notes);
    if (code != MPI_SUCCESS)
        return code;
    MPI_Comm_size(meeting->between, &own);
    MPI_Comm_remote_size(meeting->between, &remote);
    MPI_Comm_set_errhandler(notes, MPI_ERRORS_RETURN);
    return circle_make(notes, meeting->between, meeting->high ? 0 : own, remote, &meeting->circle);
}

static int spawn_and_meet(void *context) {
    Meeting *meeting = context;
    char **arguments = meeting->argv[1] ? meeting->argv + 1 : MPI_ARGV_NULL;
    int code = MPI_Comm_spawn(meeting->argv[0], arguments, meeting->count, MPI_INFO_NULL, 0,
                              meeting->group->comm, &meeting->between, MPI_ERRCODES_IGNORE);
    return code == MPI_SUCCESS ? meet(meeting) : code;
}

static int meet_in_turn(void *context) { return meet(context); }

static void close_meeting(void *context) {
    Meeting *meeting = context;
    Py_XDECREF(meeting->whole);
    Py_XDECREF(meeting->made);
    Py_XDECREF(meeting->group);
    Py_XDECREF(meeting->words);
    PyMem_RawFree(meeting->argv);
    PyMem_RawFree(meeting);
}

static Meeting *open_meeting(PyTypeObject *type, PyTypeObject *type_between) {
    Meeting *meeting = PyMem_RawCalloc(1, sizeof *meeting);
    if (!meeting)
        return (void *)PyErr_NoMemory();
    meeting->whole = new_of(type);
    meeting->made = new_of(type_between);
    if (meeting->whole && meeting->made)
        return meeting;
    close_meeting(meeting);
    return NULL;
}

/* The pair of the communicator of all ranks and the intercommunicator. */
static PyObject *end_meeting(Meeting *meeting, int code, const Call *call) {
    PyObject *pair = NULL;
    if (code != MPI_SUCCESS)
        raise_mpi(code, call);
    else {
        circle_open(meeting->circle);
        meeting->whole->circle = meeting->circle;
        meeting->made->whole = (Communicator *)Py_NewRef((PyObject *)meeting->whole);
        pair = PyTuple_Pack(2, meeting->whole, meeting->made);
    }
    close_meeting(meeting);
    return pair;
}

/* The words of the command, which end with NULL. 0 or -1. */
static int take_words(Meeting *meeting, PyObject *words) {
    Py_ssize_t count = PyTuple_GET_SIZE(words);
    meeting->words = Py_NewRef(words);
    meeting->argv = PyMem_RawCalloc((size_t)count + 1, sizeof *meeting->argv);
    if (!meeting->argv)
        return no_memory();
    for (Py_ssize_t i = 0; i < count; i++) {
        meeting->argv[i] = PyBytes_AsString(PyTuple_GET_ITEM(words, i));
        if (!meeting->argv[i])
            return -1;
    }
    return 0;
}

/* 0 with MPI's `*code`, -1, or LEFT. */
static int make_spawn(Meeting *meeting, double seconds, const Call *call, int *code) {
    int aside = is_offloaded(seconds, false, call);
    if (aside < 0)
        return -1;
    if (!aside) {
        *code = creation_make(spawn_and_meet, meeting);
        return 0;
    }
    const OffloadedCall what = {.call = *call,
                                .comm = meeting->group->comm,
                                .make = spawn_and_meet,
                                .close = close_meeting,
                                .context = meeting};
    return offloaded_make(&what, seconds, code);
}

PyObject *spawn(PyObject *Py_UNUSED(module), PyObject *args) {
    PyTypeObject *type, *type_between;
    Communicator *group;
    PyObject *words;
    int count, code = MPI_SUCCESS;
    double seconds;
    if (!PyArg_ParseTuple(args, "O!O!O!O!id", &PyType_Type, &type, &PyType_Type, &type_between,
                          &Communicator_Type, &group, &PyTuple_Type, &words, &count, &seconds) ||
        !is_usable(group))
        return NULL;
    Meeting *meeting = open_meeting(type, type_between);
    if (!meeting)
        return NULL;
    meeting->group = (Communicator *)Py_NewRef((PyObject *)group);
    meeting->count = count;
    const Call call = call_of("spawn", group);
    Creation creation;
    if (take_words(meeting, words) < 0 || creation_begin(&creation, group, DUP) < 0) {
        close_meeting(meeting);
        return NULL;
    }
    state.connected = true;
    int failed = make_spawn(meeting, seconds, &call, &code);
    creation_end(&creation);
    if (failed == LEFT)
        return NULL;
    if (failed == 0)
        return end_meeting(meeting, code, &call);
    close_meeting(meeting);
    return NULL;
}

PyObject *meet_parent(PyObject *Py_UNUSED(module), PyObject *args) {
    PyTypeObject *type, *type_between;
    MPI_Comm parent = MPI_COMM_NULL;
    if (!PyArg_ParseTuple(args, "O!O!", &PyType_Type, &type, &PyType_Type, &type_between) || !is_running())
        return NULL;
    const Call call = {.operation = "init", .rank = state.world_rank, .peer = NO_PEER, .tag = NO_TAG};
    int code = IN_TURN(MPI_Comm_get_parent(&parent));
    if (code != MPI_SUCCESS)
        return raise_mpi(code, &call), NULL;
    if (parent == MPI_COMM_NULL)
        Py_RETURN_NONE;
    Meeting *meeting = open_meeting(type, type_between);
    if (!meeting)
        return NULL;
    meeting->between = parent;
    meeting->high = true;
    state.connected = true;
    return end_meeting(meeting, creation_make(meet_in_turn, meeting), &call);
}
