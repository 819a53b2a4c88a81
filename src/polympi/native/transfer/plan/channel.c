#include "transfer/plan/channel.h"

#include <stdlib.h>

#include "base/errors.h"
#include "codec/overlap.h"
#include "memory/pool.h"
#include "transfer/plan/channel_handshake.h"
#include "transfer/send/sending.h"
#include "transport/strided_datatype.h"

Channel *channel_new(Communicator *comm, PyObject *object, const Call *call) {
    Channel *channel = PyMem_RawCalloc(1, sizeof *channel);
    if (!channel)
        return (void *)PyErr_NoMemory();
    channel->comm = comm;
    channel->call = *call;
    channel->call.comm = comm;
    if (target_open(&channel->memory, object, call) < 0) {
        PyMem_RawFree(channel);
        return NULL;
    }
    return channel;
}

void channel_free(Channel *channel) {
    if (channel->call.sends)
        handshake_forget(channel);
    if (channel->by_datatype && state.phase == RUNNING)
        IN_TURN(MPI_Type_free(&channel->type));
    if (channel->packed)
        pool_free(channel->packed);
    PyObject *refusal = channel->refusal;
    Target memory;
    target_move(&memory, &channel->memory);
    PyMem_RawFree(channel);
    Py_XDECREF(refusal);
    target_close(&memory);
}

/* The object that the memory belongs to; borrowed. */
static PyObject *owner_of(const Target *memory) { return memory->array ? memory->array : memory->object; }

/* ---- overlap ---- */

/* The limit of numpy.shares_memory; faces of a grid need a few steps. */
enum { MOST_WORK = 1000 };

/* Whether two arrays share elements: strided ones may interleave. Too hard to decide counts as no. */
static int arrays_overlap(PyObject *one, PyObject *other) {
    PyObject *numpy = PyImport_ImportModule("numpy");
    PyObject *found =
        numpy ? PyObject_CallMethod(numpy, "shares_memory", "OOi", one, other, MOST_WORK) : NULL;
    int shared = found ? PyObject_IsTrue(found) : -1;
    Py_XDECREF(numpy);
    Py_XDECREF(found);
    if (found || !PyErr_ExceptionMatches(PyExc_RuntimeError)) /* TooHardError is one */
        return shared;
    PyErr_Clear();
    return 0;
}

/* Whether the memory of two overlaps: 1, 0 no, -1 exception. */
static int memories_overlap(const Target *one, const Target *other) {
    const Layout *first = &one->layout, *second = &other->layout;
    if (!layouts_overlap(first, second))
        return 0;
    if (first->contiguous && second->contiguous)
        return 1;
    PyObject *owners[] = {owner_of(one), owner_of(other)};
    if (!ndarray_type || !PyObject_TypeCheck(owners[0], ndarray_type) ||
        !PyObject_TypeCheck(owners[1], ndarray_type))
        return 0;
    return arrays_overlap(owners[0], owners[1]);
}

int check_apart(const Target *memory, const Call *call, const Target *other, const Call *others) {
    int overlap = call->sends && others->sends ? 0 : memories_overlap(memory, other);
    if (overlap <= 0)
        return overlap;
    char text[CALL_TEXT];
    call_text(text, sizeof text, others);
    return raise_error(
        "MismatchError", call,
        "its memory overlaps with that of %s, and both travel at the same time; use other memory, "
        "or two plans",
        text);
}

/* ---- each time ---- */

int channel_prepare(Channel *channel) {
    const Layout *layout = &channel->layout;
    uint64_t pieces = pieces_of((uint64_t)layout->nbytes);
    if (pieces > INT32_MAX)
        return raise_error("Error", &channel->call, "its %zd bytes are more than MPI can send",
                           layout->nbytes);
    channel->pieces = (int)pieces;
    if (layout->contiguous || pieces == 0)
        return 0;
    loops_merge(layout, &channel->loops);
    channel->by_datatype = pieces == 1 && strided_by_datatype(layout) &&
                           strided_datatype_new(layout, MPI_BYTE, &channel->type) == MPI_SUCCESS;
    return 0;
}

static int start_piece(Channel *channel, char *data, int count, MPI_Datatype type, MPI_Request *request) {
    const Call *call = &channel->call;
    MPI_Comm shadow = channel->comm->shadow;
    return call->sends ? checked_isend(data, count, type, call->peer, channel->tag, shadow, request, call)
                       : checked_irecv(data, count, type, call->peer, channel->tag, shadow, request, call);
}

int channel_start(Channel *channel) {
    const Layout *layout = &channel->layout;
    char *data = layout->data;
    if (channel->by_datatype)
        return start_piece(channel, data, 1, channel->type, channel->requests);
    if (!layout->contiguous && channel->pieces) {
        if (!channel->packed && !(channel->packed = pool_allocate(layout->nbytes)))
            return -1;
        data = channel->packed;
        if (channel->call.sends)
            loops_pack(&channel->loops, layout->data, data);
    }
    Py_ssize_t left = layout->nbytes;
    for (int piece = 0; piece < channel->pieces; piece++) {
        int nbytes = (int)Py_MIN(left, CHUNK_BYTES);
        if (start_piece(channel, data, nbytes, MPI_BYTE, &channel->requests[piece]) < 0)
            return -1;
        data += nbytes;
        left -= nbytes;
    }
    return 0;
}

void channel_unpack(const Channel *channel) {
    if (channel->packed)
        loops_unpack(&channel->loops, channel->layout.data, channel->packed);
}

/* ---- the end ---- */

void channel_let_go(Channel *channel) {
    if (!under_way(channel->requests, channel->pieces))
        return;
    PyObject *owner = Py_NewRef(owner_of(&channel->memory));
    if (channel->memory.view.obj) { /* which must not be resized: export it once more */
        PyObject *view = PyMemoryView_FromObject(owner);
        if (view)
            Py_SETREF(owner, view);
        else
            PyErr_Clear();
    }
    sending_adopt((PyObject *)channel->comm, &channel->call, channel->requests, channel->pieces, owner,
                  channel->packed);
    Py_DECREF(owner);
    channel->packed = NULL;
    for (int piece = 0; piece < channel->pieces; piece++)
        channel->requests[piece] = MPI_REQUEST_NULL;
}

void channel_withdraw(Channel *channel) {
    for (int piece = 0; piece < channel->pieces; piece++)
        cancel_receive(&channel->requests[piece], MPI_STATUS_IGNORE);
}
