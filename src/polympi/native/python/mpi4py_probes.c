/* mpi4py's probes. They look at the communicator of mpi4py, where messages of objects and of buffers are. */
#include "python/mpi4py.h"

#ifndef POLYMPI_SERIAL

#include "python/point_to_point.h"
#include "transfer/probe.h"

enum { LOWER_PROBE, UPPER_PROBE, LOWER_IPROBE, UPPER_IPROBE, MPROBE, IMPROBE };

static Signature probe_names = {"probe", 3, 0, 3, {"source", "tag", "status"}, {NULL}};

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

/* 1 there is a message, 0 there is none, or -1 with an exception. */
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
    MPI_Status *wanted, status;
    Communicator *comm = take_probe(self, args, nargs, kwnames, &call, &wanted);
    if (!comm)
        return call_before(&probe_takeovers[which], self, args, nargs, kwnames);
    int found = look(comm, &call, waits, &status);
    if (found > 0 && wanted)
        *wanted = status;
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
    receive_posted();
    return matched_message((PyObject *)request);
}

static PyObject *match_by(int which, bool waits, const char *name, PyObject *self, PyObject *const *args,
                          Py_ssize_t nargs, PyObject *kwnames) {
    Call call = {.operation = name};
    MPI_Status *wanted, status;
    Communicator *comm = take_probe(self, args, nargs, kwnames, &call, &wanted);
    if (!comm)
        return call_before(&probe_takeovers[which], self, args, nargs, kwnames);
    Py_INCREF(comm);
    int found = look(comm, &call, waits, &status);
    PyObject *message = found > 0 ? match(comm, &status) : found == 0 ? Py_NewRef(Py_None) : NULL;
    Py_DECREF(comm);
    if (found > 0 && wanted)
        *wanted = status;
    else if (found == 0 && wanted)
        empty_status(wanted);
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

/* ---- the table ---- */

#define TAKEOVER(which, name)                                                                                \
    [which] = {{#name, (PyCFunction)(void (*)(void))accelerated_##name, 0, NULL}, "Comm", NULL}

Takeover probe_takeovers[] = {
    TAKEOVER(LOWER_PROBE, probe),        TAKEOVER(UPPER_PROBE, Probe), TAKEOVER(LOWER_IPROBE, iprobe),
    TAKEOVER(UPPER_IPROBE, Iprobe),      TAKEOVER(MPROBE, mprobe),     TAKEOVER(IMPROBE, improbe),
    {{NULL, NULL, 0, NULL}, NULL, NULL},
};

int mpi4py_probes_prepare(void) { return signature_prepare(&probe_names); }

#endif
