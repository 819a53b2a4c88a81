/* What the blocking sends of communicators do, in one piece with the methods: a small message shall leave as
 * early as it can. */
#ifndef POLYMPI_PYTHON_INTERFACE_BLOCKING_SEND_H
#define POLYMPI_PYTHON_INTERFACE_BLOCKING_SEND_H

#include "base/arguments.h"
#include "base/errors.h"
#include "transfer/simple_array.h"
#include "transfer/transfer.h"

/* A message to the rank itself: this thread, which would wait, may be the one to receive it. */
static inline bool not_waited_for(const Communicator *self, const Call *call, enum mode mode) {
    return mode == STANDARD && call->peer == self->rank;
}

/* Send the message in a packet, and see whether it is `complete` or has to be waited for. A code of MPI. */
static inline int send_now(Communicator *self, const char *packet, Py_ssize_t nbytes, int dest, int tag,
                           MPI_Request *request, int *complete) {
    *complete = 0;
    bool locked = enter_mpi();
    int code = MPI_Isend(packet, (int)nbytes, MPI_BYTE, dest, tag, self->comm, request);
    if (unlikely(code != MPI_SUCCESS))
        *request = MPI_REQUEST_NULL;
    else
        code = MPI_Test(request, complete, MPI_STATUS_IGNORE);
    leave_mpi(locked);
    return code;
}

/* Wait for a message of no more than its packet, which has begun. 0 or -1. */
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

/* Encode what is no small array: the bytes of the message, where the packet has all of it and the mode is the
 * standard one; 0: it was started; -1. */
static Py_ssize_t encode_or_start(Outgoing *out, PyObject *object, enum mode mode) {
    const Stream *stream = &out->stream;
    bool copied = not_waited_for(out->comm, &out->call, mode);
    int started =
        mode == STANDARD && !copied ? outgoing_start_simple(out, object, out->call.peer, out->call.tag) : 0;
    if (started)
        return started < 0 ? -1 : 0;
    if (codec_encode(&out->stream, object) < 0 || (copied && outgoing_copy_parts(out) < 0))
        return -1;
    if (likely(mode == STANDARD && !stream->part_count && !stream->heap))
        return still_running(&out->call) < 0 ? -1 : stream->used;
    return outgoing_start(out, USER, out->call.peer, out->call.tag, mode);
}

/* Send to a rank, with a tag, that were checked. */
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
        int complete, code = send_now(self, packet, nbytes, call->peer, call->tag, &request, &complete);
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

/* The commonest send: a small array to another rank, with arguments by position; `number` is the tag, or
 * NULL. Nothing is noted for errors before there is one, so that the message leaves a tenth of the way
 * earlier. 1; 0 for any other, -1 with an exception. */
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
    int code = send_now(self, packet, nbytes, dest, tag, &request, &complete);
    if (likely(complete)) {
        packet_give(packet);
        return 1;
    }
    const Call call = {.operation = "send", .rank = self->rank, .sends = true, .peer = dest, .tag = tag};
    return wait_for_packet(self, packet, request, code, &call, DEFAULT_TIMEOUT) < 0 ? -1 : 1;
}

#endif
