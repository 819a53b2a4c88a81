/* MPI 5.0, section 6.4. */
#include <stdlib.h>

#include "announcement.h"
#include "collectives.h"
#include "delivery.h"
#include "errors.h"
#include "pool.h"
#include "rounds.h"
#include "strided.h"

/* Head.kind of the root's small message, and what follows the head. */
enum kind {
    STREAM,         /* all of it: the stream of the codec */
    ANNOUNCED,      /* struct announced and the body; the parts travel apart */
    ANNOUNCED_BODY, /* struct announced; the body travels apart, then the parts */
    NOTHING,        /* a text: the root could not encode its object */
};

/* The body is: uint64 bytes of each part, the stream. */
struct announced {
    Head head;
    uint64_t part_count, body_bytes;
};

typedef struct {
    Collective collective;
    int root;
    bool is_root, block;
    char *message; /* a block */
    Stream stream; /* root */
    char *body;    /* in the message, or `body_memory` */
    char *body_memory;
    uint64_t part_count, body_bytes;
    Arrived *parts; /* what is sent and received, in contiguous memory */
    bool *pooled;   /* whether that memory is the pool's and ours */
    const Target *into;
    bool filled; /* part 0 goes straight into the target */
} Bcast;

static Py_ssize_t sizes_bytes(const Bcast *bcast) { return 8 * (Py_ssize_t)bcast->part_count; }
static const char *stream_bytes(const Bcast *bcast) { return bcast->body + sizes_bytes(bcast); }
static Py_ssize_t stream_length(const Bcast *bcast) {
    return (Py_ssize_t)bcast->body_bytes - sizes_bytes(bcast);
}

/* ---- the small message ---- */

static void write_head(Bcast *bcast, enum kind kind, Py_ssize_t nbytes) {
    const Head head = {.verb = BCAST, .kind = kind, .nbytes = (uint32_t)nbytes};
    memcpy(bcast->message, &head, sizeof head);
}

static void write_body(Bcast *bcast) {
    const Stream *stream = &bcast->stream;
    memmove(bcast->body + sizes_bytes(bcast), stream->bytes, (size_t)stream->used);
    for (int i = 0; i < stream->part_count; i++) {
        uint64_t nbytes = (uint64_t)stream->parts[i].nbytes;
        memcpy(bcast->body + 8 * i, &nbytes, 8);
    }
}

/* Write what could not be sent as the reason. */
static void write_excuse(Bcast *bcast) {
    collective_defer(&bcast->collective);
    Py_ssize_t length = collective_excuse(&bcast->collective, bcast->message + sizeof(Head),
                                          BLOCK_BYTES - (Py_ssize_t)sizeof(Head));
    write_head(bcast, NOTHING, (Py_ssize_t)sizeof(Head) + length);
}

/* The root's message. */
static void write_message(Bcast *bcast, PyObject *value) {
    Stream *stream = &bcast->stream;
    stream_open(stream, bcast->message + sizeof(Head), BLOCK_BYTES - (Py_ssize_t)sizeof(Head));
    if (codec_encode(stream, value) < 0) {
        write_excuse(bcast);
        return;
    }
    if (!stream->part_count && !stream->heap) {
        write_head(bcast, STREAM, (Py_ssize_t)sizeof(Head) + stream->used);
        return;
    }
    bcast->part_count = (uint64_t)stream->part_count;
    bcast->body_bytes = (uint64_t)(sizes_bytes(bcast) + stream->used);
    bool fits = sizeof(struct announced) + bcast->body_bytes <= BLOCK_BYTES;
    bcast->body = fits ? bcast->message + sizeof(struct announced)
                       : (bcast->body_memory = malloc((size_t)bcast->body_bytes));
    if (!bcast->body) {
        PyErr_NoMemory();
        write_excuse(bcast);
        return;
    }
    write_body(bcast);
    struct announced announced = {.part_count = bcast->part_count, .body_bytes = bcast->body_bytes};
    memcpy(bcast->message, &announced, sizeof announced);
    write_head(bcast, fits ? ANNOUNCED : ANNOUNCED_BODY,
               (Py_ssize_t)sizeof announced + (fits ? (Py_ssize_t)bcast->body_bytes : 0));
}

/* ---- what travels apart ---- */

/* Contiguous memory, in pieces that an int can count. 0 or -1. */
static int bcast_data(Bcast *bcast, char *data, Py_ssize_t nbytes) {
    MPI_Comm comm = bcast->collective.comm->comm;
    for (Py_ssize_t done = 0; done < nbytes; done += CHUNK_BYTES) {
        int count = (int)(nbytes - done < CHUNK_BYTES ? nbytes - done : CHUNK_BYTES);
        MPI_Request request = MPI_REQUEST_NULL;
        bool locked = enter_mpi();
        int code = bcast->block ? MPI_Bcast(data + done, count, MPI_BYTE, bcast->root, comm)
                                : MPI_Ibcast(data + done, count, MPI_BYTE, bcast->root, comm, &request);
        leave_mpi(locked);
        if (collective_finish(&bcast->collective, code, bcast->block ? NULL : &request) < 0)
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
    return agree(&bcast->collective, bcast->body, &bcast->block) < 0
               ? -1
               : bcast_data(bcast, bcast->body, (Py_ssize_t)bcast->body_bytes);
}

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
    return fits < 0
               ? -1
               : elements.apart && bcast->into->layout.contiguous && !(elements.fortran && elements.ndim > 1);
}

/* Memory for what the root has announced. What does not fit into the target is received all the same. */
static int await_parts(Bcast *bcast) {
    for (int i = 0; i < (int)bcast->part_count; i++) {
        uint64_t nbytes;
        memcpy(&nbytes, bcast->body + 8 * i, 8);
        bcast->parts[i].nbytes = (Py_ssize_t)nbytes;
    }
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

static int bcast_parts(Bcast *bcast) {
    bcast->parts = calloc((size_t)bcast->part_count + 1, sizeof *bcast->parts);
    bcast->pooled = calloc((size_t)bcast->part_count + 1, sizeof *bcast->pooled);
    bool able = bcast->parts && bcast->pooled;
    if (!able)
        PyErr_NoMemory();
    else
        able = (bcast->is_root ? offer_parts(bcast) : await_parts(bcast)) == 0;
    if (!able)
        collective_defer(&bcast->collective);
    if (agree(&bcast->collective, able, &bcast->block) < 0)
        return -1;
    for (int i = 0; i < (int)bcast->part_count; i++)
        if (bcast_data(bcast, bcast->parts[i].data, bcast->parts[i].nbytes) < 0)
            return -1;
    return 0;
}

static int bcast_announced(Bcast *bcast, enum kind kind) {
    if (!bcast->is_root) {
        struct announced announced;
        memcpy(&announced, bcast->message, sizeof announced);
        bcast->part_count = announced.part_count;
        bcast->body_bytes = announced.body_bytes;
        bcast->body = bcast->message + sizeof announced;
    }
    if (kind == ANNOUNCED_BODY && bcast_body(bcast) < 0)
        return -1;
    return bcast->part_count ? bcast_parts(bcast) : 0;
}

/* ---- the call ---- */

/* What a rank that is not root returns. */
static PyObject *received(Bcast *bcast, enum kind kind, Py_ssize_t nbytes) {
    const Call *call = &bcast->collective.call;
    const char *content = bcast->message + sizeof(Head);
    if (kind == NOTHING) {
        raise_failed(&bcast->collective, bcast->root, content, nbytes - (Py_ssize_t)sizeof(Head));
        return NULL;
    }
    if (bcast->collective.error)
        return NULL;
    if (kind == STREAM)
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
    if (bcast->is_root)
        stream_close(&bcast->stream);
}

static PyObject *run_bcast(Bcast *bcast, PyObject *value) {
    bcast->message = collective_memory(&bcast->collective, BLOCK_BYTES);
    if (!bcast->message)
        return NULL;
    if (bcast->is_root)
        write_message(bcast, value);
    if (spread(&bcast->collective, bcast->message, BLOCK_BYTES, bcast->root) < 0)
        return NULL;
    Head head;
    memcpy(&head, bcast->message, sizeof head);
    if ((head.kind == ANNOUNCED || head.kind == ANNOUNCED_BODY) && bcast_announced(bcast, head.kind) < 0)
        return NULL;
    if (!bcast->is_root)
        return received(bcast, head.kind, head.nbytes);
    if (bcast->into && bcast->into->object != value)
        return deliver_own(value, bcast->into, &bcast->collective.call);
    return Py_NewRef(value);
}

Signature bcast_signature = {"bcast", 2, 0, 4, {"obj", "root", "into", "timeout"}, {NULL}};
enum { OBJ, ROOT_RANK, INTO, TIMEOUT };

PyObject *communicator_bcast(Communicator *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    PyObject *values[MOST_ARGUMENTS];
    Bcast bcast;
    memset(&bcast, 0, sizeof bcast);
    if (signature_parse(&bcast_signature, args, nargs, kwnames, values) < 0 ||
        parse_root(self, values[ROOT_RANK], "bcast", &bcast.root) < 0 ||
        collective_open(&bcast.collective, self, BCAST, values[TIMEOUT]) < 0)
        return NULL;
    bcast.is_root = self->rank == bcast.root;
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
