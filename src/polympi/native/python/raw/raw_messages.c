/* Messages of raw communicators. */
#include "base/errors.h"
#include "python/interface/request.h"
#include "python/raw/raw_receive.h"

/* ---- checks ---- */

/* Peer and tag, from the arguments into the call. */
static inline int raw_peer(Raw *self, PyObject *peer, const char *role, PyObject *tag, bool receives,
                           Call *call) {
    if (unlikely(parse_peer(self->rank, peer, role, tag, receives, call) < 0) ||
        unlikely(!is_raw_usable(self)))
        return -1;
    return check_peer(self->size, receives, call);
}

/* Of a receive or probe from PROC_NULL. */
static const Status null_status = {.source = PROC_NULL, .tag = ANY_TAG, .elements = 0, .nbytes = 0};

/* ---- sends ---- */

enum { ARRAY, DEST, TAG, TIMEOUT };
static Signature send_signature = {"send", 3, 2, 4, {"array", "dest", "tag", "timeout"}, {NULL}};
static Signature isend_signature = {"isend", 3, 2, 3, {"array", "dest", "tag"}, {NULL}};

/* Start it: 1 complete, 0 not yet, -1. */
static inline int start_send(Raw *self, const RawBuffer *raw, const Call *call, MPI_Request *request) {
    int complete, code = locked_send_now(raw->data, raw->count, raw->type, call->peer, call->tag, self->comm,
                                         request, &complete);
    locked_wake(self->comm, call->peer);
    return unlikely(code != MPI_SUCCESS) ? raise_mpi(code, call) : complete;
}

/* Keep a send that is pending after its call; it holds the buffer. NULL: out of memory, and the buffer is
 * never freed, since MPI uses it. */
static Sending *keep_send(Raw *self, RawBuffer *raw, PyObject *object, const Call *call,
                          MPI_Request request) {
    PyObject *error = take_exception();
    PyObject *owner = raw_buffer_owner(raw, object);
    Sending *send = owner ? sending_new((PyObject *)self, call, request, owner, raw->packed) : NULL;
    raw->packed = NULL;
    if (send)
        send->call.large = about_bytes(raw->count, raw->type);
    if (!send)
        Py_XINCREF(owner);
    Py_XDECREF(owner);
    PyErr_Clear();
    restore_exception(error);
    return send;
}

/* Wait for a send: 0, or -1, and a pending send is kept until it is complete. */
static int finish_send(Raw *self, RawBuffer *raw, PyObject *object, const Call *call, MPI_Request *request,
                       double timeout) {
    Call waiting_call = *call;
    waiting_call.large = about_bytes(raw->count, raw->type);
    if (wait_for(request, 1, MPI_STATUSES_IGNORE, &waiting_call, timeout) == 0)
        return 0;
    if (*request != MPI_REQUEST_NULL && !state.gone) {
        Sending *send = keep_send(self, raw, object, call, *request);
        if (send)
            sending_close(send, 0);
    }
    return -1;
}

static PyObject *raw_send(Raw *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = "raw.send"};
    double timeout = DEFAULT_TIMEOUT;
    MPI_Request request;
    RawBuffer raw;
    if (unlikely(signature_parse(&send_signature, args, nargs, kwnames, values) < 0 ||
                 raw_peer(self, values[DEST], "dest", values[TAG], false, &call) < 0 ||
                 (values[TIMEOUT] && parse_timeout(values[TIMEOUT], &timeout, "send") < 0)))
        return NULL;
    if (unlikely(call.peer == PROC_NULL))
        Py_RETURN_NONE;
    if (unlikely(raw_buffer_open(&raw, values[ARRAY], TO_SEND, false, &call) < 0))
        return NULL;
    int complete = start_send(self, &raw, &call, &request);
    if (unlikely(complete == 0))
        complete = finish_send(self, &raw, values[ARRAY], &call, &request, timeout);
    raw_buffer_close(&raw);
    if (unlikely(complete < 0))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *raw_isend(Raw *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = "raw.isend"};
    MPI_Request mpi_request;
    RawBuffer raw;
    if (signature_parse(&isend_signature, args, nargs, kwnames, values) < 0 ||
        raw_peer(self, values[DEST], "dest", values[TAG], false, &call) < 0)
        return NULL;
    Request *request = request_new();
    if (!request || call.peer == PROC_NULL)
        return (PyObject *)request;
    if (raw_buffer_open(&raw, values[ARRAY], TO_SEND, false, &call) < 0) {
        Py_DECREF(request);
        return NULL;
    }
    int complete = start_send(self, &raw, &call, &mpi_request);
    if (complete == 0) {
        Sending *send = keep_send(self, &raw, values[ARRAY], &call, mpi_request);
        if (send)
            request_sends(request, send);
        else {
            PyErr_NoMemory();
            complete = -1;
        }
    }
    raw_buffer_close(&raw);
    if (complete < 0)
        Py_CLEAR(request);
    return (PyObject *)request;
}

/* ---- receives ---- */

enum { INTO, SOURCE_RANK, SOURCE_TAG, STATUS, RECEIVE_TIMEOUT };
static Signature recv_signature = {"recv", 3, 1, 5, {"into", "source", "tag", "status", "timeout"}, {NULL}};
static Signature irecv_signature = {"irecv", 3, 1, 3, {"into", "source", "tag"}, {NULL}};

/* Wait for a posted receive after the first tests: 0 or -1. Recalls don't concern raw receives. */
static int wait_long(MPI_Request *request, MPI_Status *status, const RawBuffer *into, const Call *call,
                     double timeout) {
    double limit = timeout == DEFAULT_TIMEOUT ? state.timeout : timeout, end = limit > 0 ? now() + limit : 0;
    double left = limit;
    int waited;
    Call waiting_call = *call;
    waiting_call.large = about_bytes(into->count, into->type);
    while ((waited = wait_for(request, 1, status, &waiting_call, left)) > 0)
        if (limit > 0 && (left = end - now()) <= 0)
            left = 1e-9; /* what is complete is still delivered */
    if (waited == 0)
        return 0;
    if (is_raised("TruncationError")) {
        PyErr_Clear();
        return raw_buffer_raise(MPI_ERR_TRUNCATE, into, call);
    }
    if (is_raised("Error") || *request == MPI_REQUEST_NULL || state.gone)
        return -1; /* MPI has failed, or is over */
    if (take_back(request, status) || !is_timeout() || status->MPI_ERROR != MPI_SUCCESS)
        return -1;
    PyErr_Clear(); /* a message has arrived at the last moment */
    return 0;
}

/* Deliver the received elements. 0 or -1. */
static inline int arrived(const RawBuffer *raw, const MPI_Status *from, Status *status, bool wanted,
                          const Call *call) {
    if (likely(!wanted && !raw->packed && !raw->open && raw->itemsize == 1))
        return 0;
    int failed = raw_buffer_status(from, raw->itemsize, status, call);
    return raw_buffer_unpack(raw, status->nbytes) < 0 || failed ? -1 : 0;
}

/* With MPICH and ranks on several machines, cancelling a receive from any source may lose its message (see
 * probing_receive.h). So such receives probe for their message. */
static inline bool may_lose(const Call *call) {
#ifdef OPEN_MPI
    (void)call;
    return false;
#else
    return call->peer == ANY_SOURCE && (state.elsewhere || state.several_machines);
#endif
}

struct matching {
    const Raw *raw;
    const Call *call;
    MPI_Message message;
};

static int poll_match(void *context) {
    struct matching *matching = context;
    const Call *call = matching->call;
    int found = 0, code = IN_TURN(MPI_Improbe(MPI_ANY_SOURCE, mpi_tag(call->tag), matching->raw->comm, &found,
                                              &matching->message, MPI_STATUS_IGNORE));
    return code != MPI_SUCCESS ? raise_mpi(code, call) : found;
}

/* Wait for a message, and receive exactly that one: 0 or -1. No signal handler or time-out ends the receive,
 * since no other call could receive the matched message. */
static int receive_matched(Raw *self, const RawBuffer *raw, const Call *call, double timeout,
                           MPI_Status *from) {
    struct matching matching = {.raw = self, .call = call};
    MPI_Request request;
    if (wait_poll(poll_match, &matching, call, timeout) < 0)
        return -1;
    int complete = 0,
        code = IN_TURN(MPI_Imrecv(raw->data, raw->count, raw->type, &matching.message, &request));
    while (code == MPI_SUCCESS && !complete) {
        code = locked_test(&request, 1, from, &complete);
        if (!complete)
            yield_gil();
    }
    return code == MPI_SUCCESS ? 0 : raw_buffer_raise(code, raw, call);
}

/* Post a receive, and wait for it: 0 or -1. */
static inline int receive(Raw *self, const RawBuffer *raw, const Call *call, double timeout, bool wanted,
                          Status *status) {
    MPI_Request request;
    MPI_Status from;
    int complete;
    if (unlikely(may_lose(call)))
        return receive_matched(self, raw, call, timeout, &from) < 0
                   ? -1
                   : arrived(raw, &from, status, wanted, call);
    int code = RECEIVE_NOW(raw->data, raw->count, raw->type, mpi_source(call->peer), mpi_tag(call->tag),
                           self->comm, &request, &from, &complete);
    if (unlikely(code != MPI_SUCCESS))
        return raw_buffer_raise(code, raw, call);
    if (unlikely(!complete)) {
        locked_wake(self->comm, mpi_source(call->peer));
        if (wait_long(&request, &from, raw, call, timeout) < 0)
            return -1;
    }
    return arrived(raw, &from, status, wanted, call);
}

static PyObject *raw_recv(Raw *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = "raw.recv"};
    double timeout = DEFAULT_TIMEOUT;
    Status status = null_status;
    RawBuffer raw;
    if (unlikely(signature_parse(&recv_signature, args, nargs, kwnames, values) < 0 ||
                 raw_peer(self, values[SOURCE_RANK], "source", values[SOURCE_TAG], true, &call) < 0 ||
                 (values[RECEIVE_TIMEOUT] && parse_timeout(values[RECEIVE_TIMEOUT], &timeout, "recv") < 0)))
        return NULL;
    if (likely(call.peer != PROC_NULL)) {
        if (unlikely(raw_buffer_open(&raw, values[INTO], TO_RECEIVE, false, &call) < 0))
            return NULL;
        int failed = receive(self, &raw, &call, timeout, values[STATUS] != NULL, &status);
        raw_buffer_close(&raw);
        if (unlikely(failed < 0))
            return NULL;
    }
    return with_status(Py_NewRef(values[INTO]), &status, values[STATUS]);
}

static PyObject *raw_irecv(Raw *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = "raw.irecv"};
    if (signature_parse(&irecv_signature, args, nargs, kwnames, values) < 0 ||
        raw_peer(self, values[SOURCE_RANK], "source", values[SOURCE_TAG], true, &call) < 0)
        return NULL;
    Request *request = request_new();
    if (!request)
        return NULL;
    if (call.peer == PROC_NULL) {
        request_set_value(request, Py_NewRef(values[INTO]));
        request->status = null_status;
        return (PyObject *)request;
    }
    request->raw = raw_receive_start(self, values[INTO], &call);
    if (!request->raw) {
        Py_DECREF(request);
        return NULL;
    }
    request->kind = RECEIVING_PLAINLY;
    return (PyObject *)request;
}

/* ---- both ---- */

enum { BOTH_ARRAY, BOTH_DEST, SEND_TAG, BOTH_INTO, BOTH_SOURCE, RECEIVE_TAG, BOTH_STATUS, BOTH_TIMEOUT };
static Signature sendrecv_signature = {
    "sendrecv", 6, 2, 8, {"array", "dest", "sendtag", "into", "source", "recvtag", "status", "timeout"},
    {NULL}};

/* Both halves; their buffers don't overlap. 0 or -1. */
static int exchange(Raw *self, RawBuffer *sent, PyObject *array, const Call *sending, const RawBuffer *into,
                    const Call *receiving, double timeout, Status *status) {
    MPI_Request posted = MPI_REQUEST_NULL, started;
    MPI_Status from;
    bool receives = receiving->peer != PROC_NULL;
    int complete;
    if (receives && checked_irecv(into->data, into->count, into->type, mpi_source(receiving->peer),
                                  mpi_tag(receiving->tag), self->comm, &posted, receiving) < 0)
        return -1;
    complete = sending->peer == PROC_NULL ? 1 : start_send(self, sent, sending, &started);
    if (complete == 0)
        complete = finish_send(self, sent, array, sending, &started, timeout);
    if (complete < 0) {
        if (receives && !state.gone)
            take_back(&posted, &from);
        return -1;
    }
    if (!receives)
        return 0;
    return wait_long(&posted, &from, into, receiving, timeout) < 0
               ? -1
               : arrived(into, &from, status, true, receiving);
}

static PyObject *raw_sendrecv(Raw *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Call sending = {.operation = "raw.sendrecv"}, receiving = sending;
    double timeout = DEFAULT_TIMEOUT;
    Status status = null_status;
    RawBuffer sent, into;
    if (signature_parse(&sendrecv_signature, args, nargs, kwnames, values) < 0 ||
        raw_peer(self, values[BOTH_DEST], "dest", values[SEND_TAG], false, &sending) < 0 ||
        raw_peer(self, values[BOTH_SOURCE], "source", values[RECEIVE_TAG], true, &receiving) < 0 ||
        parse_timeout(values[BOTH_TIMEOUT], &timeout, "sendrecv") < 0)
        return NULL;
    if (!values[BOTH_INTO])
        return PyErr_SetString(PyExc_TypeError, "sendrecv() missing required argument 'into'"), NULL;
    if (raw_buffer_open(&sent, values[BOTH_ARRAY], TO_SEND, false, &sending) < 0)
        return NULL;
    if (raw_buffer_open(&into, values[BOTH_INTO], TO_RECEIVE, false, &receiving) < 0) {
        raw_buffer_close(&sent);
        return NULL;
    }
    int failed = raw_buffer_part(&sent, &into);
    if (!failed)
        failed = exchange(self, &sent, values[BOTH_ARRAY], &sending, &into, &receiving, timeout, &status);
    raw_buffer_close(&into);
    raw_buffer_close(&sent);
    if (failed < 0)
        return NULL;
    return with_status(Py_NewRef(values[BOTH_INTO]), &status, values[BOTH_STATUS]);
}

/* ---- probes, which know the size of a message ---- */

static Signature probe_signature = {"probe", 2, 0, 4, {"source", "tag", "dtype", "timeout"}, {NULL}};
static Signature iprobe_signature = {"iprobe", 2, 0, 3, {"source", "tag", "dtype"}, {NULL}};

struct probing {
    const Raw *raw;
    const Call *call;
    MPI_Status status;
};

static int poll_probe(void *context) {
    struct probing *probing = context;
    const Call *call = probing->call;
    int found = 0;
    return checked_iprobe(mpi_source(call->peer), mpi_tag(call->tag), probing->raw->comm, &found,
                          &probing->status, call) < 0
               ? -1
               : found;
}

/* The bytes of an element of a dtype, or of what NumPy converts to one; 1 by default. -1 with an exception.
 */
static Py_ssize_t dtype_bytes(PyObject *given) {
    if (!given || given == Py_None)
        return 1;
    PyArray_Descr *dtype;
    if (!numpy_loaded(true) || !PyArray_DescrConverter(given, &dtype))
        return -1;
    Py_ssize_t itemsize = PyDataType_ELSIZE(dtype);
    Py_DECREF(dtype);
    return itemsize ? itemsize : 1;
}

/* Elements are None if the bytes are not a whole number of them. */
static PyObject *probed(const MPI_Status *from, Py_ssize_t itemsize, const Call *call) {
    Status status;
    if (raw_buffer_status(from, 1, &status, call) < 0)
        return NULL;
    status.elements = status.nbytes % itemsize ? -1 : status.nbytes / itemsize;
    return status_object(&status);
}

static PyObject *look(Raw *self, PyObject *const *values, PyObject *dtype, Call *call, bool waits,
                      double timeout) {
    struct probing probing = {.raw = self, .call = call};
    Py_ssize_t itemsize;
    if (raw_peer(self, values[0], "source", values[1], true, call) < 0 || (itemsize = dtype_bytes(dtype)) < 0)
        return NULL;
    if (call->peer == PROC_NULL)
        return status_object(&null_status);
    int found = waits ? wait_poll(poll_probe, &probing, call, timeout) : poll_probe(&probing);
    if (found == 0)
        Py_RETURN_NONE;
    return found < 0 ? NULL : probed(&probing.status, itemsize, call);
}

static PyObject *raw_probe(Raw *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = "raw.probe"};
    double timeout;
    if (signature_parse(&probe_signature, args, nargs, kwnames, values) < 0 ||
        parse_timeout(values[3], &timeout, "probe") < 0)
        return NULL;
    return look(self, values, values[2], &call, true, timeout);
}

static PyObject *raw_iprobe(Raw *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = "raw.iprobe"};
    if (signature_parse(&iprobe_signature, args, nargs, kwnames, values) < 0)
        return NULL;
    return look(self, values, values[2], &call, false, 0);
}

/* ---- the table ---- */

#define SEND_ARGUMENTS                                                                                       \
    "Args:\n"                                                                                                \
    "    array: an array, also strided, or another buffer; bytes and the like are bytes. Its dtype "         \
    "is MPI's datatype; structures and other dtypes without an MPI type are sent as bytes.\n"                \
    "    dest: rank to send to, or PROC_NULL.\n"                                                             \
    "    tag: number that the receiver may select by.\n"
#define SEND_ERRORS                                                                                          \
    "Raises:\n"                                                                                              \
    "    RankError, TagError: there is no such rank or tag.\n"                                               \
    "    MismatchError: it has no elements of memory, or of another byte order, or more than 2147483647.\n"
#define RECEIVE_ARGUMENTS                                                                                    \
    "    into: writable array or other memory, strided if you like. A shorter message fills its first "      \
    "elements.\n"                                                                                            \
    "    source: rank to receive from, ANY_SOURCE or PROC_NULL.\n"                                           \
    "    tag: tag of the message, or ANY_TAG.\n"
#define RECEIVE_ERRORS                                                                                       \
    "    RankError, TagError: there is no such rank or tag.\n"                                               \
    "    MismatchError: into is not writable memory; or the message is not a whole number of its "           \
    "elements.\n"                                                                                            \
    "    TruncationError: the message is longer than into, and is lost.\n"

PyMethodDef raw_messages[] = {
    RAW_METHOD(
        send, "send($self, array, dest, tag=0, *, timeout=None)\n--\n\n"
              "Send the elements of an array, and nothing else: MPI_Send.\n\n" SEND_ARGUMENTS TIMEOUT_ARGUMENT
              "\n" SEND_ERRORS
              "    Timeout: it was not received in time; MPI reads from the array until it is.\n\nMPI 5.0, "
              "section 3.2.1."),
    RAW_METHOD(isend,
               "isend($self, array, dest, tag=0)\n--\n\n"
               "Begin to send; do not change the array before the request is complete.\n\n" SEND_ARGUMENTS
               "\n" SEND_ERRORS "\nMPI 5.0, section 3.7.2."),
    RAW_METHOD(recv, "recv($self, into, source=polympi.shown.ANY_SOURCE, tag=polympi.shown.ANY_TAG, *, "
                     "status=False, timeout=None)\n--\n\n"
                     "Receive elements from any partner: MPI_Recv.\n\n"
                     "Args:\n" RECEIVE_ARGUMENTS "    status: also return a Status, which says how many "
                     "elements of into, and bytes, came.\n" TIMEOUT_ARGUMENT "\n"
                     "Returns:\n"
                     "    into; with status, (into, Status).\n\n"
                     "Raises:\n"
                     "    Timeout: no message arrived in time; the receive is cancelled.\n" RECEIVE_ERRORS
                     "\nMPI 5.0, section 3.2.4."),
    RAW_METHOD(irecv, "irecv($self, into, source=polympi.shown.ANY_SOURCE, tag=polympi.shown.ANY_TAG)\n--\n\n"
                      "Begin to receive; ``wait`` of the request returns into.\n\n"
                      "Args:\n" RECEIVE_ARGUMENTS "\nRaises:\n" RECEIVE_ERRORS "\nMPI 5.0, section 3.7.2."),
    RAW_METHOD(sendrecv,
               "sendrecv($self, array, dest, sendtag=0, into=None, source=polympi.shown.ANY_SOURCE, "
               "recvtag=polympi.shown.ANY_TAG, *, "
               "status=False, timeout=None)\n--\n\n"
               "Send and receive, without either waiting for the other.\n\n"
               "Args:\n"
               "    array: what is sent; it may share memory with into.\n"
               "    dest: rank to send to, or PROC_NULL.\n"
               "    sendtag: tag of what is sent.\n"
               "    into: what is received into; it must be given.\n"
               "    source: rank to receive from, ANY_SOURCE or PROC_NULL.\n"
               "    recvtag: tag of what is received, or ANY_TAG.\n"
               "    status: also return a Status.\n" TIMEOUT_ARGUMENT "\n"
               "Returns:\n"
               "    As recv does.\n\n"
               "Raises:\n"
               "    Timeout: one of them was not complete in time.\n" RECEIVE_ERRORS
               "\nMPI 5.0, section 3.10."),
    RAW_METHOD(probe,
               "probe($self, source=polympi.shown.ANY_SOURCE, tag=polympi.shown.ANY_TAG, *, dtype=None, "
               "timeout=None)\n--\n\n"
               "Wait for a message that matches, without receiving it.\n\n"
               "Args:\n"
               "    source: rank, ANY_SOURCE or PROC_NULL.\n"
               "    tag: tag, or ANY_TAG.\n"
               "    dtype: what its elements are counted in; bytes if it is not given.\n" TIMEOUT_ARGUMENT
               "\n"
               "Returns:\n"
               "    Its Status; elements is None if the message is not a whole number of them.\n\n"
               "Raises:\n"
               "    Timeout: no message arrived in time.\n"
               "    RankError, TagError: there is no such rank or tag.\n\nMPI 5.0, section 3.8.1."),
    RAW_METHOD(
        iprobe,
        "iprobe($self, source=polympi.shown.ANY_SOURCE, tag=polympi.shown.ANY_TAG, *, dtype=None)\n--\n\n"
        "The Status of a matching message that has arrived, as of probe; or None.\n\n"
        "MPI 5.0, section 3.8.1."),
    {NULL, NULL, 0, NULL},
};

int raw_messages_prepare(void) {
    return PREPARE_SIGNATURES(&send_signature, &isend_signature, &recv_signature, &irecv_signature,
                              &probe_signature, &iprobe_signature, &sendrecv_signature);
}
