/* Cutting pieces, and sending them in slots or separately. */
#include "collectives/pieces.h"

#include <stdlib.h>

#include "base/errors.h"
#include "codec/stream.h"
#include "collectives/board_receive.h"
#include "transfer/simple_array.h"

/* ---- cutting ---- */

void split_rows(Py_ssize_t rows, int size, int rank, Py_ssize_t *first, Py_ssize_t *count) {
    Py_ssize_t each = rows / size, longer = rows % size;
    *count = each + (rank < longer);
    *first = rank * each + (rank < longer ? rank : longer);
}

/* The counts of all ranks as an array on the heap; they must add up to the rows. NULL with an exception. */
static Py_ssize_t *read_counts(const Collective *collective, PyObject *counts, Py_ssize_t rows) {
    int size = collective->comm->size;
    PyObject *given = PySequence_Fast(counts, "counts must be a sequence of a number of rows for each rank");
    PyObject *items = given ? PySequence_Tuple(given) : NULL; /* __index__ of one may change a list */
    Py_XDECREF(given);
    Py_ssize_t *numbers = items ? malloc((size_t)size * sizeof *numbers) : NULL, sum = 0;
    bool right = numbers && PyTuple_GET_SIZE(items) == size;
    if (items && !numbers)
        PyErr_NoMemory();
    else if (numbers && !right)
        raise_error("MismatchError", &collective->call, "there are %zd counts for %d ranks",
                    PyTuple_GET_SIZE(items), size);
    for (int rank = 0; right && rank < size; rank++) {
        numbers[rank] = PyNumber_AsSsize_t(PyTuple_GET_ITEM(items, rank), PyExc_OverflowError);
        right = !PyErr_Occurred();
        if (right && (numbers[rank] < 0 || numbers[rank] > rows - sum)) {
            raise_error("MismatchError", &collective->call,
                        "counts ask for %zd rows for rank %d, but %zd of the array's %zd are left",
                        numbers[rank], rank, rows - sum, rows);
            right = false;
        }
        sum += right ? numbers[rank] : 0;
    }
    if (right && sum != rows) {
        raise_error("MismatchError", &collective->call, "counts add up to %zd rows, but the array has %zd",
                    sum, rows);
        right = false;
    }
    Py_XDECREF(items);
    if (!right) {
        free(numbers);
        return NULL;
    }
    return numbers;
}

/* array[first : first + count], a new reference. Arrays of numbers don't need a slice object, which is slow.
 */
static PyObject *rows_of(PyObject *object, Py_ssize_t first, Py_ssize_t count) {
    PyArrayObject *array = (PyArrayObject *)object;
    if (!PyArray_CheckExact(object) || wire_type(PyArray_DESCR(array)) == TYPE_DESCRIBED)
        return PySequence_GetSlice(object, first, first + count);
    npy_intp shape[NPY_MAXDIMS];
    memcpy(shape, PyArray_DIMS(array), (size_t)PyArray_NDIM(array) * sizeof *shape);
    shape[0] = count;
    PyArray_Descr *dtype = PyArray_DESCR(array);
    Py_INCREF(dtype);
    PyObject *rows =
        PyArray_NewFromDescr(&PyArray_Type, dtype, PyArray_NDIM(array), shape, PyArray_STRIDES(array),
                             PyArray_BYTES(array) + first * PyArray_STRIDE(array, 0),
                             PyArray_FLAGS(array) & NPY_ARRAY_WRITEABLE, NULL);
    if (rows && PyArray_SetBaseObject((PyArrayObject *)rows, Py_NewRef(object)) < 0)
        Py_CLEAR(rows);
    return rows;
}

static PyObject *cut_array(const Collective *collective, PyObject *array, PyObject *counts) {
    int size = collective->comm->size;
    Py_ssize_t rows = PyObject_Size(array);
    if (rows < 0) {
        PyErr_Clear();
        raise_error("MismatchError", &collective->call,
                    "an array of no dimensions cannot be cut into pieces");
        return NULL;
    }
    Py_ssize_t *numbers = counts ? read_counts(collective, counts, rows) : NULL, next = 0;
    PyObject *pieces = counts && !numbers ? NULL : PyTuple_New(size);
    for (int rank = 0; pieces && rank < size; rank++) {
        Py_ssize_t first = next, count = counts ? numbers[rank] : 0;
        if (!counts)
            split_rows(rows, size, rank, &first, &count);
        next += count;
        PyObject *piece = rows_of(array, first, count);
        if (piece)
            PyTuple_SET_ITEM(pieces, rank, piece);
        else
            Py_CLEAR(pieces);
    }
    free(numbers);
    return pieces;
}

PyObject *cut_pieces(const Collective *collective, PyObject *value, PyObject *counts) {
    int size = collective->comm->size;
    if (((ndarray_type || numpy_loaded(false)) && PyObject_TypeCheck(value, ndarray_type)) ||
        is_foreign(value))
        return cut_array(collective, value, counts);
    if (PyErr_Occurred())
        return NULL;
    const char *wrong = counts ? "counts are for arrays" : "pieces must be a list, a tuple or an array";
    if (counts || !(PyList_Check(value) || PyTuple_Check(value))) {
        raise_error("MismatchError", &collective->call, "%s, but a %s was given", wrong,
                    Py_TYPE(value)->tp_name);
        return NULL;
    }
    if (PySequence_Fast_GET_SIZE(value) != size) {
        raise_error("MismatchError", &collective->call, "there are %zd pieces for %d ranks",
                    PySequence_Fast_GET_SIZE(value), size);
        return NULL;
    }
    return PySequence_Tuple(value); /* encoding may run user code, which may change a list */
}

/* ---- slots ---- */

enum { LEAST_SLOT = 128 };

Py_ssize_t slot_room(int size) {
    Py_ssize_t room = PACKET_BYTES / ((size + 1) / 2) & ~(Py_ssize_t)(SLOT_ALIGNMENT - 1);
    return room > LEAST_SLOT ? room : LEAST_SLOT;
}

static Py_ssize_t write_head(const Collective *collective, char *slot, enum slot_kind kind,
                             Py_ssize_t content) {
    Py_ssize_t padding = -content & (SLOT_ALIGNMENT - 1);
    const Head head = {.verb = (uint8_t)collective->verb,
                       .kind = kind,
                       .type = (uint8_t)padding,
                       .nbytes = (uint32_t)(SLOT_HEAD + content + padding),
                       .root = collective->root};
    memcpy(slot, &head, sizeof head);
    memset(slot + SLOT_HEAD + content, 0, (size_t)padding);
    return head.nbytes;
}

Py_ssize_t slot_write_empty(const Collective *collective, char *slot) {
    return write_head(collective, slot, SLOT_STREAM, 0);
}

Py_ssize_t slot_write_failed(Collective *collective, char *slot) {
    Py_ssize_t room = slot_room(collective->comm->size) - SLOT_HEAD;
    return write_head(collective, slot, SLOT_FAILED,
                      collective_error_report(collective, slot + SLOT_HEAD, room));
}

/* A new departure, before the others, for `out`, which is not started yet and is moved there, or closed on
 * failure. 0 or -1. */
static int departures_add(Departure **departures, Outgoing *out, int dest) {
    Departure *departure = malloc(sizeof *departure);
    if (!departure) {
        outgoing_close(out);
        PyErr_NoMemory();
        return -1;
    }
    *departure = (Departure){.next = *departures, .dest = dest, .out = *out};
    departure->out.requests = departure->out.first;
    *departures = departure;
    return 0;
}

/* The page of the board where the next departure begins. */
static uint64_t next_page(const Communicator *comm, const Departure *departures) {
    for (; departures; departures = departures->next)
        if (departures->on_board)
            return departures->end;
    return board_next(comm);
}

/* Send the last departure over the board, from that page on. */
static void put_on_board(Departure *departure, uint64_t page) {
    departure->on_board = true;
    departure->end = page;
    for (int i = 0; i < departure->out.stream.part_count; i++)
        departure->end += board_pages(departure->out.stream.parts[i].nbytes);
}

/* The slot of a small array, the most common piece, without an encoder; 0 for any other value. */
static Py_ssize_t write_simple(const Collective *collective, char *slot, PyObject *value) {
    PyArrayObject *array = (PyArrayObject *)value;
    char head[ARRAY_FORM(SIMPLE_DIMENSIONS)];
    Py_ssize_t nbytes, head_bytes;
    if (Py_TYPE(value) != ndarray_type || !PyArray_IS_C_CONTIGUOUS(array) ||
        !(head_bytes = simple_head(array, head, &nbytes)) || nbytes >= PART_BYTES ||
        head_bytes + nbytes > slot_room(collective->comm->size) - SLOT_HEAD)
        return 0;
    memcpy(slot + SLOT_HEAD, head, (size_t)head_bytes);
    memcpy(slot + SLOT_HEAD + head_bytes, PyArray_BYTES(array), (size_t)nbytes);
    return write_head(collective, slot, SLOT_STREAM, head_bytes + nbytes);
}

Py_ssize_t slot_write(Collective *collective, char *slot, PyObject *value, int dest, Departure **departures) {
    Outgoing out;
    Py_ssize_t simple = write_simple(collective, slot, value);
    if (simple)
        return simple;
    if (outgoing_open(&out, collective->comm, &collective->call) < 0) {
        collective_defer(collective);
        return slot_write_failed(collective, slot);
    }
    if (codec_encode(&out.stream, value) < 0) {
        collective_defer(collective);
        outgoing_close(&out);
        return slot_write_failed(collective, slot);
    }
    Py_ssize_t content = out.stream.used, room = slot_room(collective->comm->size) - SLOT_HEAD;
    bool fits = content <= room;
    if (likely(fits))
        memcpy(slot + SLOT_HEAD, out.stream.bytes, (size_t)content);
    if (likely(fits && !out.stream.part_count)) {
        outgoing_close(&out);
        return write_head(collective, slot, SLOT_STREAM, content);
    }
    uint64_t page = next_page(collective->comm, *departures);
    Py_ssize_t on_board = board_content(collective, &out.stream, page, slot + SLOT_HEAD, room);
    if (departures_add(departures, &out, dest) < 0) {
        collective_defer(collective);
        return slot_write_failed(collective, slot);
    }
    if (on_board) {
        put_on_board(*departures, page);
        return write_head(collective, slot, SLOT_BOARD, on_board);
    }
    return write_head(collective, slot, SLOT_DIRECT, fits ? content : 0);
}

/* ---- departures ---- */

int departures_repeat(Collective *collective, Departure **departures, int dest) {
    const Stream *stream = &(*departures)->out.stream;
    Outgoing out;
    if (outgoing_open(&out, collective->comm, &collective->call) < 0)
        return -1;
    char *copy = stream_reserve(&out.stream, stream->used);
    int failed = copy ? 0 : -1;
    if (copy)
        memcpy(copy, stream->bytes, (size_t)stream->used);
    for (int i = 0; !failed && i < stream->part_count; i++) {
        const Part *part = &stream->parts[i];
        failed = stream_part(&out.stream, part->data, part->nbytes, Py_NewRef(part->owner), part->strided);
    }
    if (!failed)
        return departures_add(departures, &out, dest);
    outgoing_close(&out);
    return -1;
}

int departures_start(Collective *collective, Departure *departures) {
    for (Departure *departure = departures; departure; departure = departure->next)
        if (!departure->on_board &&
            outgoing_start(&departure->out, INTERNAL, departure->dest, collective->tag, STANDARD) < 0)
            return -1;
    return 0;
}

int departures_close(Collective *collective, Departure *departures, bool failed) {
    if (!failed && board_receives_run(collective, departures, NULL, 0) < 0)
        failed = true;
    while (departures) {
        Departure *departure = departures;
        departures = departure->next;
        if (failed)
            outgoing_close(&departure->out);
        else if (outgoing_wait(&departure->out, collective_seconds(collective)) < 0)
            failed = true;
        free(departure);
    }
    return failed ? -1 : 0;
}
