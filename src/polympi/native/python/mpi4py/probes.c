/* mpi4py's probes, on mpi4py's communicator, which has the messages of objects and of buffers. */
#include "python/mpi4py/mpi4py.h"

#ifndef POLYMPI_SERIAL

#include "transfer/receive/probe.h"

/* clang-format off */
#define PROBE_METHODS(X)                                                                                     \
    X(Comm, probe) X(Comm, Probe) X(Comm, iprobe) X(Comm, Iprobe) X(Comm, mprobe) X(Comm, improbe)
/* clang-format on */
enum { PROBE_METHODS(TAKEOVER_PLACE) };
/* clang-format off */
#define MESSAGE_METHODS(X)                                                                                   \
    X(Message, recv) X(Message, Recv) X(Message, irecv) X(Message, Irecv) X(Message, __bool__)               \
    X(Message, __eq__) X(Message, __ne__) X(Message, __reduce__)
/* clang-format on */
enum { MESSAGE_METHODS(TAKEOVER_PLACE) };

static Signature probe_names = {"probe", 3, 0, 3, {"source", "tag", "status"}, {NULL}};
static PyObject *wait_word;

/* The Communicator, call and status of a probe that the core handles, or NULL. */
static Communicator *take_probe(PyObject *self, FASTCALL_ARGS, Call *call, MPI_Status **status) {
    PyObject *values[MOST_ARGUMENTS];
    Communicator *comm = attached(self);
    if (unlikely(!comm) || !takes_arguments(&probe_names, args, nargs, kwnames, values) ||
        !take_source(values[0], comm, &call->peer) || !take_any_tag(values[1], &call->tag) ||
        !take_status(values[2], status))
        return NULL;
    call->rank = comm->rank;
    return comm;
}

/* 1 there is a message, 0 there is none, or -1 with an exception. The status is filled only if there is one.
 */
static int look(Communicator *comm, const Call *call, bool waits, MPI_Status *status) {
    Py_INCREF(comm);
    int found = waits ? probe_wait(comm, call, DEFAULT_TIMEOUT, status) : probe_now(comm, call, status);
    if (found == 0 && !waits && anything_pending())
        progress_some();
    Py_DECREF(comm);
    return waits && found == 0 ? 1 : found;
}

static PyObject *probe_by(int which, PyObject *self, FASTCALL_ARGS) {
    Call call = {.operation = probe_takeovers[which].method.ml_name};
    MPI_Status *wanted, unwanted;
    Communicator *comm = take_probe(self, args, nargs, kwnames, &call, &wanted);
    if (!comm)
        return call_before(&probe_takeovers[which], self, args, nargs, kwnames);
    int found = look(comm, &call, which == AT_probe || which == AT_Probe, wanted ? wanted : &unwanted);
    return found < 0 ? mpi4py_exception() : PyBool_FromLong(found);
}

TAKEN_BY(probe, probe_by)
TAKEN_BY(Probe, probe_by)
TAKEN_BY(iprobe, probe_by)
TAKEN_BY(Iprobe, probe_by)

/* ---- matched messages ---- */

/* Begin to receive the message. */
static PyObject *match(Communicator *comm, const MPI_Status *status) {
    const Call call = {
        .operation = "recv", .rank = comm->rank, .peer = status->MPI_SOURCE, .tag = status->MPI_TAG};
    Request *request = request_new();
    if (!request)
        return NULL;
    request->in = incoming_start(comm, USER, call.peer, call.tag, NULL, &call);
    if (!request->in) {
        Py_DECREF(request);
        return NULL;
    }
    request->kind = RECEIVING;
    incoming_list(request->in);
    receive_posted(request);
    return matched_message((PyObject *)request);
}

static PyObject *match_by(int which, PyObject *self, FASTCALL_ARGS) {
    Call call = {.operation = probe_takeovers[which].method.ml_name};
    MPI_Status *wanted, status;
    Communicator *comm = take_probe(self, args, nargs, kwnames, &call, &wanted);
    if (!comm)
        return call_before(&probe_takeovers[which], self, args, nargs, kwnames);
    status.MPI_ERROR = wanted ? wanted->MPI_ERROR : MPI_SUCCESS;
    Py_INCREF(comm);
    int found = look(comm, &call, which == AT_mprobe, &status);
    if (found > 0 && wanted)
        *wanted = status;
    PyObject *message = found > 0 ? match(comm, &status) : found == 0 ? Py_NewRef(Py_None) : NULL;
    Py_DECREF(comm);
    return checked_result(message);
}

TAKEN_BY(mprobe, match_by)
TAKEN_BY(improbe, match_by)

/* ---- methods of messages ---- */

/* The core's request that receives it, borrowed; NULL: it isn't of an object, or was received. */
static inline PyObject *inner(PyObject *self) { return inner_of(self, mpi4py.message_kept); }

/* A request that receives it. Copies of the message share what it receives. */
static PyObject *begin(PyObject *self) {
    PyObject *request = object_request(Py_NewRef(inner(self)));
    if (request)
        keep_in(self, mpi4py.message_kept, Py_NewRef(Py_None));
    return request;
}

static Signature recv_names = {"recv", 1, 0, 1, {"status"}, {NULL}};

static PyObject *accelerated_recv(PyObject *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    MPI_Status *status;
    if (!inner(self) || !takes_arguments(&recv_names, args, nargs, kwnames, values) ||
        !take_status(values[0], &status))
        return call_before(&message_takeovers[AT_recv], self, args, nargs, kwnames);
    PyObject *request = begin(self);
    PyObject *value =
        request ? PyObject_CallMethodOneArg(request, wait_word, values[0] ? values[0] : Py_None) : NULL;
    Py_XDECREF(request);
    return value;
}

static PyObject *accelerated_irecv(PyObject *self, FASTCALL_ARGS) {
    return inner(self) && !nargs && !kwnames
               ? begin(self)
               : call_before(&message_takeovers[AT_irecv], self, args, nargs, kwnames);
}

/* Raise MPI.Exception for a message of an object, with a cause that says what to do. */
static PyObject *refuse_buffer(int which, PyObject *self, FASTCALL_ARGS) {
    if (!inner(self))
        return call_before(&message_takeovers[which], self, args, nargs, kwnames);
    PyErr_SetString(PyExc_TypeError,
                    "a message that mprobe or improbe has found is of an object: receive it with "
                    "recv or irecv, or find it with Mprobe or Improbe");
    PyObject *cause = take_exception();
    raise_mpi4py(MPI_ERR_REQUEST);
    PyObject *error = take_exception();
    PyException_SetCause(error, cause); /* steals it */
    restore_exception(error);
    return NULL;
}

TAKEN_BY(Recv, refuse_buffer)
TAKEN_BY(Irecv, refuse_buffer)

IDENTITY_METHODS(message_takeovers, mpi4py.message_type, mpi4py.message_kept)

/* ---- the tables ---- */

Takeover probe_takeovers[] = {PROBE_METHODS(TAKEOVER_ROW) LAST_TAKEOVER};

Takeover message_takeovers[] = {MESSAGE_METHODS(TAKEOVER_ROW) LAST_TAKEOVER};

int mpi4py_probes_prepare(void) {
    wait_word = PyUnicode_InternFromString("wait");
    return wait_word ? PREPARE_SIGNATURES(&recv_names, &probe_names) : -1;
}

#endif
