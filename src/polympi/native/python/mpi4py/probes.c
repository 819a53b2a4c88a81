/* mpi4py's probes. They look at the communicator of mpi4py, where messages of objects and of buffers are. */
#include "python/mpi4py/mpi4py.h"

#ifndef POLYMPI_SERIAL

#include "python/interface/point_to_point.h"
#include "transfer/receive/probe.h"

enum { LOWER_PROBE, UPPER_PROBE, LOWER_IPROBE, UPPER_IPROBE, MPROBE, IMPROBE };
enum { RECV, UPPER_RECV, IRECV, UPPER_IRECV, IS_ACTIVE, IS_EQUAL, IS_UNEQUAL, REDUCE };

static Signature probe_names = {"probe", 3, 0, 3, {"source", "tag", "status"}, {NULL}};
static PyObject *wait_word;

/* Whether a probe is one for the core: its Communicator, the call, and where its status goes. */
static Communicator *take_probe(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                                Call *call, MPI_Status **status) {
    PyObject *values[MOST_ARGUMENTS];
    Communicator *comm = attached(self);
    if (unlikely(!comm) || !takes_arguments(&probe_names, args, nargs, kwnames, values) ||
        !take_source(values[0], comm, &call->peer) || !take_any_tag(values[1], &call->tag) ||
        !take_status(values[2], status))
        return NULL;
    call->rank = comm->rank;
    return comm;
}

/* 1 there is a message, 0 there is none, or -1 with an exception. The status is filled only where there is
 * one. */
static int look(Communicator *comm, const Call *call, bool waits, MPI_Status *status) {
    Py_INCREF(comm);
    int found = waits ? probe_wait(comm, call, DEFAULT_TIMEOUT, status) : probe_now(comm, call, status);
    if (found == 0 && !waits && anything_pending())
        progress_some();
    Py_DECREF(comm);
    return waits && found == 0 ? 1 : found;
}

static PyObject *probe_by(int which, bool waits, const char *name, PyObject *self, PyObject *const *args,
                          Py_ssize_t nargs, PyObject *kwnames) {
    Call call = {.operation = name};
    MPI_Status *wanted, unwanted;
    Communicator *comm = take_probe(self, args, nargs, kwnames, &call, &wanted);
    if (!comm)
        return call_before(&probe_takeovers[which], self, args, nargs, kwnames);
    int found = look(comm, &call, waits, wanted ? wanted : &unwanted);
    return found < 0 ? told(NULL) : PyBool_FromLong(found);
}

#define PROBE(name, which, waits)                                                                            \
    static PyObject *accelerated_##name(PyObject *self, PyObject *const *args, Py_ssize_t nargs,             \
                                        PyObject *kwnames) {                                                 \
        return probe_by(which, waits, #name, self, args, nargs, kwnames);                                    \
    }
PROBE(probe, LOWER_PROBE, true)
PROBE(Probe, UPPER_PROBE, true)
PROBE(iprobe, LOWER_IPROBE, false)
PROBE(Iprobe, UPPER_IPROBE, false)

/* ---- matched messages ---- */

/* Begin to receive the message that was found. */
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

static PyObject *match_by(int which, bool waits, const char *name, PyObject *self, PyObject *const *args,
                          Py_ssize_t nargs, PyObject *kwnames) {
    Call call = {.operation = name};
    MPI_Status *wanted, status;
    Communicator *comm = take_probe(self, args, nargs, kwnames, &call, &wanted);
    if (!comm)
        return call_before(&probe_takeovers[which], self, args, nargs, kwnames);
    status.MPI_ERROR = wanted ? wanted->MPI_ERROR : MPI_SUCCESS;
    Py_INCREF(comm);
    int found = look(comm, &call, waits, &status);
    if (found > 0 && wanted)
        *wanted = status;
    PyObject *message = found > 0 ? match(comm, &status) : found == 0 ? Py_NewRef(Py_None) : NULL;
    Py_DECREF(comm);
    return told(message);
}

static PyObject *accelerated_mprobe(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                                    PyObject *kwnames) {
    return match_by(MPROBE, true, "mprobe", self, args, nargs, kwnames);
}

static PyObject *accelerated_improbe(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                                     PyObject *kwnames) {
    return match_by(IMPROBE, false, "improbe", self, args, nargs, kwnames);
}

/* ---- what can be done with them ---- */

/* The core's request that receives it, borrowed; NULL: it is not of an object, or was received. */
static inline PyObject *inner(PyObject *self) { return inner_of(self, mpi4py.message_kept); }

/* A request that receives it from now on. Copies of the message share what it receives. */
static PyObject *begin(PyObject *self) {
    PyObject *request = object_request(Py_NewRef(inner(self)));
    if (request)
        unclaimed_add(self, mpi4py.message_kept, Py_NewRef(Py_None));
    return request;
}

static Signature recv_names = {"recv", 1, 0, 1, {"status"}, {NULL}};

static PyObject *accelerated_recv(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                                  PyObject *kwnames) {
    PyObject *values[MOST_ARGUMENTS];
    MPI_Status *status;
    if (!inner(self) || !takes_arguments(&recv_names, args, nargs, kwnames, values) ||
        !take_status(values[0], &status))
        return call_before(&message_takeovers[RECV], self, args, nargs, kwnames);
    PyObject *request = begin(self);
    PyObject *value =
        request ? PyObject_CallMethodOneArg(request, wait_word, values[0] ? values[0] : Py_None) : NULL;
    Py_XDECREF(request);
    return value;
}

static PyObject *accelerated_irecv(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                                   PyObject *kwnames) {
    return inner(self) && !nargs && !kwnames
               ? begin(self)
               : call_before(&message_takeovers[IRECV], self, args, nargs, kwnames);
}

/* MPI.Exception of a message that is not for buffers, whose cause says what to do. */
static PyObject *refuse_buffer(int which, PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                               PyObject *kwnames) {
    if (!inner(self))
        return call_before(&message_takeovers[which], self, args, nargs, kwnames);
    PyErr_SetString(PyExc_TypeError,
                    "a message that mprobe or improbe has found is of an object: receive it with "
                    "recv or irecv, or find it with Mprobe or Improbe");
    PyObject *cause = take_exception();
    raise_mpi4py(MPI_ERR_REQUEST);
    PyObject *error = take_exception();
    PyException_SetCause(error, cause); /* steals it */
    PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_DECREF(error);
    return NULL;
}

static PyObject *accelerated_Recv(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                                  PyObject *kwnames) {
    return refuse_buffer(UPPER_RECV, self, args, nargs, kwnames);
}

static PyObject *accelerated_Irecv(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                                   PyObject *kwnames) {
    return refuse_buffer(UPPER_IRECV, self, args, nargs, kwnames);
}

static PyObject *accelerated___bool__(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                                      PyObject *kwnames) {
    return inner(self) ? Py_NewRef(Py_True)
                       : call_before(&message_takeovers[IS_ACTIVE], self, args, nargs, kwnames);
}

static PyObject *accelerated___eq__(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                                    PyObject *kwnames) {
    PyObject *result = call_before(&message_takeovers[IS_EQUAL], self, args, nargs, kwnames);
    return compare_inner(result, self, args, mpi4py.message_type, mpi4py.message_kept, true);
}

static PyObject *accelerated___ne__(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                                    PyObject *kwnames) {
    PyObject *result = call_before(&message_takeovers[IS_UNEQUAL], self, args, nargs, kwnames);
    return compare_inner(result, self, args, mpi4py.message_type, mpi4py.message_kept, false);
}

static PyObject *accelerated___reduce__(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                                        PyObject *kwnames) {
    return inner(self) ? refuse_reduce(self)
                       : call_before(&message_takeovers[REDUCE], self, args, nargs, kwnames);
}

/* ---- the tables ---- */

#define TAKEOVER(which, name, owner)                                                                         \
    [which] = {{#name, (PyCFunction)(void (*)(void))accelerated_##name, 0, NULL}, owner, NULL}

Takeover probe_takeovers[] = {
    TAKEOVER(LOWER_PROBE, probe, "Comm"),   TAKEOVER(UPPER_PROBE, Probe, "Comm"),
    TAKEOVER(LOWER_IPROBE, iprobe, "Comm"), TAKEOVER(UPPER_IPROBE, Iprobe, "Comm"),
    TAKEOVER(MPROBE, mprobe, "Comm"),       TAKEOVER(IMPROBE, improbe, "Comm"),
    {{NULL, NULL, 0, NULL}, NULL, NULL},
};

Takeover message_takeovers[] = {
    TAKEOVER(RECV, recv, "Message"),          TAKEOVER(UPPER_RECV, Recv, "Message"),
    TAKEOVER(IRECV, irecv, "Message"),        TAKEOVER(UPPER_IRECV, Irecv, "Message"),
    TAKEOVER(IS_ACTIVE, __bool__, "Message"), TAKEOVER(IS_EQUAL, __eq__, "Message"),
    TAKEOVER(IS_UNEQUAL, __ne__, "Message"),  TAKEOVER(REDUCE, __reduce__, "Message"),
    {{NULL, NULL, 0, NULL}, NULL, NULL},
};

int mpi4py_probes_prepare(void) {
    wait_word = PyUnicode_InternFromString("wait");
    return !wait_word || signature_prepare(&recv_names) < 0 ? -1 : signature_prepare(&probe_names);
}

#endif
