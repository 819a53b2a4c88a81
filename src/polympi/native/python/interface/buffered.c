/* Buffered sends. */
#include "python/interface/communicator.h"

#include "base/errors.h"
#include "transfer/send/sending.h"

static Py_ssize_t attached = -1; /* bytes; -1: none */

/* Heads and lengths in a small message. Not counted, so `buffer_attach(a.nbytes)` is enough for `bsend(a)`.
 */
#define UNCOUNTED_BYTES 128

PyObject *set_buffer(PyObject *Py_UNUSED(module), PyObject *nbytes) {
    Py_ssize_t before = attached, given = PyNumber_AsSsize_t(nbytes, PyExc_OverflowError);
    if (given == -1 && PyErr_Occurred())
        return NULL;
    if (given >= 0 && (state.phase == FINISHED || state.phase == FORKED) && !running())
        return NULL; /* a buffer can be attached before MPI starts, but not after its end */
    attached = given;
    return PyLong_FromSsize_t(before);
}

PyObject *buffer_in_use(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    if (state.phase == RUNNING)
        progress();
    return PyLong_FromSsize_t(buffered_bytes());
}

/* The bytes this message takes of the attached buffer; -1 with NoBufferError if there is no room. */
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

int start_buffered(Communicator *self, PyObject *object, const Call *call) {
    Outgoing out;
    if (outgoing_open(&out, self, call) < 0)
        return -1;
    out.lasts = true;
    Py_ssize_t needed = codec_encode(&out.stream, object) < 0 ? -1 : take_buffer(&out.stream, call);
    if (needed < 0 || outgoing_copy_parts(&out) < 0 ||
        outgoing_start(&out, USER, call->peer, call->tag, STANDARD) < 0 || outgoing_test(&out) < 0) {
        outgoing_close(&out);
        return -1;
    }
    outgoing_abandon(&out, needed);
    return 0;
}
