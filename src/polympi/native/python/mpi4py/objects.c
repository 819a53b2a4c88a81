/* mpi4py's messages of objects: send, recv and the like. */
#include "python/mpi4py/mpi4py.h"

#ifndef POLYMPI_SERIAL

#include <string.h>

#include "python/interface/communicator.h"
#include "transfer/send/sending.h"

/* The methods of the Communicator, and their numbers for any rank and tag, and for no rank. */
typedef PyObject *(*Method)(PyObject *self, FASTCALL_ARGS);
static Method send_method, ssend_method, isend_method, issend_method, irecv_method, sendrecv_method;
static PyObject *any_source, *any_tag, *no_rank, *status_keyword;

/* clang-format off */
#define OBJECT_METHODS(X)                                                                                    \
    X(Comm, send) X(Comm, bsend) X(Comm, ssend) X(Comm, isend) X(Comm, ibsend) X(Comm, issend)               \
    X(Comm, recv) X(Comm, irecv) X(Comm, sendrecv)
/* clang-format on */
enum { OBJECT_METHODS(TAKEOVER_PLACE) };

/* ---- sends ---- */

enum { OBJECT, DEST, TAG };
static Signature send_signature = {"send", 3, 2, 3, {"obj", "dest", "tag"}, {NULL}};

/* The Communicator and call of a send that the core handles, or NULL. */
static inline Communicator *take_send(PyObject *self, FASTCALL_ARGS, PyObject **values, Call *call) {
    Communicator *comm = attached(self);
    if (unlikely(!comm) || !takes_arguments(&send_signature, args, nargs, kwnames, values) ||
        !take_rank(values[DEST], comm, &call->peer) || !take_tag(values[TAG], &call->tag))
        return NULL;
    return comm;
}

static inline PyObject *send_by(Method method, int which, PyObject *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Call call;
    Communicator *comm = take_send(self, args, nargs, kwnames, values, &call);
    if (unlikely(!comm))
        return call_before(&object_takeovers[which], self, args, nargs, kwnames);
    PyObject *object = to_send(values[OBJECT]);
    if (unlikely(!object))
        return NULL;
    values[OBJECT] = object;
    Py_INCREF(comm);
    PyObject *result = method((PyObject *)comm, values, values[TAG] ? 3 : 2, NULL);
    Py_DECREF(comm);
    Py_DECREF(object);
    return checked_result(result);
}

static PyObject *accelerated_send(PyObject *self, FASTCALL_ARGS) {
    return send_by(send_method, AT_send, self, args, nargs, kwnames);
}

static PyObject *accelerated_ssend(PyObject *self, FASTCALL_ARGS) {
    return send_by(ssend_method, AT_ssend, self, args, nargs, kwnames);
}

static PyObject *accelerated_isend(PyObject *self, FASTCALL_ARGS) {
    PyObject *result = send_by(isend_method, AT_isend, self, args, nargs, kwnames);
    return result && Py_IS_TYPE(result, &Request_Type) ? object_request(result) : result;
}

static PyObject *accelerated_issend(PyObject *self, FASTCALL_ARGS) {
    PyObject *result = send_by(issend_method, AT_issend, self, args, nargs, kwnames);
    return result && Py_IS_TYPE(result, &Request_Type) ? object_request(result) : result;
}

/* Send a copy, without an attached buffer: memory is allocated as needed. */
static int start_copy(Communicator *comm, PyObject *object, const Call *call) {
    Outgoing out;
    if (outgoing_open(&out, comm, call) < 0)
        return -1;
    out.lasts = true;
    if (codec_encode(&out.stream, object) < 0 || outgoing_copy_parts(&out) < 0 ||
        outgoing_start(&out, USER, call->peer, call->tag, STANDARD) < 0 || outgoing_test(&out) < 0) {
        outgoing_close(&out);
        return -1;
    }
    outgoing_abandon(&out, 0);
    return 0;
}

static PyObject *send_copy(int which, PyObject *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = object_takeovers[which].method.ml_name, .sends = true};
    Communicator *comm = take_send(self, args, nargs, kwnames, values, &call);
    if (!comm)
        return call_before(&object_takeovers[which], self, args, nargs, kwnames);
    call.rank = comm->rank;
    PyObject *object = to_send(values[OBJECT]);
    if (!object)
        return NULL;
    Py_INCREF(comm);
    int failed = start_copy(comm, object, &call);
    Py_DECREF(comm);
    Py_DECREF(object);
    if (failed < 0)
        return mpi4py_exception();
    return which == AT_ibsend ? object_request((PyObject *)request_new()) : Py_NewRef(Py_None);
}

TAKEN_BY(bsend, send_copy)
TAKEN_BY(ibsend, send_copy)

/* ---- receives ---- */

enum { BUFFER, SOURCE_RANK, SOURCE_TAG, STATUS };
static Signature recv_signature = {"recv", 4, 0, 4, {"buf", "source", "tag", "status"}, {NULL}};
static Signature irecv_signature = {"irecv", 3, 0, 3, {"buf", "source", "tag"}, {NULL}};

/* A buffer for the pickle of a message isn't needed. */
static inline int warn_of_buffer(PyObject *buffer) {
    if (likely(!buffer || buffer == Py_None))
        return 0;
    return PyErr_WarnEx(PyExc_UserWarning, "the 'buf' argument is not used, and is deprecated in mpi4py", 1);
}

static PyObject *accelerated_recv(PyObject *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = "recv"};
    MPI_Status *status;
    Communicator *comm = attached(self);
    if (unlikely(!comm) || !takes_arguments(&recv_signature, args, nargs, kwnames, values) ||
        !take_source(values[SOURCE_RANK], comm, &call.peer) || !take_any_tag(values[SOURCE_TAG], &call.tag) ||
        !take_status(values[STATUS], &status))
        return call_before(&object_takeovers[AT_recv], self, args, nargs, kwnames);
    if (unlikely(warn_of_buffer(values[BUFFER]) < 0))
        return NULL;
    call.rank = comm->rank;
    Py_INCREF(comm);
    Status known;
    known.place_only = false;
    PyObject *value =
        incoming_receive(comm, call.peer, call.tag, NULL, &call, status ? &known : NULL, DEFAULT_TIMEOUT);
    if (value && status)
        fill_status(status, &known, false);
    Py_DECREF(comm);
    return checked_result(value);
}

/* Source and tag for the Communicator's method. */
static void translate(PyObject **values, int source, int tag) {
    if (source == ANY_SOURCE)
        values[0] = any_source;
    if (tag == ANY_TAG)
        values[1] = any_tag;
}

static PyObject *accelerated_irecv(PyObject *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    int source, tag;
    Communicator *comm = attached(self);
    if (unlikely(!comm) || !takes_arguments(&irecv_signature, args, nargs, kwnames, values) ||
        !take_source(values[SOURCE_RANK], comm, &source) || !take_any_tag(values[SOURCE_TAG], &tag))
        return call_before(&object_takeovers[AT_irecv], self, args, nargs, kwnames);
    PyObject *inner[] = {values[SOURCE_RANK], values[SOURCE_TAG]};
    translate(inner, source, tag);
    Py_INCREF(comm);
    PyObject *request = irecv_method((PyObject *)comm, inner, 2, NULL);
    Py_DECREF(comm);
    if (!request)
        return mpi4py_exception();
    receive_posted((Request *)request);
    return object_request(request);
}

/* ---- both ---- */

enum { BOTH_OBJECT, BOTH_DEST, SEND_TAG, BOTH_BUFFER, BOTH_SOURCE, RECEIVE_TAG, BOTH_STATUS };
static Signature sendrecv_signature = {
    "sendrecv", 7, 2, 7, {"sendobj", "dest", "sendtag", "recvbuf", "source", "recvtag", "status"}, {NULL}};

static bool is_no_rank(PyObject *value) {
    int rank;
    return value && take_int(value, &rank) && rank == MPI_PROC_NULL;
}

/* The value of (value, Status), which is stolen, and the status. */
static PyObject *split_status(PyObject *both, MPI_Status *status) {
    PyObject *value = NULL;
    if (both) {
        PyObject *found = PyTuple_GET_ITEM(both, 1), *nbytes = PyTuple_GET_ITEM(found, 3);
        Status known = {.source = (int)PyLong_AsLong(PyTuple_GET_ITEM(found, 0)),
                        .tag = (int)PyLong_AsLong(PyTuple_GET_ITEM(found, 1)),
                        .nbytes = nbytes == Py_None ? 0 : PyLong_AsSsize_t(nbytes)};
        fill_status(status, &known, false);
        value = Py_NewRef(PyTuple_GET_ITEM(both, 0));
        Py_DECREF(both);
    }
    return value;
}

static PyObject *accelerated_sendrecv(PyObject *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    int dest, source, send_tag, receive_tag;
    MPI_Status *status;
    Communicator *comm = attached(self);
    if (unlikely(!comm) || !takes_arguments(&sendrecv_signature, args, nargs, kwnames, values) ||
        !take_tag(values[SEND_TAG], &send_tag) || !take_any_tag(values[RECEIVE_TAG], &receive_tag) ||
        !take_status(values[BOTH_STATUS], &status))
        return call_before(&object_takeovers[AT_sendrecv], self, args, nargs, kwnames);
    bool sends = take_rank(values[BOTH_DEST], comm, &dest),
         receives = take_source(values[BOTH_SOURCE], comm, &source);
    if ((!sends && !is_no_rank(values[BOTH_DEST])) || (!receives && !is_no_rank(values[BOTH_SOURCE])))
        return call_before(&object_takeovers[AT_sendrecv], self, args, nargs, kwnames);
    PyObject *object = warn_of_buffer(values[BOTH_BUFFER]) < 0 ? NULL : to_send(values[BOTH_OBJECT]);
    if (!object)
        return NULL;
    PyObject *zero = PyLong_FromLong(0); /* a small int: never fails */
    PyObject *inner[] = {object,
                         sends ? values[BOTH_DEST] : no_rank,
                         values[SEND_TAG] ? values[SEND_TAG] : zero,
                         !receives              ? no_rank
                         : source == ANY_SOURCE ? any_source
                                                : values[BOTH_SOURCE],
                         receive_tag == ANY_TAG ? any_tag : values[RECEIVE_TAG],
                         Py_True};
    Py_INCREF(comm);
    PyObject *result = sendrecv_method((PyObject *)comm, inner, 5, status ? status_keyword : NULL);
    Py_DECREF(comm);
    Py_DECREF(zero);
    Py_DECREF(object);
    return checked_result(status ? split_status(result, status) : result);
}

/* ---- the table ---- */

Takeover object_takeovers[] = {OBJECT_METHODS(TAKEOVER_ROW) LAST_TAKEOVER};

static Method method_of(const char *name) {
    for (PyMethodDef *method = point_to_point_methods; method->ml_name; method++)
        if (!strcmp(method->ml_name, name))
            return (Method)(void (*)(void))method->ml_meth;
    return NULL;
}

int mpi4py_objects_prepare(void) {
    send_method = method_of("send");
    ssend_method = method_of("ssend");
    isend_method = method_of("isend");
    issend_method = method_of("issend");
    irecv_method = method_of("irecv");
    sendrecv_method = method_of("sendrecv");
    any_source = PyLong_FromLong(ANY_SOURCE);
    any_tag = PyLong_FromLong(ANY_TAG);
    no_rank = PyLong_FromLong(PROC_NULL);
    PyObject *status = PyUnicode_InternFromString("status");
    status_keyword = status ? PyTuple_Pack(1, status) : NULL;
    Py_XDECREF(status);
    if (!any_source || !any_tag || !no_rank || !status_keyword)
        return -1;
    return PREPARE_SIGNATURES(&send_signature, &recv_signature, &irecv_signature, &sendrecv_signature);
}

#endif
