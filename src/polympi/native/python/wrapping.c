#include "python/wrapping.h"

#include "base/errors.h"
#include "collectives/creation.h"
#include "python/raw/raw.h"
#include "python/start.h"
#include "transfer/progress/wait.h"
#include "transport/handles.h"

/* ---- from other code ---- */

int count_strangers(MPI_Comm comm, int *strangers) {
    MPI_Group theirs;
    int size, code = MPI_Comm_group(comm, &theirs);
    *strangers = 0;
    if (code != MPI_SUCCESS)
        return code;
    MPI_Group_size(theirs, &size);
    for (int rank = 0; rank < size && code == MPI_SUCCESS; rank++) {
        int here;
        code = MPI_Group_translate_ranks(theirs, 1, &rank, ranks_of_world(), &here);
        *strangers += here == MPI_UNDEFINED;
    }
    MPI_Group_free(&theirs);
    return code;
}

/* What decides whether polympi can use it. */
static int look_at(MPI_Comm comm, int *between, int *rank, int *strangers) {
    int code = MPI_Comm_test_inter(comm, between);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_rank(comm, rank);
    return code == MPI_SUCCESS && !*between ? count_strangers(comm, strangers) : code;
}

/* Whether polympi can use it: 0, or -1 with MismatchError, the same on all its ranks. */
static int check_foreign(MPI_Comm comm, Call *call) {
    if (comm == MPI_COMM_NULL)
        return raise_error("MismatchError", call,
                           "this is MPI_COMM_NULL: this rank is in no such communicator");
    int between = 0, strangers = 0, code = IN_TURN(look_at(comm, &between, &call->rank, &strangers));
    if (code != MPI_SUCCESS)
        return raise_mpi(code, call);
    if (between)
        return raise_error(
            "MismatchError", call,
            "this is an intercommunicator of other code, which polympi does not take: merge it first "
            "(MPI_Intercomm_merge)");
    if (strangers)
        return raise_error("MismatchError", call,
                           "%d of its ranks do not belong to polympi.world, so that they could not answer: "
                           "speak with them by polympi.raw",
                           strangers);
    return 0;
}

/* Wait until all ranks have called wrap, interruptibly; what follows doesn't wait long. */
static int meet(MPI_Comm comm, const Call *call) {
    MPI_Request request;
    int code = IN_TURN(and_wake_all(MPI_Ibarrier(comm, &request), comm));
    if (code != MPI_SUCCESS)
        return raise_mpi(code, call);
    return wait_for(&request, 1, MPI_STATUSES_IGNORE, call, DEFAULT_TIMEOUT);
}

struct copying {
    MPI_Comm from, made;
};

static int copy(void *context) {
    struct copying *copying = context;
    return MPI_Comm_dup(copying->from, &copying->made);
}

PyObject *wrap(PyObject *Py_UNUSED(module), PyObject *args) {
    PyTypeObject *type;
    PyObject *given;
    Call call = {.operation = "wrap", .rank = state.world_rank, .peer = NO_PEER, .tag = NO_TAG};
    if (!PyArg_ParseTuple(args, "O!O!", &PyType_Type, &type, &PyLong_Type, &given) || !is_running() ||
        !has_handles(&call))
        return NULL;
    /* masked: mpi4py returns a negative int as an unsigned number of 64 bits */
    struct copying copying = {.from = handle_of_number((long long)PyLong_AsUnsignedLongLongMask(given))};
    if (check_foreign(copying.from, &call) < 0 || meet(copying.from, &call) < 0)
        return NULL;
    int code = creation_make(copy, &copying);
    if (code != MPI_SUCCESS)
        return raise_mpi(code, &call), NULL;
    return communicator_new(type, copying.made, copying.made);
}

PyObject *from_fortran(PyObject *Py_UNUSED(module), PyObject *number) {
    int given;
    const Call call = {.operation = "wrap", .rank = state.world_rank, .peer = NO_PEER, .tag = NO_TAG};
    if (parse_int(number, &given, "wrap", "handle") < 0 || !is_running() || !has_handles(&call))
        return NULL;
    return PyLong_FromLongLong(handle_number(handle_of_fortran(given)));
}

/* ---- for other code ---- */

static bool has_handle(const Communicator *self) {
    const Call call = {.operation = "handle", .rank = self->rank, .peer = NO_PEER, .tag = NO_TAG};
    return is_usable(self) && has_handles(&call);
}

static PyObject *get_handle(Communicator *self, void *Py_UNUSED(unused)) {
    return has_handle(self) ? PyLong_FromLongLong(handle_number(self->named)) : NULL;
}

static PyObject *get_handle_size(Communicator *self, void *Py_UNUSED(unused)) {
    return has_handle(self) ? PyLong_FromLong(HANDLE_BYTES) : NULL;
}

static PyObject *get_fortran_handle(Communicator *self, void *Py_UNUSED(unused)) {
    return has_handle(self) ? PyLong_FromLong(fortran_number(self->named)) : NULL;
}

static PyObject *get_raw(Communicator *self, void *Py_UNUSED(unused)) {
    if (!is_usable(self))
        return NULL;
    if (!self->raw)
        self->raw = (PyObject *)raw_new(self->named, false);
    return Py_XNewRef(self->raw);
}

static PyObject *get_plain(Communicator *self, void *closure) {
    const char *advice = "'plain' is now called 'raw', and goes with the next release: write comm.raw";
    return PyErr_WarnEx(PyExc_DeprecationWarning, advice, 1) < 0 ? NULL : get_raw(self, closure);
}

PyGetSetDef handle_attributes[] = {
    {"plain", (getter)get_plain, NULL, "The former name of ``raw``.", NULL},
    {"raw", (getter)get_raw, NULL,
     "MPI's own messages and collectives, of elements alone, among the same ranks: a Raw. That of "
     "``polympi.world`` is on MPI_COMM_WORLD; those of others are on their own communicator, on which the "
     "other messages of the program travel, too.",
     NULL},
    {"handle", (getter)get_handle, NULL,
     "The MPI_Comm of C, as a number, for ctypes, cffi and the like: for ``polympi.world`` MPI_COMM_WORLD, "
     "on "
     "which polympi sends nothing; for others their own, on which the messages of the program travel, too, "
     "so "
     "give others a ``dup``.",
     NULL},
    {"handle_size", (getter)get_handle_size, NULL,
     "The bytes of an MPI_Comm of C: 4, an int (MPICH), or 8, a pointer (Open MPI, the ABI of the standard).",
     NULL},
    {"fortran_handle", (getter)get_fortran_handle, NULL,
     "The handle of the same communicator in Fortran, an INTEGER (MPI 5.0, section 19.3.4).", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
