/* Receiving pieces. */
#include <stdlib.h>

#include "base/errors.h"
#include "collectives/board_receive.h"
#include "collectives/pieces.h"
#include "memory/pool.h"
#include "memory/strided.h"
#include "transfer/receive/incoming.h"

int piece_receive_open(PieceReceive *receiving, Collective *collective, Departure *departures,
                       const Target *into) {
    *receiving = (PieceReceive){.collective = collective,
                                .into = into,
                                .dropping = collective->error != NULL,
                                .departures = departures};
    if (!into && !(receiving->list = PyList_New(0)))
        return -1;
    return 0;
}

/* Raise the current exception at the end, and drop the rest. */
static void drop_rest(PieceReceive *receiving) {
    collective_defer(receiving->collective);
    receiving->dropping = true;
}

/* Append to the list; steals the reference (which may be NULL, with an exception). */
static void append(PieceReceive *receiving, PyObject *value) {
    if (!value || (!receiving->dropping && PyList_Append(receiving->list, value) < 0))
        drop_rest(receiving);
    Py_XDECREF(value);
}

/* ---- into a target ---- */

/* Put elements into the next rows, from `data`. */
static int place_elements(PieceReceive *receiving, const Elements *elements, const char *data) {
    const Call *call = &receiving->collective->call;
    Target rows;
    Py_ssize_t count = target_rows(&rows, receiving->into, receiving->row, elements, call);
    if (count < 0 || target_accepts(&rows, elements, call) < 0)
        return -1;
    target_fill(&rows, elements, data);
    receiving->row += count;
    return 0;
}

/* The same with a stream; `part` is its only part, or NULL. */
static void place_stream(PieceReceive *receiving, const char *bytes, Py_ssize_t nbytes, const Arrived *part) {
    Elements elements = {0};
    _Alignas(16) char scratch[MOST_SCALAR_BYTES];
    int is_array = stream_elements(bytes, nbytes, receiving->into->type, &elements, scratch);
    const char *data = NULL;
    if (is_array == 0)
        refuse_object(&receiving->collective->call);
    else if (is_array > 0)
        data = elements_data(&elements, part, part != NULL);
    if (!data || place_elements(receiving, &elements, data) < 0)
        drop_rest(receiving);
    Py_XDECREF(elements.dtype);
}

/* The same with an object. */
static void place_value(PieceReceive *receiving, PyObject *value) {
    char memory[512], *packed = NULL;
    Stream stream;
    stream_open(&stream, memory, sizeof memory);
    bool encoded = codec_encode(&stream, value) == 0;
    const Part *part = encoded && stream.part_count ? &stream.parts[0] : NULL;
    if (part && part->strided) {
        Layout layout;
        array_layout(part->owner, &layout);
        packed = pool_allocate(part->nbytes);
        if (packed)
            strided_pack(&layout, packed);
        encoded = packed != NULL;
    }
    if (encoded && part) {
        const Arrived whole = {.data = packed ? packed : (char *)part->data, .nbytes = part->nbytes};
        place_stream(receiving, stream.bytes, stream.used, &whole);
    } else if (encoded)
        place_stream(receiving, stream.bytes, stream.used, NULL);
    else
        drop_rest(receiving);
    if (packed)
        pool_release(packed, part->nbytes);
    stream_close(&stream);
}

/* ---- one piece ---- */

void piece_receive_own(PieceReceive *receiving, PyObject *value) {
    if (receiving->dropping)
        return;
    if (receiving->into)
        place_value(receiving, value);
    else
        append(receiving, deliver_own(value, NULL, &receiving->collective->call));
}

static Incoming *await(const Collective *collective, int rank) {
    return incoming_start(collective->comm, INTERNAL, rank, collective->tag, NULL, &collective->call);
}

/* Hold the memory of a target, or of rows of it, a second time, for a message that may arrive after the call.
 */
static int lend_target(const Target *into, const Py_buffer *held, Target *lent, const Call *call) {
    *lent = *into;
    lent->view.obj = NULL;
    if (held->obj) {
        if (PyObject_GetBuffer(into->object, &lent->view, PyBUF_FULL) < 0) {
            lent->view.obj = NULL;
            return -1;
        }
        if (lent->view.buf != held->buf || lent->view.len != held->len) {
            PyBuffer_Release(&lent->view);
            return raise_error("MismatchError", call, "into= returns other memory each time it is asked");
        }
    }
    Py_INCREF(lent->object);
    Py_XINCREF(lent->array);
    return 0;
}

/* The same into a target, or rows of one; `held` is the buffer of the target. If that fails, the exception is
 * deferred and the piece received nevertheless. */
static Incoming *await_target(Collective *collective, int rank, const Target *into, const Py_buffer *held) {
    Target lent;
    if (lend_target(into, held, &lent, &collective->call) < 0) {
        collective_defer(collective);
        return await(collective, rank);
    }
    return incoming_start_target(collective->comm, INTERNAL, rank, collective->tag, &lent, &collective->call);
}

/* Receive a piece that is sent separately, with known elements, in its rows. */
static Incoming *await_rows(PieceReceive *receiving, const Elements *elements, int rank) {
    const Call *call = &receiving->collective->call;
    Target rows;
    Py_ssize_t count = target_rows(&rows, receiving->into, receiving->row, elements, call);
    if (count < 0 || target_accepts(&rows, elements, call) < 0) {
        drop_rest(receiving);
        return await(receiving->collective, rank);
    }
    receiving->row += count;
    Incoming *incoming = await_target(receiving->collective, rank, &rows, &receiving->into->view);
    receiving->dropping = receiving->collective->error != NULL;
    return incoming;
}

/* No call waits for it any more. It is still received, so that its sender completes, but not into the user
 * buffer unless its data are already in flight. */
static void abandon_piece(Incoming *incoming) {
    if (incoming->stage == POSTED && !incoming->moving)
        incoming_drop_memory(incoming);
    incoming_abandon(incoming);
}

/* A single piece: the object, or NULL with an exception, which is deferred if waiting has failed. */
static PyObject *wait_for_piece(Collective *collective, Incoming *incoming) {
    if (incoming_finish(incoming, collective_seconds(collective)) < 0) {
        collective_defer(collective);
        abandon_piece(incoming);
        return NULL;
    }
    return incoming_deliver(incoming, NULL);
}

/* Only the piece itself shows how many rows it has, and where the next one begins. */
static void await_whole(PieceReceive *receiving, int rank) {
    Incoming *whole = await(receiving->collective, rank);
    if (whole && receiving->by_steps) {
        incoming_list(whole);
        receiving->whole = whole;
        return;
    }
    PyObject *value = whole ? wait_for_piece(receiving->collective, whole) : NULL;
    if (value)
        place_value(receiving, value);
    else
        receiving->dropping = true;
    Py_XDECREF(value);
}

bool piece_receive_ready(PieceReceive *receiving) {
    Incoming *whole = receiving->whole;
    if (!whole)
        return true;
    if (!incoming_test(whole))
        return false;
    receiving->whole = NULL;
    PyObject *value = incoming_deliver(whole, NULL);
    if (value)
        place_value(receiving, value);
    else
        drop_rest(receiving);
    Py_XDECREF(value);
    return true;
}

/* Receive a piece that is sent separately, for a target. NULL if it has arrived, or with an exception. */
static Incoming *await_into(PieceReceive *receiving, const char *slot, int rank) {
    Elements elements = {0};
    int is_array = array_elements(slot_content(slot), slot_content_bytes(slot), &elements);
    Incoming *incoming = NULL;
    if (is_array > 0)
        incoming = await_rows(receiving, &elements, rank);
    else if (slot_content_bytes(slot) == 0 && is_array == 0)
        await_whole(receiving, rank);
    else {
        if (is_array == 0)
            refuse_object(&receiving->collective->call);
        drop_rest(receiving);
        incoming = await(receiving->collective, rank);
    }
    Py_XDECREF(elements.dtype);
    return incoming;
}

static void await_piece(PieceReceive *receiving, const char *slot, int rank) {
    if (!receiving->incoming)
        receiving->incoming = calloc((size_t)receiving->collective->comm->size, sizeof *receiving->incoming);
    if (!receiving->incoming) {
        PyErr_NoMemory();
        drop_rest(receiving);
        return;
    }
    bool into = receiving->into && !receiving->dropping;
    Incoming *incoming = into ? await_into(receiving, slot, rank) : await(receiving->collective, rank);
    if (incoming)
        incoming_list(incoming); /* it makes progress while others are waited for */
    else if (PyErr_Occurred())
        drop_rest(receiving);
    receiving->incoming[rank] = incoming;
    if (!receiving->into)
        append(receiving, Py_NewRef(Py_None)); /* replaced when it arrives */
}

/* ---- one over a board ---- */

/* The next rows of the target. */
static int take_rows(PieceReceive *receiving, BoardReceive *reading) {
    const Call *call = &receiving->collective->call;
    Elements elements = {0};
    int is_array = array_elements(reading->stream, reading->stream_bytes, &elements);
    Py_ssize_t count = is_array < 0 ? -1
                       : is_array == 0
                           ? refuse_object(call)
                           : target_rows(&reading->rows, receiving->into, receiving->row, &elements, call);
    Py_XDECREF(elements.dtype);
    if (count < 0)
        return -1;
    receiving->row += count;
    return board_receive_prepare(reading, &reading->rows, call);
}

static void await_reading(PieceReceive *receiving, const char *slot, int rank) {
    if (!receiving->readings)
        receiving->readings = calloc((size_t)receiving->collective->comm->size, sizeof *receiving->readings);
    if (!receiving->readings) {
        PyErr_NoMemory();
        drop_rest(receiving);
        return;
    }
    BoardReceive *reading = &receiving->readings[rank];
    int failed = board_receive_open(reading, slot);
    if (!failed && !receiving->dropping)
        failed = receiving->into ? take_rows(receiving, reading)
                                 : board_receive_prepare(reading, NULL, &receiving->collective->call);
    if (failed)
        drop_rest(receiving);
    if (!receiving->into)
        append(receiving, Py_NewRef(Py_None)); /* replaced when it arrives */
}

/* Put one that has arrived in the list, or in the target. */
static void finish_reading(PieceReceive *receiving, int rank) {
    BoardReceive *reading = &receiving->readings[rank];
    if (receiving->dropping || !reading->parts)
        return;
    PyObject *value = board_receive_deliver(reading, &receiving->collective->call);
    if (!value || (receiving->list && PyList_SetItem(receiving->list, rank, Py_NewRef(value)) < 0))
        drop_rest(receiving);
    Py_XDECREF(value);
}

/* All of them. 0, or -1 if waiting failed. */
static int finish_readings(PieceReceive *receiving) {
    Collective *collective = receiving->collective;
    int size = receiving->readings ? collective->comm->size : 0;
    int failed = receiving->by_steps /* which were read before */
                     ? 0
                     : board_receives_run(collective, receiving->departures, receiving->readings, size);
    if (failed)
        drop_rest(receiving);
    for (int rank = 0; rank < size; rank++) {
        finish_reading(receiving, rank);
        board_receive_close(&receiving->readings[rank]);
    }
    free(receiving->readings);
    return failed;
}

/* ---- all ---- */

void piece_receive_slot(PieceReceive *receiving, const char *slot, int rank) {
    Collective *collective = receiving->collective;
    const char *content = slot_content(slot);
    Py_ssize_t nbytes = slot_content_bytes(slot);
    switch ((enum slot_kind)((const Head *)slot)->kind) {
    case SLOT_DIRECT:
        await_piece(receiving, slot, rank);
        break;
    case SLOT_BOARD:
        await_reading(receiving, slot, rank);
        break;
    case SLOT_FAILED:
        raise_failed(collective, rank, content, nbytes);
        drop_rest(receiving);
        break;
    case SLOT_STREAM:
        if (receiving->dropping)
            break;
        if (receiving->into)
            place_stream(receiving, content, nbytes, NULL);
        else
            append(receiving, codec_decode(content, nbytes, NULL, 0));
        break;
    }
}

/* Wait for one that is sent separately, and put it in the list. 0, or -1 if waiting failed. */
static int finish_piece(PieceReceive *receiving, Incoming *incoming, int rank) {
    if (incoming_finish(incoming, collective_seconds(receiving->collective)) < 0) {
        collective_defer(receiving->collective);
        abandon_piece(incoming);
        return -1;
    }
    PyObject *value = incoming_deliver(incoming, NULL);
    if (!value || (receiving->list && !receiving->dropping &&
                   PyList_SetItem(receiving->list, rank, Py_NewRef(value)) < 0))
        drop_rest(receiving);
    Py_XDECREF(value);
    return 0;
}

bool piece_receive_test(const PieceReceive *receiving) {
    bool all = true;
    for (int rank = 0; receiving->incoming && rank < receiving->collective->comm->size; rank++)
        if (receiving->incoming[rank] && !incoming_test(receiving->incoming[rank]))
            all = false;
    return all;
}

static Py_ssize_t elements_of_rows(const Target *into, Py_ssize_t rows) {
    return rows ? into->layout.count / into->layout.shape[0] * rows : 0;
}

PyObject *piece_receive_close(PieceReceive *receiving, bool failed) {
    Collective *collective = receiving->collective;
    receiving->dropping |= failed;
    failed |= finish_readings(receiving) < 0;
    if (receiving->whole)
        abandon_piece(receiving->whole);
    for (int rank = 0; receiving->incoming && rank < collective->comm->size; rank++) {
        Incoming *incoming = receiving->incoming[rank];
        if (incoming && failed)
            abandon_piece(incoming);
        else if (incoming)
            failed = finish_piece(receiving, incoming, rank) < 0;
    }
    free(receiving->incoming);
    bool complete = !failed && !collective->error;
    if (complete && receiving->into)
        return target_result(receiving->into, elements_of_rows(receiving->into, receiving->row));
    if (!complete)
        Py_CLEAR(receiving->list);
    return receiving->list;
}

bool slot_is_direct(const char *slot) { return ((const Head *)slot)->kind == SLOT_DIRECT; }

Incoming *await_single(Collective *collective, int owner, const Target *into) {
    return into ? await_target(collective, owner, into, &into->view) : await(collective, owner);
}

PyObject *receive_piece(Collective *collective, const char *slot, int owner, const Target *into) {
    const char *content = slot_content(slot);
    Py_ssize_t nbytes = slot_content_bytes(slot);
    enum slot_kind kind = (enum slot_kind)((const Head *)slot)->kind;
    if (kind == SLOT_STREAM)
        return collective->error ? NULL : deliver(content, nbytes, NULL, 0, into, &collective->call);
    if (kind == SLOT_FAILED)
        return raise_failed(collective, owner, content, nbytes), NULL;
    Incoming *incoming = await_single(collective, owner, into);
    return incoming ? wait_for_piece(collective, incoming) : NULL;
}
