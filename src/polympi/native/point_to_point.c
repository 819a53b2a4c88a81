#include "point_to_point.h"

#include "arguments.h"
#include "errors.h"
#include "request.h"
#include "simple_array.h"
#include "transfer.h"

/* ---- what all of them check ---- */

static int raise_tag(const Call *call) {
    if (call->tag == ANY_TAG)
        return raise_error("TagError", call, "ANY_TAG is for receives: give the message a tag from 0 to %d",
                           state.highest_tag);
    return raise_error("TagError", call, "tag is %d, but tags are 0 to %d here", call->tag,
                       state.highest_tag);
}

static inline int check_tag(bool receives, const Call *call) {
    if (likely((call->tag >= 0 && call->tag <= state.highest_tag) || (receives && call->tag == ANY_TAG)))
        return 0;
    return raise_tag(call);
}

/* Peer and tag, from the arguments into the call; 0 or -1. */
static inline int resolve_peer(Communicator *self, PyObject *peer, const char *role, PyObject *tag,
                               bool receives, Call *call) {
    call->rank = self->rank;
    call->sends = !receives;
    call->peer = receives ? ANY_SOURCE : PROC_NULL;
    call->tag = receives ? ANY_TAG : 0;
    if ((peer && unlikely(parse_int(peer, &call->peer, call->operation, role) < 0)) ||
        (tag && unlikely(parse_int(tag, &call->tag, call->operation, "tag") < 0)) ||
        unlikely(!is_usable(self)))
        return -1;
    if (unlikely(check_rank(call->peer, self->size, receives ? SOURCE : DESTINATION, call) < 0))
        return -1;
    return check_tag(receives, call);
}

/* ---- blocking sends ---- */

enum { OBJECT, DEST, TAG, TIMEOUT };
static Signature send_signature = {"send", 3, 2, 4, {"obj", "dest", "tag", "timeout"}, {NULL}};
static Signature ssend_signature = {"ssend", 3, 2, 4, {"obj", "dest", "tag", "timeout"}, {NULL}};
static Signature rsend_signature = {"rsend", 3, 2, 4, {"obj", "dest", "tag", "timeout"}, {NULL}};
static Signature bsend_signature = {"bsend", 3, 2, 4, {"obj", "dest", "tag", "timeout"}, {NULL}};

/* Start sending a simple array: COMPLETED where that was all, STARTED where it has to be waited for; 0 for
 * any other object; -1. */
enum { STARTED = 1, COMPLETED };
static inline int start_array(Outgoing *out, PyObject *object, const Call *call) {
    Py_ssize_t nbytes = simple_message(object, out->block);
    if (unlikely(!nbytes))
        return outgoing_start_simple(out, object, call->peer, call->tag);
    int complete = 0;
    bool locked = enter_mpi();
    int code =
        MPI_Isend(out->block, (int)nbytes, MPI_BYTE, call->peer, call->tag, out->comm->comm, out->first);
    if (likely(code == MPI_SUCCESS)) {
        out->request_count = 1;
        code = MPI_Test(out->first, &complete, MPI_STATUS_IGNORE);
    }
    leave_mpi(locked);
    return unlikely(code != MPI_SUCCESS) ? raise_mpi(code, call) : complete ? COMPLETED : STARTED;
}

static inline PyObject *blocking_send(Communicator *self, PyObject *const *args, Py_ssize_t nargs,
                                      PyObject *kwnames, const Signature *signature, enum mode mode) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = signature->function};
    double timeout = DEFAULT_TIMEOUT;
    Outgoing out;
    if (unlikely(signature_parse(signature, args, nargs, kwnames, values) < 0 ||
                 resolve_peer(self, values[DEST], "dest", values[TAG], false, &call) < 0 ||
                 (values[TIMEOUT] && parse_timeout(values[TIMEOUT], &timeout, call.operation) < 0)))
        return NULL;
    if (unlikely(call.peer == PROC_NULL))
        Py_RETURN_NONE;
    if (unlikely(outgoing_open(&out, self, &call) < 0))
        return NULL;
    int started = mode == STANDARD ? start_array(&out, values[OBJECT], &call) : 0;
    if (likely(started == COMPLETED)) {
        block_give(out.block);
        Py_RETURN_NONE;
    }
    if (unlikely(started < 0 || (!started && (codec_encode(&out.stream, values[OBJECT]) < 0 ||
                                              outgoing_start(&out, USER, call.peer, call.tag, mode) < 0)))) {
        outgoing_close(&out);
        return NULL;
    }
    if (unlikely(outgoing_wait(&out, timeout) < 0))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *communicator_send(Communicator *self, PyObject *const *args, Py_ssize_t nargs,
                                   PyObject *kwnames) {
    return blocking_send(self, args, nargs, kwnames, &send_signature, STANDARD);
}

static PyObject *communicator_ssend(Communicator *self, PyObject *const *args, Py_ssize_t nargs,
                                    PyObject *kwnames) {
    return blocking_send(self, args, nargs, kwnames, &ssend_signature, SYNCHRONOUS);
}

static PyObject *communicator_rsend(Communicator *self, PyObject *const *args, Py_ssize_t nargs,
                                    PyObject *kwnames) {
    return blocking_send(self, args, nargs, kwnames, &rsend_signature, READY);
}

/* ---- buffered sends: a copy that nobody waits for ---- */

static Py_ssize_t attached = -1; /* bytes; -1: none */

/* What a small message holds besides data: heads of arrays, lengths. Not counted, so that
 * `buffer_attach(a.nbytes)` is enough for `bsend(a)`. */
#define UNCOUNTED_BYTES 128

PyObject *set_buffer(PyObject *Py_UNUSED(module), PyObject *nbytes) {
    Py_ssize_t before = attached, given = PyNumber_AsSsize_t(nbytes, PyExc_OverflowError);
    if (given == -1 && PyErr_Occurred())
        return NULL;
    attached = given;
    return PyLong_FromSsize_t(before);
}

PyObject *buffer_in_use(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    if (state.phase == RUNNING)
        progress();
    return PyLong_FromSsize_t(buffered_bytes());
}

/* The bytes this message takes of the attached buffer; -1 with NoBufferError when there is no room. */
static Py_ssize_t take_buffer(const Stream *stream, const Call *call) {
    if (attached < 0)
        return raise_error("NoBufferError", call,
                           "no buffer is attached: call polympi.buffer_attach(nbytes) first");
    Py_ssize_t needed = stream->used > UNCOUNTED_BYTES ? stream->used - UNCOUNTED_BYTES : 0;
    for (int i = 0; i < stream->part_count; i++)
        needed += stream->parts[i].nbytes;
    if (buffered_bytes() + needed > attached)
        progress();
    if (buffered_bytes() + needed > attached)
        return raise_error(
            "NoBufferError", call,
            "the message takes %zd bytes, but of the %zd attached %zd hold messages that were not "
            "received yet: attach more with polympi.buffer_attach",
            needed, attached, buffered_bytes());
    return needed;
}

static int start_buffered(Communicator *self, PyObject *object, const Call *call) {
    Outgoing out;
    if (outgoing_open(&out, self, call) < 0)
        return -1;
    Py_ssize_t needed = codec_encode(&out.stream, object) < 0 ? -1 : take_buffer(&out.stream, call);
    if (needed < 0 || outgoing_copy_parts(&out) < 0 ||
        outgoing_start(&out, USER, call->peer, call->tag, STANDARD) < 0 || outgoing_test(&out) < 0) {
        outgoing_close(&out);
        return -1;
    }
    outgoing_abandon(&out, needed);
    return 0;
}

static PyObject *communicator_bsend(Communicator *self, PyObject *const *args, Py_ssize_t nargs,
                                    PyObject *kwnames) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = "bsend"};
    double timeout;
    if (signature_parse(&bsend_signature, args, nargs, kwnames, values) < 0 ||
        resolve_peer(self, values[DEST], "dest", values[TAG], false, &call) < 0 ||
        parse_timeout(values[TIMEOUT], &timeout, "bsend") < 0 ||
        (call.peer != PROC_NULL && start_buffered(self, values[OBJECT], &call) < 0))
        return NULL;
    Py_RETURN_NONE;
}

/* ---- nonblocking sends ---- */

/* Encode an object that is to be sent: 0, or -1 and nothing is open. */
static int open_message(Outgoing *out, Communicator *self, PyObject *object, const Call *call) {
    if (outgoing_open(out, self, call) < 0)
        return -1;
    if (codec_encode(&out->stream, object) == 0)
        return 0;
    outgoing_close(out);
    return -1;
}

static Signature isend_signature = {"isend", 3, 2, 3, {"obj", "dest", "tag"}, {NULL}};
static Signature issend_signature = {"issend", 3, 2, 3, {"obj", "dest", "tag"}, {NULL}};
static Signature irsend_signature = {"irsend", 3, 2, 3, {"obj", "dest", "tag"}, {NULL}};
static Signature ibsend_signature = {"ibsend", 3, 2, 3, {"obj", "dest", "tag"}, {NULL}};

static PyObject *nonblocking_send(Communicator *self, PyObject *const *args, Py_ssize_t nargs,
                                  PyObject *kwnames, const Signature *signature, enum mode mode) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = signature->function};
    if (signature_parse(signature, args, nargs, kwnames, values) < 0 ||
        resolve_peer(self, values[DEST], "dest", values[TAG], false, &call) < 0)
        return NULL;
    Request *request = request_new(self);
    if (!request || call.peer == PROC_NULL)
        return (PyObject *)request;
    if (open_message(&request->out, self, values[OBJECT], &call) < 0) {
        Py_DECREF(request);
        return NULL;
    }
    if (outgoing_start(&request->out, USER, call.peer, call.tag, mode) < 0) {
        outgoing_close(&request->out);
        Py_DECREF(request);
        return NULL;
    }
    request_sends(request);
    return (PyObject *)request;
}

static PyObject *communicator_isend(Communicator *self, PyObject *const *args, Py_ssize_t nargs,
                                    PyObject *kwnames) {
    return nonblocking_send(self, args, nargs, kwnames, &isend_signature, STANDARD);
}

static PyObject *communicator_issend(Communicator *self, PyObject *const *args, Py_ssize_t nargs,
                                     PyObject *kwnames) {
    return nonblocking_send(self, args, nargs, kwnames, &issend_signature, SYNCHRONOUS);
}

static PyObject *communicator_irsend(Communicator *self, PyObject *const *args, Py_ssize_t nargs,
                                     PyObject *kwnames) {
    return nonblocking_send(self, args, nargs, kwnames, &irsend_signature, READY);
}

static PyObject *communicator_ibsend(Communicator *self, PyObject *const *args, Py_ssize_t nargs,
                                     PyObject *kwnames) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = "ibsend"};
    if (signature_parse(&ibsend_signature, args, nargs, kwnames, values) < 0 ||
        resolve_peer(self, values[DEST], "dest", values[TAG], false, &call) < 0 ||
        (call.peer != PROC_NULL && start_buffered(self, values[OBJECT], &call) < 0))
        return NULL;
    return (PyObject *)request_new(self); /* complete: the message is in the buffer */
}

/* ---- receives ---- */

enum { SOURCE_RANK, SOURCE_TAG, INTO, STATUS, RECEIVE_TIMEOUT };
static Signature recv_signature = {"recv", 2, 0, 5, {"source", "tag", "into", "status", "timeout"}, {NULL}};
static Signature irecv_signature = {"irecv", 2, 0, 3, {"source", "tag", "into"}, {NULL}};

static const Status null_status = {.source = PROC_NULL, .tag = ANY_TAG};

static inline Incoming *post(Communicator *self, PyObject *into, const Call *call) {
    return incoming_start(self, USER, call->peer, call->tag, into, call);
}

static PyObject *communicator_recv(Communicator *self, PyObject *const *args, Py_ssize_t nargs,
                                   PyObject *kwnames) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = "recv"};
    double timeout = DEFAULT_TIMEOUT;
    Status status;
    if (unlikely(signature_parse(&recv_signature, args, nargs, kwnames, values) < 0 ||
                 resolve_peer(self, values[SOURCE_RANK], "source", values[SOURCE_TAG], true, &call) < 0 ||
                 (values[RECEIVE_TIMEOUT] && parse_timeout(values[RECEIVE_TIMEOUT], &timeout, "recv") < 0)))
        return NULL;
    if (unlikely(call.peer == PROC_NULL))
        return with_status(Py_NewRef(values[INTO] ? values[INTO] : Py_None), &null_status, values[STATUS]);
    Incoming *in = post(self, values[INTO], &call);
    if (unlikely(!in))
        return NULL;
    if (likely(!values[STATUS]))
        return incoming_wait(in, NULL, timeout);
    return with_status(incoming_wait(in, &status, timeout), &status, values[STATUS]);
}

static PyObject *communicator_irecv(Communicator *self, PyObject *const *args, Py_ssize_t nargs,
                                    PyObject *kwnames) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = "irecv"};
    if (signature_parse(&irecv_signature, args, nargs, kwnames, values) < 0 ||
        resolve_peer(self, values[SOURCE_RANK], "source", values[SOURCE_TAG], true, &call) < 0)
        return NULL;
    Request *request = request_new(self);
    if (!request)
        return NULL;
    if (call.peer == PROC_NULL) {
        if (values[INTO])
            Py_SETREF(request->value, Py_NewRef(values[INTO]));
        return (PyObject *)request;
    }
    request->in = post(self, values[INTO], &call);
    if (!request->in) {
        Py_DECREF(request);
        return NULL;
    }
    request->kind = RECEIVING;
    incoming_list(request->in); /* its data may have to be fetched while this rank waits for something else */
    return (PyObject *)request;
}

/* ---- both ---- */

enum { BOTH_OBJECT, BOTH_DEST, SEND_TAG, BOTH_SOURCE, RECEIVE_TAG, BOTH_INTO, BOTH_STATUS, BOTH_TIMEOUT };
static Signature sendrecv_signature = {
    "sendrecv", 5, 2, 8, {"obj", "dest", "sendtag", "source", "recvtag", "into", "status", "timeout"},
    {NULL}};

/* Send what was encoded while a receive is posted, and close: 0 or -1. */
static int send_beside(Outgoing *out, Incoming *in, double timeout) {
    if (outgoing_start(out, USER, out->call.peer, out->call.tag, STANDARD) < 0) {
        outgoing_close(out);
        return -1;
    }
    int complete = outgoing_test(out);
    if (complete == 0 && in)
        incoming_list(in);
    return outgoing_wait(out, timeout);
}

/* Take back a posted receive, with an exception set that shall stay. */
static void withdraw(Incoming *in) {
    PyObject *class, *value, *trace;
    PyErr_Fetch(&class, &value, &trace);
    if (!incoming_cancel(in))
        incoming_abandon(in);
    PyErr_Restore(class, value, trace);
}

static PyObject *communicator_sendrecv(Communicator *self, PyObject *const *args, Py_ssize_t nargs,
                                       PyObject *kwnames) {
    PyObject *values[MOST_ARGUMENTS];
    Call sending = {.operation = "sendrecv"}, receiving = {.operation = "sendrecv"};
    double timeout = DEFAULT_TIMEOUT;
    Status status = null_status;
    Outgoing out;
    Incoming *in = NULL;
    if (signature_parse(&sendrecv_signature, args, nargs, kwnames, values) < 0 ||
        resolve_peer(self, values[BOTH_DEST], "dest", values[SEND_TAG], false, &sending) < 0 ||
        resolve_peer(self, values[BOTH_SOURCE], "source", values[RECEIVE_TAG], true, &receiving) < 0 ||
        parse_timeout(values[BOTH_TIMEOUT], &timeout, "sendrecv") < 0)
        return NULL;
    bool sends = sending.peer != PROC_NULL;
    if (sends && open_message(&out, self, values[BOTH_OBJECT], &sending) < 0)
        return NULL;
    if (receiving.peer != PROC_NULL && !(in = post(self, values[BOTH_INTO], &receiving))) {
        if (sends)
            outgoing_close(&out);
        return NULL;
    }
    if (sends && send_beside(&out, in, timeout) < 0) {
        if (in)
            withdraw(in);
        return NULL;
    }
    PyObject *value = in                  ? incoming_wait(in, &status, timeout)
                      : values[BOTH_INTO] ? Py_NewRef(values[BOTH_INTO])
                                          : Py_NewRef(Py_None);
    return with_status(value, &status, values[BOTH_STATUS]);
}

/* ---- probes ---- */

static Signature probe_signature = {"probe", 2, 0, 3, {"source", "tag", "timeout"}, {NULL}};
static Signature iprobe_signature = {"iprobe", 2, 0, 2, {"source", "tag"}, {NULL}};

struct probing {
    Communicator *comm;
    const Call *call;
    MPI_Status status;
};

static int poll_probe(void *context) {
    struct probing *probing = context;
    int found = 0;
    bool locked = enter_mpi();
    int code = MPI_Iprobe(mpi_source(probing->call->peer), mpi_tag(probing->call->tag), probing->comm->comm,
                          &found, &probing->status);
    leave_mpi(locked);
    return code != MPI_SUCCESS ? raise_mpi(code, probing->call) : found;
}

static PyObject *probed(const struct probing *probing) {
    return status_object(&(Status){
        .source = probing->status.MPI_SOURCE, .tag = probing->status.MPI_TAG, .elements = -1, .nbytes = -1});
}

static PyObject *communicator_probe(Communicator *self, PyObject *const *args, Py_ssize_t nargs,
                                    PyObject *kwnames) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = "probe"};
    double timeout;
    if (signature_parse(&probe_signature, args, nargs, kwnames, values) < 0 ||
        resolve_peer(self, values[0], "source", values[1], true, &call) < 0 ||
        parse_timeout(values[2], &timeout, "probe") < 0)
        return NULL;
    if (call.peer == PROC_NULL)
        return status_object(&null_status);
    struct probing probing = {.comm = self, .call = &call};
    return wait_poll(poll_probe, &probing, &call, timeout) < 0 ? NULL : probed(&probing);
}

static PyObject *communicator_iprobe(Communicator *self, PyObject *const *args, Py_ssize_t nargs,
                                     PyObject *kwnames) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = "iprobe"};
    if (signature_parse(&iprobe_signature, args, nargs, kwnames, values) < 0 ||
        resolve_peer(self, values[0], "source", values[1], true, &call) < 0)
        return NULL;
    if (call.peer == PROC_NULL)
        return status_object(&null_status);
    struct probing probing = {.comm = self, .call = &call};
    int found = poll_probe(&probing);
    if (found == 0 && anything_pending())
        progress();
    if (found == 0)
        Py_RETURN_NONE;
    return found < 0 ? NULL : probed(&probing);
}

/* ---- the table ---- */

#define METHOD(name, documentation)                                                                          \
    { #name, (PyCFunction)(void (*)(void))communicator_##name, METH_FASTCALL | METH_KEYWORDS, documentation }

#define SEND_ARGUMENTS                                                                                       \
    "Args:\n"                                                                                                \
    "    obj: any object. Arrays travel as they are, strided ones too; what else has no form of its own is " \
    "pickled.\n"                                                                                             \
    "    dest: rank to send to, or PROC_NULL.\n"                                                             \
    "    tag: number that the receiver may select by.\n"
#define SEND_ERRORS                                                                                          \
    "Raises:\n"                                                                                              \
    "    RankError, TagError: there is no such rank or tag.\n"
#define TIMEOUT_ARGUMENT "    timeout: seconds to wait; None stands for POLYMPI_TIMEOUT, or for ever.\n"
#define TIMEOUT_ERROR                                                                                        \
    "    Timeout: the receiver did not come in time; what is under way is kept until it does.\n"
#define RECEIVE_ARGUMENTS                                                                                    \
    "Args:\n"                                                                                                \
    "    source: rank to receive from, ANY_SOURCE or PROC_NULL.\n"                                           \
    "    tag: tag of the message, or ANY_TAG.\n"                                                             \
    "    into: writable array or buffer to receive into, strided if you like; its dtype must be the "        \
    "message's.\n"
#define RECEIVE_ERRORS                                                                                       \
    "    RankError, TagError: there is no such rank or tag.\n"                                               \
    "    MismatchError: what came does not fit ``into``; the message is gone.\n"                             \
    "    TruncationError: more elements came than ``into`` holds; nothing was written, the message is "      \
    "gone.\n"

PyMethodDef point_to_point_methods[] = {
    METHOD(
        send,
        "send($self, obj, dest, tag=0, *, timeout=None)\n--\n\n"
        "Send any object.\n\n"
        "Returns when the object may be changed again; a small one is then under way, a large one has been "
        "received.\n\n" SEND_ARGUMENTS TIMEOUT_ARGUMENT "\n" SEND_ERRORS TIMEOUT_ERROR
        "\nMPI 5.0, section 3.2.1."),
    METHOD(ssend, "ssend($self, obj, dest, tag=0, *, timeout=None)\n--\n\n"
                  "Send synchronously: return when the receive has begun.\n\n" SEND_ARGUMENTS TIMEOUT_ARGUMENT
                  "\n" SEND_ERRORS TIMEOUT_ERROR "\nMPI 5.0, section 3.4."),
    METHOD(rsend,
           "rsend($self, obj, dest, tag=0, *, timeout=None)\n--\n\n"
           "Send to a receive that is posted already; it is an error when it is not.\n\n" SEND_ARGUMENTS
               TIMEOUT_ARGUMENT "\n" SEND_ERRORS TIMEOUT_ERROR "\nMPI 5.0, section 3.4."),
    METHOD(bsend,
           "bsend($self, obj, dest, tag=0, *, timeout=None)\n--\n\n"
           "Send a copy out of the attached buffer, and return at once.\n\n" SEND_ARGUMENTS
           "    timeout: for symmetry; the call never waits.\n\n" SEND_ERRORS
           "    NoBufferError: no buffer is attached, or it is full.\n\nMPI 5.0, section 3.4 and 3.6."),
    METHOD(isend,
           "isend($self, obj, dest, tag=0)\n--\n\n"
           "Begin to send any object; do not change it before the request is complete.\n\n" SEND_ARGUMENTS
           "\n" SEND_ERRORS "\nMPI 5.0, section 3.7.2."),
    METHOD(issend, "issend($self, obj, dest, tag=0)\n--\n\n"
                   "Begin to send synchronously: complete when the receive has begun.\n\n" SEND_ARGUMENTS
                   "\n" SEND_ERRORS "\nMPI 5.0, section 3.7.2."),
    METHOD(irsend, "irsend($self, obj, dest, tag=0)\n--\n\n"
                   "Begin to send to a receive that is posted already.\n\n" SEND_ARGUMENTS "\n" SEND_ERRORS
                   "\nMPI 5.0, section 3.7.2."),
    METHOD(ibsend,
           "ibsend($self, obj, dest, tag=0)\n--\n\n"
           "Send a copy out of the attached buffer; the request is complete at once.\n\n" SEND_ARGUMENTS
           "\n" SEND_ERRORS
           "    NoBufferError: no buffer is attached, or it is full.\n\nMPI 5.0, section 3.7.2."),
    METHOD(recv,
           "recv($self, source=ANY_SOURCE, tag=ANY_TAG, *, into=None, status=False, timeout=None)\n--\n\n"
           "Receive an object: what was sent, of the same type, dtype and shape.\n\n" RECEIVE_ARGUMENTS
           "    status: also return a Status.\n" TIMEOUT_ARGUMENT "\n"
           "Returns:\n"
           "    The object, or what was given as ``into``; None from PROC_NULL. With status, (value, "
           "Status).\n\n"
           "Raises:\n"
           "    Timeout: nothing came in time; the receive is given up.\n" RECEIVE_ERRORS
           "\nMPI 5.0, section 3.2.4."),
    METHOD(irecv,
           "irecv($self, source=ANY_SOURCE, tag=ANY_TAG, *, into=None)\n--\n\n"
           "Begin to receive an object of any size; ``wait`` of the request returns it.\n\n" RECEIVE_ARGUMENTS
           "\nRaises:\n" RECEIVE_ERRORS "\nMPI 5.0, section 3.7.2."),
    METHOD(sendrecv,
           "sendrecv($self, obj, dest, sendtag=0, source=ANY_SOURCE, recvtag=ANY_TAG, *, into=None, "
           "status=False, "
           "timeout=None)\n--\n\n"
           "Send one object and receive another, without either waiting for the other.\n\n"
           "Args:\n"
           "    obj: any object.\n"
           "    dest: rank to send to, or PROC_NULL.\n"
           "    sendtag: tag of what is sent.\n"
           "    source: rank to receive from, ANY_SOURCE or PROC_NULL.\n"
           "    recvtag: tag of what is received, or ANY_TAG.\n"
           "    into: writable array or buffer to receive into.\n"
           "    status: also return a Status.\n" TIMEOUT_ARGUMENT "\n"
           "Returns:\n"
           "    As recv does.\n\n"
           "Raises:\n"
           "    Timeout: one of both was not complete in time.\n" RECEIVE_ERRORS "\nMPI 5.0, section 3.10."),
    METHOD(probe, "probe($self, source=ANY_SOURCE, tag=ANY_TAG, *, timeout=None)\n--\n\n"
                  "Wait for a message that fits, without receiving it; its Status (source and tag).\n\n"
                  "Args:\n"
                  "    source: rank, ANY_SOURCE or PROC_NULL.\n"
                  "    tag: tag, or ANY_TAG.\n" TIMEOUT_ARGUMENT "\n"
                  "Raises:\n"
                  "    Timeout: nothing came in time.\n"
                  "    RankError, TagError: there is no such rank or tag.\n\nMPI 5.0, section 3.8.1."),
    METHOD(iprobe, "iprobe($self, source=ANY_SOURCE, tag=ANY_TAG)\n--\n\n"
                   "The Status (source and tag) of a message that fits and has come, or None.\n\n"
                   "MPI 5.0, section 3.8.1."),
    {NULL, NULL, 0, NULL},
};

int point_to_point_prepare(void) {
    Signature *const all[] = {&send_signature,    &ssend_signature,  &rsend_signature,  &bsend_signature,
                              &isend_signature,   &issend_signature, &irsend_signature, &ibsend_signature,
                              &recv_signature,    &irecv_signature,  &probe_signature,  &iprobe_signature,
                              &sendrecv_signature};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (signature_prepare(all[i]) < 0)
            return -1;
    return 0;
}
