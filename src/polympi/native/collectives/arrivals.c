/* Pieces on their way in. */
#include <stdlib.h>

#include "base/errors.h"
#include "collectives/pieces.h"
#include "collectives/readings.h"
#include "memory/pool.h"
#include "memory/strided.h"
#include "transfer/incoming.h"

int arrivals_open(Arrivals *arrivals, Collective *collective, Departure *departures, const Target *into) {
    *arrivals = (Arrivals){.collective = collective,
                           .into = into,
                           .dropping = collective->error != NULL,
                           .departures = departures};
    if (!into && !(arrivals->list = PyList_New(0)))
        return -1;
    return 0;
}

/* What is at hand went wrong: raise it in the end, and drop the rest. */
static void drop_rest(Arrivals *arrivals) {
    collective_defer(arrivals->collective);
    arrivals->dropping = true;
}

/* Append to the list; steals the reference (which may be NULL, with an exception). */
static void append(Arrivals *arrivals, PyObject *value) {
    if (!value || (!arrivals->dropping && PyList_Append(arrivals->list, value) < 0))
        drop_rest(arrivals);
    Py_XDECREF(value);
}

/* ---- into a target ---- */

/* Put elements into the rows that come next, from `data`. */
static int place_elements(Arrivals *arrivals, const Elements *elements, const char *data) {
    const Call *call = &arrivals->collective->call;
    Target rows;
    Py_ssize_t count = target_rows(&rows, arrivals->into, arrivals->row, elements, call);
    if (count < 0 || target_accepts(&rows, elements, call) < 0)
        return -1;
    target_fill(&rows, elements, data);
    arrivals->row += count;
    return 0;
}

/* The same with a stream; `part` is its only part, NULL where nothing is apart. */
static void place_stream(Arrivals *arrivals, const char *bytes, Py_ssize_t nbytes, const Arrived *part) {
    Elements elements = {0};
    _Alignas(16) char scratch[MOST_SCALAR_BYTES];
    int is_array = stream_elements(bytes, nbytes, arrivals->into->type, &elements, scratch);
    const char *data = NULL;
    if (is_array == 0)
        refuse_object(&arrivals->collective->call);
    else if (is_array > 0)
        data = elements_data(&elements, part, part != NULL);
    if (!data || place_elements(arrivals, &elements, data) < 0)
        drop_rest(arrivals);
    Py_XDECREF(elements.dtype);
}

/* The same with an object. */
static void place_value(Arrivals *arrivals, PyObject *value) {
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
        place_stream(arrivals, stream.bytes, stream.used, &whole);
    } else if (encoded)
        place_stream(arrivals, stream.bytes, stream.used, NULL);
    else
        drop_rest(arrivals);
    if (packed)
        pool_release(packed, part->nbytes);
    stream_close(&stream);
}

/* ---- one piece ---- */

void arrivals_own(Arrivals *arrivals, PyObject *value) {
    if (arrivals->dropping)
        return;
    if (arrivals->into)
        place_value(arrivals, value);
    else
        append(arrivals, deliver_own(value, NULL, &arrivals->collective->call));
}

static Incoming *await(const Collective *collective, int rank) {
    return incoming_start(collective->comm, INTERNAL, rank, collective->tag, NULL, &collective->call);
}

/* Another hold of the memory of a target, or of rows of it, for a message that may come when the call has
 * ended. */
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

/* The same into a target, or rows of one; `held` is what the target holds its memory by. Where that fails,
 * which is deferred, the piece is taken in nevertheless. */
static Incoming *await_target(Collective *collective, int rank, const Target *into, const Py_buffer *held) {
    Target lent;
    if (lend_target(into, held, &lent, &collective->call) < 0) {
        collective_defer(collective);
        return await(collective, rank);
    }
    return incoming_start_target(collective->comm, INTERNAL, rank, collective->tag, &lent, &collective->call);
}

/* A piece that travels by itself, whose elements are known, goes straight into its rows. */
static Incoming *await_rows(Arrivals *arrivals, const Elements *elements, int rank) {
    const Call *call = &arrivals->collective->call;
    Target rows;
    Py_ssize_t count = target_rows(&rows, arrivals->into, arrivals->row, elements, call);
    if (count < 0 || target_accepts(&rows, elements, call) < 0) {
        drop_rest(arrivals);
        return await(arrivals->collective, rank);
    }
    arrivals->row += count;
    Incoming *incoming = await_target(arrivals->collective, rank, &rows, &arrivals->into->view);
    arrivals->dropping = arrivals->collective->error != NULL;
    return incoming;
}

/* No call waits for it any more. Its sender must be able to complete, so it is received when it comes,
 * but not into memory of the user, unless its data are under way there. */
static void abandon_piece(Incoming *incoming) {
    if (incoming->stage == POSTED && !incoming->moving)
        incoming_drop_memory(incoming);
    incoming_abandon(incoming);
}

/* A single piece: the object, or NULL with an exception, deferred where waiting has failed. */
static PyObject *wait_for_piece(Collective *collective, Incoming *incoming) {
    if (incoming_finish(incoming, collective_seconds(collective)) < 0) {
        collective_defer(collective);
        abandon_piece(incoming);
        return NULL;
    }
    return incoming_deliver(incoming, NULL);
}

/* Only the piece itself tells how many rows it has, and where the next one begins. */
static void await_whole(Arrivals *arrivals, int rank) {
    Incoming *whole = await(arrivals->collective, rank);
    if (whole && arrivals->by_steps) {
        incoming_list(whole);
        arrivals->whole = whole;
        return;
    }
    PyObject *value = whole ? wait_for_piece(arrivals->collective, whole) : NULL;
    if (value)
        place_value(arrivals, value);
    else
        arrivals->dropping = true;
    Py_XDECREF(value);
}

bool arrivals_ready(Arrivals *arrivals) {
    Incoming *whole = arrivals->whole;
    if (!whole)
        return true;
    if (!incoming_test(whole))
        return false;
    arrivals->whole = NULL;
    PyObject *value = incoming_deliver(whole, NULL);
    if (value)
        place_value(arrivals, value);
    else
        drop_rest(arrivals);
    Py_XDECREF(value);
    return true;
}

/* A piece that travels by itself, for a target. NULL when it has come, or with an exception. */
static Incoming *await_into(Arrivals *arrivals, const char *slot, int rank) {
    Elements elements = {0};
    int is_array = array_elements(slot_content(slot), slot_content_bytes(slot), &elements);
    Incoming *incoming = NULL;
    if (is_array > 0)
        incoming = await_rows(arrivals, &elements, rank);
    else if (slot_content_bytes(slot) == 0 && is_array == 0)
        await_whole(arrivals, rank);
    else {
        if (is_array == 0)
            refuse_object(&arrivals->collective->call);
        drop_rest(arrivals);
        incoming = await(arrivals->collective, rank);
    }
    Py_XDECREF(elements.dtype);
    return incoming;
}

static void await_piece(Arrivals *arrivals, const char *slot, int rank) {
    if (!arrivals->incoming)
        arrivals->incoming = calloc((size_t)arrivals->collective->comm->size, sizeof *arrivals->incoming);
    if (!arrivals->incoming) {
        PyErr_NoMemory();
        drop_rest(arrivals);
        return;
    }
    bool into = arrivals->into && !arrivals->dropping;
    Incoming *incoming = into ? await_into(arrivals, slot, rank) : await(arrivals->collective, rank);
    if (incoming)
        incoming_list(incoming); /* it has to get on while others are waited for */
    else if (PyErr_Occurred())
        drop_rest(arrivals);
    arrivals->incoming[rank] = incoming;
    if (!arrivals->into)
        append(arrivals, Py_NewRef(Py_None)); /* its place */
}

/* ---- one over a board ---- */

/* The rows of the target that come next. */
static int take_rows(Arrivals *arrivals, Reading *reading) {
    const Call *call = &arrivals->collective->call;
    Elements elements = {0};
    int is_array = array_elements(reading->stream, reading->stream_bytes, &elements);
    Py_ssize_t count = is_array < 0 ? -1
                       : is_array == 0
                           ? refuse_object(call)
                           : target_rows(&reading->rows, arrivals->into, arrivals->row, &elements, call);
    Py_XDECREF(elements.dtype);
    if (count < 0)
        return -1;
    arrivals->row += count;
    return reading_prepare(reading, &reading->rows, call);
}

static void await_reading(Arrivals *arrivals, const char *slot, int rank) {
    if (!arrivals->readings)
        arrivals->readings = calloc((size_t)arrivals->collective->comm->size, sizeof *arrivals->readings);
    if (!arrivals->readings) {
        PyErr_NoMemory();
        drop_rest(arrivals);
        return;
    }
    Reading *reading = &arrivals->readings[rank];
    int failed = reading_open(reading, slot);
    if (!failed && !arrivals->dropping)
        failed = arrivals->into ? take_rows(arrivals, reading)
                                : reading_prepare(reading, NULL, &arrivals->collective->call);
    if (failed)
        drop_rest(arrivals);
    if (!arrivals->into)
        append(arrivals, Py_NewRef(Py_None)); /* its place */
}

/* Put one that has come in the list, or where it belongs in the target. */
static void finish_reading(Arrivals *arrivals, int rank) {
    Reading *reading = &arrivals->readings[rank];
    if (arrivals->dropping || !reading->parts)
        return;
    PyObject *value = reading_deliver(reading, &arrivals->collective->call);
    if (!value || (arrivals->list && PyList_SetItem(arrivals->list, rank, Py_NewRef(value)) < 0))
        drop_rest(arrivals);
    Py_XDECREF(value);
}

/* All of them. 0, or -1 when waiting failed. */
static int finish_readings(Arrivals *arrivals) {
    Collective *collective = arrivals->collective;
    int size = arrivals->readings ? collective->comm->size : 0;
    int failed = arrivals->by_steps /* which were read before */
                     ? 0
                     : readings_run(collective, arrivals->departures, arrivals->readings, size);
    if (failed)
        drop_rest(arrivals);
    for (int rank = 0; rank < size; rank++) {
        finish_reading(arrivals, rank);
        reading_close(&arrivals->readings[rank]);
    }
    free(arrivals->readings);
    return failed;
}

/* ---- all ---- */

void arrivals_slot(Arrivals *arrivals, const char *slot, int rank) {
    Collective *collective = arrivals->collective;
    const char *content = slot_content(slot);
    Py_ssize_t nbytes = slot_content_bytes(slot);
    switch ((enum slot_kind)((const Head *)slot)->kind) {
    case SLOT_DIRECT:
        await_piece(arrivals, slot, rank);
        break;
    case SLOT_BOARD:
        await_reading(arrivals, slot, rank);
        break;
    case SLOT_FAILED:
        raise_failed(collective, rank, content, nbytes);
        drop_rest(arrivals);
        break;
    case SLOT_STREAM:
        if (arrivals->dropping)
            break;
        if (arrivals->into)
            place_stream(arrivals, content, nbytes, NULL);
        else
            append(arrivals, codec_decode(content, nbytes, NULL, 0));
        break;
    }
}

/* Wait for one that travels by itself, and put it in the list. 0, or -1 when waiting failed. */
static int finish_piece(Arrivals *arrivals, Incoming *incoming, int rank) {
    if (incoming_finish(incoming, collective_seconds(arrivals->collective)) < 0) {
        collective_defer(arrivals->collective);
        abandon_piece(incoming);
        return -1;
    }
    PyObject *value = incoming_deliver(incoming, NULL);
    if (!value ||
        (arrivals->list && !arrivals->dropping && PyList_SetItem(arrivals->list, rank, Py_NewRef(value)) < 0))
        drop_rest(arrivals);
    Py_XDECREF(value);
    return 0;
}

bool arrivals_test(const Arrivals *arrivals) {
    bool all = true;
    for (int rank = 0; arrivals->incoming && rank < arrivals->collective->comm->size; rank++)
        if (arrivals->incoming[rank] && !incoming_test(arrivals->incoming[rank]))
            all = false;
    return all;
}

PyObject *arrivals_close(Arrivals *arrivals, bool failed) {
    Collective *collective = arrivals->collective;
    arrivals->dropping |= failed;
    failed |= finish_readings(arrivals) < 0;
    if (arrivals->whole)
        abandon_piece(arrivals->whole);
    for (int rank = 0; arrivals->incoming && rank < collective->comm->size; rank++) {
        Incoming *incoming = arrivals->incoming[rank];
        if (incoming && failed)
            abandon_piece(incoming);
        else if (incoming)
            failed = finish_piece(arrivals, incoming, rank) < 0;
    }
    free(arrivals->incoming);
    bool complete = !failed && !collective->error;
    if (complete && arrivals->into)
        return Py_NewRef(arrivals->into->object);
    if (!complete)
        Py_CLEAR(arrivals->list);
    return arrivals->list;
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
    if (kind == SLOT_FAILED) {
        raise_failed(collective, owner, content, nbytes);
        return NULL;
    }
    Incoming *incoming = await_single(collective, owner, into);
    return incoming ? wait_for_piece(collective, incoming) : NULL;
}
