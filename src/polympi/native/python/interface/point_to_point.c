/* Methods of communicators that send and receive (MPI 5.0, chapter 3). */
#include "python/interface/communicator.h"

#include "base/arguments.h"
#include "base/errors.h"
#include "python/interface/request.h"
#include "transfer/receive/probe.h"
#include "transfer/simple_array.h"
#include "transfer/transfer.h"

/* ---- checks ---- */

/* Peer and tag, from the arguments into the call. */
static inline int resolve_peer(Communicator *self, PyObject *peer, const char *role, PyObject *tag,
                               bool receives, Call *call) {
    if (unlikely(parse_peer(self->rank, peer, role, tag, receives, call) < 0) || unlikely(!is_usable(self)))
        return -1;
    return check_peer(self->size, receives, call);
}

/* ---- blocking sends ---- */

/* A message to the rank itself: this thread may be the one that receives it, so it can't wait. */
static inline bool not_waited_for(const Communicator *self, const Call *call, enum mode mode) {
    return mode == STANDARD && call->peer == self->rank;
}

/* Wait for a pending send of a packet. 0 or -1. */
static int wait_for_packet(Communicator *self, char *packet, MPI_Request request, int code, const Call *call,
                           double timeout) {
    Outgoing out;
    outgoing_open_packet(&out, packet, self, call);
    out.first[0] = request;
    out.request_count = 1;
    if (likely(code == MPI_SUCCESS && !not_waited_for(self, call, STANDARD)))
        return outgoing_wait(&out, timeout);
    outgoing_close(&out);
    return code == MPI_SUCCESS ? 0 : raise_mpi(code, call);
}

/* Encode an object: the bytes of the message if the packet has all of it and the mode is the standard one; 0:
 * it was started; -1. */
static Py_ssize_t encode_or_start(Outgoing *out, PyObject *object, enum mode mode) {
    const Stream *stream = &out->stream;
    bool copied = not_waited_for(out->comm, &out->call, mode);
    int started =
        mode == STANDARD && !copied ? outgoing_start_simple(out, object, out->call.peer, out->call.tag) : 0;
    if (started)
        return started < 0 ? -1 : 0;
    out->stream.direct = !copied;
    if (codec_encode(&out->stream, object) < 0 || (copied && outgoing_copy_parts(out) < 0))
        return -1;
    if (likely(mode == STANDARD && !stream->part_count && !stream->heap))
        return still_running(&out->call) < 0 ? -1 : stream->used;
    return outgoing_start(out, USER, out->call.peer, out->call.tag, mode);
}

/* Send to a rank and tag that were checked. */
static inline int send_checked(Communicator *self, PyObject *object, const Call *call, double timeout,
                               enum mode mode) {
    Outgoing out;
    char *packet = packet_take();
    if (unlikely(!packet))
        return -1;
    Py_ssize_t nbytes = mode == STANDARD ? simple_message(object, packet) : 0;
    if (nbytes == 0) {
        outgoing_open_packet(&out, packet, self, call);
        nbytes = encode_or_start(&out, object, mode);
    }
    if (likely(nbytes > 0)) {
        MPI_Request request;
        int complete, code = locked_send_now(packet, (int)nbytes, MPI_BYTE, call->peer, call->tag, self->comm,
                                             &request, &complete);
        locked_wake(self->comm, call->peer);
        if (unlikely(!complete))
            return wait_for_packet(self, packet, request, code, call, timeout);
        packet_give(packet);
        return 0;
    }
    if (likely(nbytes == 0 && !not_waited_for(self, call, mode)))
        return outgoing_wait(&out, timeout);
    outgoing_close(&out);
    return nbytes < 0 ? -1 : 0;
}

/* The most common send: a small array to another rank, with positional arguments; `number` is the tag, or
 * NULL. Nothing is recorded for errors before there is one, which saves a tenth of the time until the message
 * leaves. 1; 0 for any other send, -1 with an exception. */
static inline int send_array_at_once(Communicator *self, PyObject *object, PyObject *peer, PyObject *number) {
    int dest, tag = 0, complete;
    if (Py_TYPE(object) != ndarray_type || unlikely(!short_int(peer, &dest)) ||
        (number && unlikely(!short_int(number, &tag))) || unlikely((unsigned)dest >= (unsigned)self->size) ||
        unlikely((unsigned)tag > (unsigned)state.highest_tag) ||
        unlikely(dest == self->rank || state.phase != RUNNING))
        return 0;
    char *packet = packet_take();
    if (unlikely(!packet))
        return -1;
    Py_ssize_t nbytes = simple_message(object, packet);
    if (unlikely(nbytes == 0)) {
        packet_give(packet);
        return 0;
    }
    MPI_Request request;
    int code = locked_send_now(packet, (int)nbytes, MPI_BYTE, dest, tag, self->comm, &request, &complete);
    locked_wake(self->comm, dest);
    if (likely(complete)) {
        packet_give(packet);
        return 1;
    }
    const Call call = {.operation = "send", .rank = self->rank, .sends = true, .peer = dest, .tag = tag};
    return wait_for_packet(self, packet, request, code, &call, DEFAULT_TIMEOUT) < 0 ? -1 : 1;
}

enum { OBJECT, DEST, TAG, TIMEOUT };
static Signature send_signature = {"send", 3, 2, 4, {"obj", "dest", "tag", "timeout"}, {NULL}};
static Signature bsend_signature = {"bsend", 3, 2, 4, {"obj", "dest", "tag", "timeout"}, {NULL}};

static inline PyObject *blocking_send(Communicator *self, FASTCALL_ARGS, const Signature *signature,
                                      enum mode mode) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = signature->function};
    double timeout = DEFAULT_TIMEOUT;
    if (unlikely(signature_parse(signature, args, nargs, kwnames, values) < 0 ||
                 resolve_peer(self, values[DEST], "dest", values[TAG], false, &call) < 0 ||
                 (values[TIMEOUT] && parse_timeout(values[TIMEOUT], &timeout, call.operation) < 0)))
        return NULL;
    if (likely(call.peer != PROC_NULL) && send_checked(self, values[OBJECT], &call, timeout, mode) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *communicator_send(Communicator *self, FASTCALL_ARGS) {
    if (likely(!kwnames && (nargs == 3 || nargs == 2))) {
        int sent = send_array_at_once(self, args[0], args[1], nargs == 3 ? args[2] : NULL);
        if (likely(sent))
            return sent < 0 ? NULL : Py_NewRef(Py_None);
    }
    return blocking_send(self, args, nargs, kwnames, &send_signature, STANDARD);
}

#define BLOCKING_SEND(name, mode)                                                                            \
    static Signature name##_signature = {#name, 3, 2, 4, {"obj", "dest", "tag", "timeout"}, {NULL}};         \
    static PyObject *communicator_##name(Communicator *self, FASTCALL_ARGS) {                                \
        return blocking_send(self, args, nargs, kwnames, &name##_signature, mode);                           \
    }
BLOCKING_SEND(ssend, SYNCHRONOUS)
BLOCKING_SEND(rsend, READY)

/* ---- buffered sends ---- */

static PyObject *communicator_bsend(Communicator *self, FASTCALL_ARGS) {
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
    out->stream.direct = true;
    out->stream.used = simple_message(object, out->packet);
    if (out->stream.used > 0 || codec_encode(&out->stream, object) == 0)
        return 0;
    outgoing_close(out);
    return -1;
}

static Signature ibsend_signature = {"ibsend", 3, 2, 3, {"obj", "dest", "tag"}, {NULL}};

/* With more pending sends than these, the library won't complete another one at once, and a test would only
 * cost time (Open MPI: 80 us each with thousands pending). */
enum { MOST_TESTED = 16 };

/* Longer messages are mostly not complete at once, and a test costs as much as the send. */
enum { MOST_TESTED_BYTES = 256 };

static bool may_be_complete(Py_ssize_t nbytes) {
    return nbytes <= MOST_TESTED_BYTES && sends_of_requests() < MOST_TESTED;
}

/* Start the send of a request, if it is that of a small array: 1; 0 for any other, -1 with an exception. */
static int start_array(Communicator *self, PyObject *object, const Call *call, Request *request) {
    if (Py_TYPE(object) != ndarray_type || array_bytes((PyArrayObject *)object) >= PART_BYTES)
        return 0;
    Sending *send;
    bool tested = may_be_complete(array_bytes((PyArrayObject *)object));
    int started = sending_start_array(self, object, call, tested, &send);
    if (started > 0 && send)
        request_sends(request, send);
    return started;
}

/* Encode an object, and start the send of a request: 0 or -1. */
static int encode_lasting(Outgoing *out, PyObject *object, enum mode mode) {
    const Call *call = &out->call;
    int started = mode == SYNCHRONOUS ? 0 : outgoing_start_simple(out, object, call->peer, call->tag);
    if (started)
        return started < 0 ? -1 : 0;
    return codec_encode(&out->stream, object) < 0 ? -1
                                                  : outgoing_start(out, USER, call->peer, call->tag, mode);
}

/* Start the send of a request: 0 or -1. Most small ones are then complete. */
static int start_lasting(Communicator *self, PyObject *object, const Call *call, enum mode mode,
                         Request *request) {
    Outgoing out;
    int started = mode == SYNCHRONOUS ? 0 : start_array(self, object, call, request);
    if (likely(started))
        return started < 0 ? -1 : 0;
    if (outgoing_open(&out, self, call) < 0)
        return -1;
    out.lasts = out.stream.direct = true;
    int complete = encode_lasting(&out, object, mode);
    if (complete == 0 && out.request_count == 1 && may_be_complete(out.stream.used))
        complete = outgoing_test(&out);
    if (complete) {
        outgoing_close(&out);
        return complete < 0 ? -1 : 0;
    }
    Sending *send = outgoing_keep(&out);
    if (!send)
        return -1;
    request_sends(request, send);
    return 0;
}

static PyObject *nonblocking_send(Communicator *self, FASTCALL_ARGS, const Signature *signature,
                                  enum mode mode) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = signature->function};
    if (signature_parse(signature, args, nargs, kwnames, values) < 0 ||
        resolve_peer(self, values[DEST], "dest", values[TAG], false, &call) < 0)
        return NULL;
    Request *request = request_new();
    if (!request || call.peer == PROC_NULL)
        return (PyObject *)request;
    if (start_lasting(self, values[OBJECT], &call, mode, request) < 0)
        Py_CLEAR(request);
    return (PyObject *)request;
}

#define NONBLOCKING_SEND(name, mode)                                                                         \
    static Signature name##_signature = {#name, 3, 2, 3, {"obj", "dest", "tag"}, {NULL}};                    \
    static PyObject *communicator_##name(Communicator *self, FASTCALL_ARGS) {                                \
        return nonblocking_send(self, args, nargs, kwnames, &name##_signature, mode);                        \
    }
NONBLOCKING_SEND(isend, STANDARD)
NONBLOCKING_SEND(issend, SYNCHRONOUS)
NONBLOCKING_SEND(irsend, READY)

static PyObject *communicator_ibsend(Communicator *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = "ibsend"};
    if (signature_parse(&ibsend_signature, args, nargs, kwnames, values) < 0 ||
        resolve_peer(self, values[DEST], "dest", values[TAG], false, &call) < 0 ||
        (call.peer != PROC_NULL && start_buffered(self, values[OBJECT], &call) < 0))
        return NULL;
    return (PyObject *)request_new(); /* complete: the message is in the buffer */
}

/* ---- receives ---- */

enum { SOURCE_RANK, SOURCE_TAG, INTO, STATUS, RECEIVE_TIMEOUT };
static Signature recv_signature = {"recv", 2, 0, 5, {"source", "tag", "into", "status", "timeout"}, {NULL}};
static Signature irecv_signature = {"irecv", 2, 0, 3, {"source", "tag", "into"}, {NULL}};

static const Status null_status = {.source = PROC_NULL, .tag = ANY_TAG};

static inline Incoming *post(Communicator *self, PyObject *into, const Call *call) {
    return incoming_start_promised(self, call->peer, call->tag, into, call);
}

static PyObject *communicator_recv(Communicator *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = "recv"};
    double timeout = DEFAULT_TIMEOUT;
    Status status;
    status.place_only = false;
    if (unlikely(signature_parse(&recv_signature, args, nargs, kwnames, values) < 0 ||
                 resolve_peer(self, values[SOURCE_RANK], "source", values[SOURCE_TAG], true, &call) < 0 ||
                 (values[RECEIVE_TIMEOUT] && parse_timeout(values[RECEIVE_TIMEOUT], &timeout, "recv") < 0)))
        return NULL;
    if (unlikely(call.peer == PROC_NULL))
        return with_status(Py_NewRef(values[INTO] ? values[INTO] : Py_None), &null_status, values[STATUS]);
    Status *wanted = values[STATUS] ? &status : NULL;
    PyObject *value = incoming_receive(self, call.peer, call.tag, values[INTO], &call, wanted, timeout);
    return with_status(value, &status, values[STATUS]);
}

static PyObject *communicator_irecv(Communicator *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = "irecv"};
    if (signature_parse(&irecv_signature, args, nargs, kwnames, values) < 0 ||
        resolve_peer(self, values[SOURCE_RANK], "source", values[SOURCE_TAG], true, &call) < 0)
        return NULL;
    Request *request = request_new();
    if (!request)
        return NULL;
    if (call.peer == PROC_NULL) {
        if (values[INTO])
            request_set_value(request, Py_NewRef(values[INTO]));
        return (PyObject *)request;
    }
    request->in = incoming_start(self, USER, call.peer, call.tag, values[INTO], &call);
    if (!request->in) {
        Py_DECREF(request);
        return NULL;
    }
    request->kind = RECEIVING;
    incoming_list(request->in); /* it makes progress while this rank waits for something else */
    return (PyObject *)request;
}

/* ---- both ---- */

enum { BOTH_OBJECT, BOTH_DEST, SEND_TAG, BOTH_SOURCE, RECEIVE_TAG, BOTH_INTO, BOTH_STATUS, BOTH_TIMEOUT };
static Signature sendrecv_signature = {
    "sendrecv", 5, 2, 8, {"obj", "dest", "sendtag", "source", "recvtag", "into", "status", "timeout"},
    {NULL}};

/* Send while a receive is posted, and close. */
static int send_beside(Outgoing *out, Incoming *in, double timeout) {
    int complete = outgoing_start(out, USER, out->call.peer, out->call.tag, STANDARD);
    if (complete < 0 || (complete = outgoing_test(out)) < 0) {
        outgoing_close(out);
        return -1;
    }
    if (complete == 0 && in)
        incoming_list(in);
    return outgoing_wait(out, timeout);
}

static PyObject *communicator_sendrecv(Communicator *self, FASTCALL_ARGS) {
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
    if (sends && in && incoming_overlaps(in, &out.stream) && outgoing_copy_parts(&out) < 0) {
        outgoing_close(&out);
        incoming_leave(in);
        return NULL;
    }
    if (sends && send_beside(&out, in, timeout) < 0) {
        if (in)
            incoming_leave(in);
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

static PyObject *probed(const MPI_Status *status) {
    return status_object(
        &(Status){.source = status->MPI_SOURCE, .tag = status->MPI_TAG, .elements = -1, .nbytes = -1});
}

static PyObject *communicator_probe(Communicator *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = "probe"};
    double timeout;
    if (signature_parse(&probe_signature, args, nargs, kwnames, values) < 0 ||
        resolve_peer(self, values[0], "source", values[1], true, &call) < 0 ||
        parse_timeout(values[2], &timeout, "probe") < 0)
        return NULL;
    if (call.peer == PROC_NULL)
        return status_object(&null_status);
    MPI_Status status;
    return probe_wait(self, &call, timeout, &status) < 0 ? NULL : probed(&status);
}

static PyObject *communicator_iprobe(Communicator *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = "iprobe"};
    if (signature_parse(&iprobe_signature, args, nargs, kwnames, values) < 0 ||
        resolve_peer(self, values[0], "source", values[1], true, &call) < 0)
        return NULL;
    if (call.peer == PROC_NULL)
        return status_object(&null_status);
    MPI_Status status;
    int found = probe_now(self, &call, &status);
    if (found == 0 && anything_pending())
        progress_some();
    if (found == 0)
        Py_RETURN_NONE;
    return found < 0 ? NULL : probed(&status);
}

/* ---- the table ---- */

#define METHOD(name, documentation) KEYWORD_METHOD(#name, communicator_##name, documentation)

#define SEND_ARGUMENTS                                                                                       \
    "Args:\n"                                                                                                \
    "    obj: any object. Arrays are sent unchanged, also strided ones; objects without a native form "      \
    "are pickled.\n"                                                                                         \
    "    dest: rank to send to, or PROC_NULL.\n"                                                             \
    "    tag: number that the receiver may select by.\n"
#define SEND_ERRORS                                                                                          \
    "Raises:\n"                                                                                              \
    "    RankError, TagError: there is no such rank or tag.\n"
#define TIMEOUT_ERROR "    Timeout: it was not received in time; the message is kept until it is.\n"
#define RECEIVE_ARGUMENTS                                                                                    \
    "Args:\n"                                                                                                \
    "    source: rank to receive from, ANY_SOURCE or PROC_NULL.\n"                                           \
    "    tag: tag of the message, or ANY_TAG.\n"                                                             \
    "    into: writable array or buffer to receive into, strided if you like; its dtype must be the "        \
    "message's.\n"
#define RECEIVE_ERRORS                                                                                       \
    "    RankError, TagError: there is no such rank or tag.\n"                                               \
    "    MismatchError: the message does not fit ``into``, and is lost.\n"                                   \
    "    TruncationError: more elements arrived than ``into`` holds; nothing was written, the message is "   \
    "lost.\n"

PyMethodDef point_to_point_methods[] = {
    METHOD(send, "send($self, obj, dest, tag=0, *, timeout=None)\n--\n\n"
                 "Send any object.\n\n"
                 "Returns when the object may be changed again; a small message is then in flight, a large "
                 "one has been "
                 "received.\n\n" SEND_ARGUMENTS TIMEOUT_ARGUMENT "\n" SEND_ERRORS TIMEOUT_ERROR
                 "\nMPI 5.0, section 3.2.1."),
    METHOD(ssend, "ssend($self, obj, dest, tag=0, *, timeout=None)\n--\n\n"
                  "Send synchronously: return when the receive has begun.\n\n" SEND_ARGUMENTS TIMEOUT_ARGUMENT
                  "\n" SEND_ERRORS TIMEOUT_ERROR "\nMPI 5.0, section 3.4."),
    METHOD(rsend, "rsend($self, obj, dest, tag=0, *, timeout=None)\n--\n\n"
                  "Send to a receive that must already be posted.\n\n" SEND_ARGUMENTS TIMEOUT_ARGUMENT
                  "\n" SEND_ERRORS TIMEOUT_ERROR "\nMPI 5.0, section 3.4."),
    METHOD(bsend,
           "bsend($self, obj, dest, tag=0, *, timeout=None)\n--\n\n"
           "Send a copy from the attached buffer, and return at once.\n\n" SEND_ARGUMENTS
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
                   "Begin to send to a receive that must already be posted.\n\n" SEND_ARGUMENTS
                   "\n" SEND_ERRORS "\nMPI 5.0, section 3.7.2."),
    METHOD(ibsend, "ibsend($self, obj, dest, tag=0)\n--\n\n"
                   "Send a copy from the attached buffer; the request is complete at once.\n\n" SEND_ARGUMENTS
                   "\n" SEND_ERRORS
                   "    NoBufferError: no buffer is attached, or it is full.\n\nMPI 5.0, section 3.7.2."),
    METHOD(recv, "recv($self, source=polympi.shown.ANY_SOURCE, tag=polympi.shown.ANY_TAG, *, into=None, "
                 "status=False, timeout=None)\n--\n\n"
                 "Receive an object: what was sent, of the same type, dtype and shape.\n\n" RECEIVE_ARGUMENTS
                 "    status: also return a Status.\n" TIMEOUT_ARGUMENT "\n"
                 "Returns:\n"
                 "    The object, or what was given as ``into``; None from PROC_NULL. With status, (value, "
                 "Status).\n\n"
                 "Raises:\n"
                 "    Timeout: no message arrived in time; the receive is cancelled.\n" RECEIVE_ERRORS
                 "\nMPI 5.0, section 3.2.4."),
    METHOD(irecv,
           "irecv($self, source=polympi.shown.ANY_SOURCE, tag=polympi.shown.ANY_TAG, *, into=None)\n--\n\n"
           "Begin to receive an object of any size; ``wait`` of the request returns it.\n\n" RECEIVE_ARGUMENTS
           "\nRaises:\n" RECEIVE_ERRORS "\nMPI 5.0, section 3.7.2."),
    METHOD(sendrecv,
           "sendrecv($self, obj, dest, sendtag=0, source=polympi.shown.ANY_SOURCE, "
           "recvtag=polympi.shown.ANY_TAG, *, into=None, "
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
           "    Timeout: one of them was not complete in time.\n" RECEIVE_ERRORS "\nMPI 5.0, section 3.10."),
    METHOD(probe,
           "probe($self, source=polympi.shown.ANY_SOURCE, tag=polympi.shown.ANY_TAG, *, timeout=None)\n--\n\n"
           "Wait for a matching message, without receiving it; its Status (source and tag).\n\n"
           "Args:\n"
           "    source: rank, ANY_SOURCE or PROC_NULL.\n"
           "    tag: tag, or ANY_TAG.\n" TIMEOUT_ARGUMENT "\n"
           "Raises:\n"
           "    Timeout: no message arrived in time.\n"
           "    RankError, TagError: there is no such rank or tag.\n\nMPI 5.0, section 3.8.1."),
    METHOD(iprobe, "iprobe($self, source=polympi.shown.ANY_SOURCE, tag=polympi.shown.ANY_TAG)\n--\n\n"
                   "The Status (source and tag) of a matching message that has arrived, or None.\n\n"
                   "MPI 5.0, section 3.8.1."),
    {NULL, NULL, 0, NULL},
};

int point_to_point_prepare(void) {
    return PREPARE_SIGNATURES(&send_signature, &ssend_signature, &rsend_signature, &bsend_signature,
                              &isend_signature, &issend_signature, &irsend_signature, &ibsend_signature,
                              &recv_signature, &irecv_signature, &probe_signature, &iprobe_signature,
                              &sendrecv_signature);
}
