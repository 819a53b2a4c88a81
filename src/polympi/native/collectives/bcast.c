/* MPI 5.0, section 6.4. */
#include <stdlib.h>

#include "base/errors.h"
#include "codec/delivery.h"
#include "collectives/board.h"
#include "collectives/collectives.h"
#include "collectives/rounds.h"
#include "memory/pool.h"
#include "memory/strided.h"
#include "transfer/transfer.h"

static const char OUT_OF_MEMORY[] = "MemoryError";

typedef struct {
    Collective collective;
    int root;
    bool is_root, blocking;
    char *message; /* a packet */
    Stream stream; /* root */
    char *body;    /* in the message, or `body_memory` */
    char *body_memory;
    uint64_t part_count, body_bytes, page;
    Arrived *parts; /* what is sent and received, in contiguous memory */
    bool *pooled;   /* whether that memory is the pool's and ours */
    const Target *into;
    bool filled; /* part 0 goes straight into the target */
} Bcast;

static const char *stream_bytes(const Bcast *bcast) {
    return bcast->body + sizes_of_parts(bcast->part_count);
}
static Py_ssize_t stream_length(const Bcast *bcast) {
    return (Py_ssize_t)bcast->body_bytes - sizes_of_parts(bcast->part_count);
}

/* ---- memory for the parts ---- */

/* Memory of the pool for part i; 0 or -1. */
static int take_memory(Bcast *bcast, int i) {
    bcast->parts[i].data = pool_allocate(bcast->parts[i].nbytes);
    bcast->pooled[i] = bcast->parts[i].data != NULL;
    return bcast->pooled[i] ? 0 : -1;
}

/* The root's parts lie where the object has them; strided ones are packed. */
static int offer_parts(Bcast *bcast) {
    for (int i = 0; i < bcast->stream.part_count; i++) {
        const Part *part = &bcast->stream.parts[i];
        bcast->parts[i] = (Arrived){.data = part->data, .nbytes = part->nbytes};
        if (!part->strided)
            continue;
        if (take_memory(bcast, i) < 0)
            return -1;
        Layout layout;
        array_layout(part->owner, &layout);
        strided_pack(&layout, bcast->parts[i].data);
    }
    return 0;
}

/* Whether part 0, which is all of an array, can go straight into the target. 1, 0, or -1 with an exception.
 */
static int goes_straight(const Bcast *bcast) {
    Elements elements = {0};
    int is_array = array_elements(stream_bytes(bcast), stream_length(bcast), &elements);
    if (is_array <= 0)
        return is_array < 0 ? -1 : refuse_object(&bcast->collective.call);
    int fits = target_accepts(bcast->into, &elements, &bcast->collective.call);
    Py_XDECREF(elements.dtype);
    if (fits < 0)
        return -1;
    return elements.apart && bcast->part_count == 1 && bcast->parts[0].nbytes == elements.nbytes &&
           bcast->into->layout.contiguous && !(elements.fortran && elements.ndim > 1);
}

/* Memory for what the root has announced. What does not fit into the target is received nevertheless. */
static int await_parts(Bcast *bcast) {
    for (int i = 0; i < (int)bcast->part_count; i++)
        bcast->parts[i].nbytes = (Py_ssize_t)wire_get_size(bcast->body, (uint64_t)i);
    if (bcast->into) {
        int straight = goes_straight(bcast);
        if (straight < 0) {
            collective_defer(&bcast->collective);
            bcast->into = NULL;
        } else if (straight) {
            bcast->parts[0].data = bcast->into->layout.data;
            bcast->filled = true;
        }
    }
    for (int i = bcast->filled; i < (int)bcast->part_count; i++)
        if (take_memory(bcast, i) < 0)
            return -1;
    return 0;
}

/* Memory for all parts; false where that has failed, which is deferred. */
static bool prepare_parts(Bcast *bcast) {
    bcast->parts = calloc((size_t)bcast->part_count + 1, sizeof *bcast->parts);
    bcast->pooled = calloc((size_t)bcast->part_count + 1, sizeof *bcast->pooled);
    bool able = bcast->parts && bcast->pooled;
    if (!able)
        PyErr_NoMemory();
    else
        able = (bcast->is_root ? offer_parts(bcast) : await_parts(bcast)) == 0;
    if (!able)
        collective_defer(&bcast->collective);
    return able;
}

/* ---- the small message ---- */

static void write_head(Bcast *bcast, enum bcast_kind kind, Py_ssize_t nbytes) {
    const Head head = {.verb = BCAST, .kind = kind, .nbytes = (uint32_t)nbytes, .root = bcast->root};
    memcpy(bcast->message, &head, sizeof head);
}

/* Write what could not be sent as the reason. */
static void write_excuse(Bcast *bcast) {
    collective_defer(&bcast->collective);
    Py_ssize_t length = collective_excuse(&bcast->collective, bcast->message + sizeof(Head),
                                          PACKET_BYTES - (Py_ssize_t)sizeof(Head));
    write_head(bcast, BCAST_NOTHING, (Py_ssize_t)sizeof(Head) + length);
}

/* How the parts travel. Where ranks share processors, asking all of them first, and the steps of the
 * library's nonblocking collective, take longer than the data: 64 KiB to 8 ranks on 2 processors 368 us
 * against 116 with MPICH 5.0, 243 against 161 with Open MPI 5.0. */
static enum bcast_kind way_of_parts(const Bcast *bcast) {
    enum { MOST_TREE_BYTES = 1 << 20 };
    Py_ssize_t nbytes = 0;
    for (int i = 0; i < bcast->stream.part_count; i++)
        nbytes += bcast->stream.parts[i].nbytes;
    return board_ready(bcast->collective.comm)          ? BCAST_ANNOUNCED_BOARD
           : state.crowded && nbytes <= MOST_TREE_BYTES ? BCAST_ANNOUNCED_TREE
                                                        : BCAST_ANNOUNCED;
}

/* The root's message. */
static void write_message(Bcast *bcast, PyObject *value) {
    Stream *stream = &bcast->stream;
    stream_open(stream, bcast->message + sizeof(Head), PACKET_BYTES - (Py_ssize_t)sizeof(Head));
    if (codec_encode(stream, value) < 0) {
        write_excuse(bcast);
        return;
    }
    if (!stream->part_count && !stream->heap) {
        write_head(bcast, BCAST_STREAM, (Py_ssize_t)sizeof(Head) + stream->used);
        return;
    }
    bcast->part_count = (uint64_t)stream->part_count;
    bcast->body_bytes = (uint64_t)stream_body_bytes(stream);
    bool fits = sizeof(BcastHead) + bcast->body_bytes <= PACKET_BYTES;
    bcast->body =
        fits ? bcast->message + sizeof(BcastHead) : (bcast->body_memory = malloc((size_t)bcast->body_bytes));
    if (!bcast->body) {
        PyErr_NoMemory();
        write_excuse(bcast);
        return;
    }
    stream_put_body(stream, bcast->body);
    enum bcast_kind kind = fits ? way_of_parts(bcast) : BCAST_ANNOUNCED_BODY;
    if (kind == BCAST_ANNOUNCED_BOARD) {
        if (!prepare_parts(bcast)) {
            write_excuse(bcast);
            return;
        }
        bcast->page = board_next(bcast->collective.comm);
    }
    BcastHead announced = {
        .part_count = bcast->part_count, .body_bytes = bcast->body_bytes, .page = bcast->page};
    memcpy(bcast->message, &announced, sizeof announced);
    write_head(bcast, kind, (Py_ssize_t)sizeof announced + (fits ? (Py_ssize_t)bcast->body_bytes : 0));
}

/* ---- what travels apart ---- */

/* Contiguous memory, in pieces that an int can count. 0 or -1. */
static int bcast_data(Bcast *bcast, char *data, Py_ssize_t nbytes) {
    MPI_Comm comm = bcast->collective.comm->comm;
    for (Py_ssize_t done = 0; done < nbytes; done += CHUNK_BYTES) {
        int count = (int)(nbytes - done < CHUNK_BYTES ? nbytes - done : CHUNK_BYTES);
        MPI_Request request = MPI_REQUEST_NULL;
        bool locked = enter_mpi();
        int code = bcast->blocking ? MPI_Bcast(data + done, count, MPI_BYTE, bcast->root, comm)
                                   : MPI_Ibcast(data + done, count, MPI_BYTE, bcast->root, comm, &request);
        leave_mpi(locked);
        if (collective_finish(&bcast->collective, code, bcast->blocking ? NULL : &request) < 0)
            return -1;
    }
    return 0;
}

static int bcast_body(Bcast *bcast) {
    if (!bcast->is_root)
        bcast->body = bcast->body_memory = malloc((size_t)bcast->body_bytes);
    if (!bcast->body) {
        PyErr_NoMemory();
        collective_defer(&bcast->collective);
    }
    return agree(&bcast->collective, bcast->body, &bcast->blocking) < 0
               ? -1
               : bcast_data(bcast, bcast->body, (Py_ssize_t)bcast->body_bytes);
}

/* By the library, once all ranks are known to be able. */
static int bcast_parts(Bcast *bcast) {
    bool able = prepare_parts(bcast);
    if (agree(&bcast->collective, able, &bcast->blocking) < 0)
        return -1;
    for (int i = 0; i < (int)bcast->part_count; i++)
        if (bcast_data(bcast, bcast->parts[i].data, bcast->parts[i].nbytes) < 0)
            return -1;
    return 0;
}

/* A part, from rank to rank. A rank that has no memory of the pool for it hands it down all the same; a root
 * that has none gives 0 bytes. The bytes that have come, or -1. */
static Py_ssize_t spread_part(Bcast *bcast, const Arrived *part, bool able) {
    char *scratch = part->data ? NULL : malloc((size_t)part->nbytes);
    if (!part->data && !scratch)
        return PyErr_NoMemory(), -1;
    Py_ssize_t come = spread_data(&bcast->collective, scratch ? scratch : part->data,
                                  able || !bcast->is_root ? part->nbytes : 0, bcast->root);
    if (!bcast->collective.lost)
        free(scratch);
    return come;
}

/* From rank to rank, without asking them first. */
static int spread_parts(Bcast *bcast) {
    bool able = prepare_parts(bcast), complete = true;
    if (!bcast->parts)
        return -1;
    for (int i = 0; i < (int)bcast->part_count; i++) {
        Py_ssize_t come = spread_part(bcast, &bcast->parts[i], able);
        if (come < 0)
            return -1;
        complete &= come == bcast->parts[i].nbytes;
    }
    if (!complete && !bcast->is_root)
        raise_failed(&bcast->collective, bcast->root, OUT_OF_MEMORY, sizeof OUT_OF_MEMORY - 1);
    return able && complete ? 0 : -1;
}

/* Over the root's board. */
static int write_parts(Bcast *bcast) {
    for (int i = 0; i < (int)bcast->part_count; i++) {
        BoardWrite write = {
            .data = bcast->parts[i].data, .nbytes = bcast->parts[i].nbytes, .reader = EVERYBODY};
        if (board_exchange(&bcast->collective, &write, 1, NULL, 0) < 0)
            return -1;
    }
    return 0;
}

/* A rank that has no memory for a part passes it over. */
static int read_parts(Bcast *bcast) {
    bool able = prepare_parts(bcast);
    if (!bcast->parts)
        return -1;
    for (int i = 0; i < (int)bcast->part_count; i++) {
        BoardRead read = {.data = bcast->parts[i].data,
                          .end = bcast->parts[i].nbytes,
                          .nbytes = bcast->parts[i].nbytes,
                          .writer = bcast->root,
                          .page = bcast->page};
        if (board_exchange(&bcast->collective, NULL, 0, &read, 1) < 0)
            return -1;
        bcast->page = read.page;
    }
    return able ? 0 : -1;
}

static int bcast_announced(Bcast *bcast, enum bcast_kind kind) {
    if (!bcast->is_root) {
        BcastHead announced;
        memcpy(&announced, bcast->message, sizeof announced);
        bcast->part_count = announced.part_count;
        bcast->body_bytes = announced.body_bytes;
        bcast->page = announced.page;
        bcast->body = bcast->message + sizeof announced;
    }
    if (kind == BCAST_ANNOUNCED_BODY && bcast_body(bcast) < 0)
        return -1;
    if (kind == BCAST_ANNOUNCED_BOARD)
        return bcast->is_root ? write_parts(bcast) : read_parts(bcast);
    return kind == BCAST_ANNOUNCED_TREE ? spread_parts(bcast) : bcast->part_count ? bcast_parts(bcast) : 0;
}

/* ---- the call ---- */

/* What a rank that is not root returns. */
static PyObject *received(Bcast *bcast, enum bcast_kind kind, Py_ssize_t nbytes) {
    const Call *call = &bcast->collective.call;
    const char *content = bcast->message + sizeof(Head);
    if (kind == BCAST_NOTHING) {
        raise_failed(&bcast->collective, bcast->root, content, nbytes - (Py_ssize_t)sizeof(Head));
        return NULL;
    }
    if (bcast->collective.error)
        return NULL;
    if (kind == BCAST_STREAM)
        return deliver(content, nbytes - (Py_ssize_t)sizeof(Head), NULL, 0, bcast->into, call);
    if (bcast->filled)
        return Py_NewRef(bcast->into->object);
    int count = (int)bcast->part_count;
    PyObject *value =
        deliver(stream_bytes(bcast), stream_length(bcast), bcast->parts, count, bcast->into, call);
    for (int i = 0; i < count; i++)
        bcast->pooled[i] = !bcast->parts[i].taken;
    return value;
}

static void bcast_close(Bcast *bcast) {
    if (bcast->collective.lost)
        return; /* MPI may use the memory for as long as the process lives */
    for (int i = 0; bcast->pooled && i < (int)bcast->part_count; i++)
        if (bcast->pooled[i])
            pool_release(bcast->parts[i].data, bcast->parts[i].nbytes);
    free(bcast->parts);
    free(bcast->pooled);
    free(bcast->body_memory);
    if (bcast->is_root && bcast->message)
        stream_close(&bcast->stream);
}

static PyObject *run_bcast(Bcast *bcast, PyObject *value) {
    bcast->message = collective_memory(&bcast->collective, PACKET_BYTES);
    if (!bcast->message)
        return NULL;
    if (bcast->is_root)
        write_message(bcast, value);
    if (spread(&bcast->collective, bcast->message, PACKET_BYTES, bcast->root) < 0)
        return NULL;
    Head head;
    memcpy(&head, bcast->message, sizeof head);
    if (head.kind != BCAST_STREAM && head.kind != BCAST_NOTHING && bcast_announced(bcast, head.kind) < 0)
        return NULL;
    if (!bcast->is_root)
        return received(bcast, head.kind, head.nbytes);
    if (bcast->into && bcast->into->object != value)
        return deliver_own(value, bcast->into, &bcast->collective.call);
    return Py_NewRef(value);
}

Signature bcast_signature = {"bcast", 2, 0, 4, {"obj", "root", "into", "timeout"}, {NULL}};
enum { OBJ, ROOT_RANK, INTO, TIMEOUT };

/* Without what only a call with parts needs: to clear it all takes 7 ns. */
static void begin(Bcast *bcast, bool is_root) {
    bcast->is_root = is_root;
    bcast->blocking = bcast->filled = false;
    bcast->message = bcast->body = bcast->body_memory = NULL;
    bcast->part_count = bcast->body_bytes = bcast->page = 0;
    bcast->parts = NULL;
    bcast->pooled = NULL;
}

PyObject *communicator_bcast(Communicator *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    PyObject *values[MOST_ARGUMENTS];
    Bcast bcast;
    if (signature_parse(&bcast_signature, args, nargs, kwnames, values) < 0 ||
        parse_root(self, values[ROOT_RANK], "bcast", &bcast.root) < 0 ||
        collective_open(&bcast.collective, self, BCAST, bcast.root, values[TIMEOUT]) < 0)
        return NULL;
    begin(&bcast, self->rank == bcast.root);
    bool given = values[OBJ] && values[OBJ] != Py_None, into = values[INTO] && values[INTO] != Py_None;
    PyObject *value = given ? values[OBJ] : into ? values[INTO] : Py_None;
    Target target;
    bcast.into = collective_target(&bcast.collective, &target, values[INTO]);
    bool opened = bcast.into;
    PyObject *result = run_bcast(&bcast, value);
    bcast_close(&bcast);
    if (opened && !bcast.collective.lost)
        target_close(&target);
    if (collective_close(&bcast.collective) < 0)
        Py_CLEAR(result);
    return result;
}
