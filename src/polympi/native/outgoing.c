/* Messages on their way out, and those that nobody waits for any more. */
#include <stdlib.h>
#include <string.h>

#include "announcement.h"
#include "errors.h"
#include "pool.h"
#include "simple_array.h"
#include "stream.h"
#include "strided.h"
#include "transfer.h"

/* ---- blocks ---- */

static char *free_blocks; /* each begins with the address of the next */

char *block_take(void) {
    char *block = free_blocks;
    if (likely(block != NULL)) {
        memcpy(&free_blocks, block, sizeof block);
        return block;
    }
    block = aligned_alloc(64, BLOCK_BYTES);
    if (!block)
        PyErr_NoMemory();
    return block;
}

void block_give(char *block) {
    memcpy(block, &free_blocks, sizeof block);
    free_blocks = block;
}

/* ---- tags on the shadow communicator ---- */

/* Sequence numbers take the lower half of the tags, pieces of collectives the upper one. */
static inline uint32_t half_of_tags(void) { return (uint32_t)state.highest_tag / 2; }

int internal_tag(const Communicator *comm) {
    return (int)(half_of_tags() + comm->collective % half_of_tags());
}
int sequence_tag(uint32_t sequence) { return (int)(sequence % half_of_tags()); }

/* ---- one message ---- */

int outgoing_open(Outgoing *out, Communicator *comm, const Call *call) {
    out->block = block_take();
    if (unlikely(!out->block))
        return -1;
    out->comm = comm;
    out->call = *call;
    stream_open(&out->stream, out->block, BLOCK_BYTES);
    out->requests = out->first;
    out->request_count = 0;
    out->request_capacity = sizeof out->first / sizeof *out->first;
    out->copies = NULL;
    out->copy_count = 0;
    return 0;
}

/* The place of one more request; NULL with MemoryError. */
static MPI_Request *new_request(Outgoing *out) {
    if (out->request_count == out->request_capacity) {
        int capacity = 2 * out->request_capacity;
        MPI_Request *more = malloc((size_t)capacity * sizeof *more);
        if (!more) {
            PyErr_NoMemory();
            return NULL;
        }
        memcpy(more, out->requests, (size_t)out->request_count * sizeof *more);
        if (out->requests != out->first)
            free(out->requests);
        out->requests = more;
        out->request_capacity = capacity;
    }
    MPI_Request *request = &out->requests[out->request_count++];
    *request = MPI_REQUEST_NULL;
    return request;
}

/* Memory that lives as long as the message; NULL with MemoryError. From the pool: out of huge pages a message
 * of a megabyte is four times as fast as out of small ones. */
static char *new_copy(Outgoing *out, Py_ssize_t nbytes) {
    char **more = realloc(out->copies, (size_t)(out->copy_count + 1) * sizeof *more);
    if (more)
        out->copies = more;
    else
        PyErr_NoMemory();
    char *memory = more ? pool_allocate(nbytes) : NULL;
    if (!memory)
        return NULL;
    return out->copies[out->copy_count++] = memory;
}

int outgoing_copy_parts(Outgoing *out) {
    for (int i = 0; i < out->stream.part_count; i++) {
        Part *part = &out->stream.parts[i];
        char *memory = new_copy(out, part->nbytes);
        if (!memory)
            return -1;
        if (part->strided) {
            Layout layout;
            array_layout(part->owner, &layout);
            strided_pack(&layout, memory);
            part->strided = false;
        } else
            memcpy(memory, part->data, (size_t)part->nbytes);
        part->data = memory;
        Py_CLEAR(part->owner);
    }
    return 0;
}

/* Start sending contiguous memory on the shadow communicator, in pieces that an int can count. */
static int start_data(Outgoing *out, const char *data, Py_ssize_t nbytes, int dest, int tag) {
    for (Py_ssize_t sent = 0; sent < nbytes; sent += CHUNK_BYTES) {
        Py_ssize_t piece = nbytes - sent < CHUNK_BYTES ? nbytes - sent : CHUNK_BYTES;
        MPI_Request *request = new_request(out);
        if (!request)
            return -1;
        bool locked = enter_mpi();
        int code = MPI_Isend(data + sent, (int)piece, MPI_BYTE, dest, tag, out->comm->shadow, request);
        leave_mpi(locked);
        if (unlikely(code != MPI_SUCCESS))
            return raise_mpi(code, &out->call);
    }
    return 0;
}

static int start_strided(Outgoing *out, const Part *part, int dest, int tag) {
    Layout layout;
    array_layout(part->owner, &layout);
    if (layout.nbytes <= CHUNK_BYTES && strided_by_datatype(&layout)) {
        MPI_Datatype type;
        bool locked = enter_mpi();
        int code = strided_datatype(&layout, &type);
        if (code == MPI_SUCCESS) {
            MPI_Request *request = new_request(out);
            if (request)
                code = MPI_Isend(layout.data, 1, type, dest, tag, out->comm->shadow, request);
            leave_mpi(locked);
            if (!request)
                return -1;
            return unlikely(code != MPI_SUCCESS) ? raise_mpi(code, &out->call) : 0;
        }
        leave_mpi(locked);
    }
    char *packed = new_copy(out, layout.nbytes);
    if (!packed)
        return -1;
    strided_pack(&layout, packed);
    return start_data(out, packed, layout.nbytes, dest, tag);
}

static int start_small(Outgoing *out, Py_ssize_t nbytes, enum channel channel, int dest, int tag,
                       enum mode mode) {
    MPI_Request *request = new_request(out);
    if (unlikely(!request))
        return -1;
    MPI_Comm comm = channel == USER ? out->comm->comm : out->comm->shadow;
    bool locked = enter_mpi();
    int code =
        likely(mode == STANDARD) ? MPI_Isend(out->block, (int)nbytes, MPI_BYTE, dest, tag, comm, request)
        : mode == SYNCHRONOUS    ? MPI_Issend(out->block, (int)nbytes, MPI_BYTE, dest, tag, comm, request)
                                 : MPI_Irsend(out->block, (int)nbytes, MPI_BYTE, dest, tag, comm, request);
    leave_mpi(locked);
    return unlikely(code != MPI_SUCCESS) ? raise_mpi(code, &out->call) : 0;
}

/* Write sizes of the parts and the stream, the body of an announcement, to `to`; the stream may overlap it.
 */
static void write_body(const Stream *stream, char *to) {
    memmove(to + 8 * (Py_ssize_t)stream->part_count, stream->bytes, (size_t)stream->used);
    for (int i = 0; i < stream->part_count; i++) {
        uint64_t nbytes = (uint64_t)stream->parts[i].nbytes;
        memcpy(to + 8 * i, &nbytes, 8);
    }
}

/* Write the announcement to the block; where the body does not fit behind it, `*body` is what travels apart.
 */
static Py_ssize_t announce(Outgoing *out, uint32_t sequence, const char **body) {
    Stream *stream = &out->stream;
    struct announcement head = {
        .tag = TAG_REMOTE,
        .sequence = sequence,
        .body_bytes = 8 * (uint64_t)stream->part_count + (uint64_t)stream->used,
        .part_count = (uint64_t)stream->part_count,
    };
    *body = NULL;
    Py_ssize_t nbytes = (Py_ssize_t)sizeof head;
    if (sizeof head + head.body_bytes <= BLOCK_BYTES) {
        write_body(stream, out->block + sizeof head);
        nbytes += (Py_ssize_t)head.body_bytes;
    } else {
        head.body_apart = 1;
        if (stream->part_count || !stream->heap) {
            char *copy = new_copy(out, (Py_ssize_t)head.body_bytes);
            if (!copy)
                return -1;
            write_body(stream, copy);
            *body = copy;
        } else
            *body = stream->bytes;
    }
    memcpy(out->block, &head, sizeof head);
    return nbytes;
}

static int start_announced(Outgoing *out, enum channel channel, int dest, int tag, enum mode mode) {
    Stream *stream = &out->stream;
    uint32_t sequence = out->comm->sequence++;
    const char *body;
    Py_ssize_t body_bytes = 8 * (Py_ssize_t)stream->part_count + stream->used;
    Py_ssize_t nbytes = announce(out, sequence, &body);
    if (nbytes < 0 || start_small(out, nbytes, channel, dest, tag, mode) < 0)
        return -1;
    int apart = sequence_tag(sequence);
    if (body && start_data(out, body, body_bytes, dest, apart) < 0)
        return -1;
    for (int i = 0; i < stream->part_count; i++) {
        const Part *part = &stream->parts[i];
        if (part->strided ? start_strided(out, part, dest, apart) < 0
                          : start_data(out, part->data, part->nbytes, dest, apart) < 0)
            return -1;
    }
    return 0;
}

int outgoing_start_simple(Outgoing *out, PyObject *object, int dest, int tag) {
    PyArrayObject *array = (PyArrayObject *)object;
    struct announcement *announced = (struct announcement *)out->block;
    char *sizes = out->block + sizeof *announced;
    Py_ssize_t nbytes, head_bytes;
    if (Py_TYPE(object) != ndarray_type || !PyArray_IS_C_CONTIGUOUS(array) ||
        !(head_bytes = simple_head(array, sizes + 8, &nbytes)) || nbytes < PART_BYTES)
        return 0;
    *announced = (struct announcement){.tag = TAG_REMOTE,
                                       .sequence = out->comm->sequence++,
                                       .body_bytes = 8 + (uint64_t)head_bytes,
                                       .part_count = 1};
    memcpy(sizes, &nbytes, 8);
    int apart = sequence_tag(announced->sequence);
    if (start_small(out, (Py_ssize_t)sizeof *announced + 8 + head_bytes, USER, dest, tag, STANDARD) < 0 ||
        start_data(out, PyArray_BYTES(array), nbytes, dest, apart) < 0 ||
        stream_part(&out->stream, PyArray_BYTES(array), nbytes, Py_NewRef(object), false) < 0)
        return -1;
    return 1;
}

int outgoing_start(Outgoing *out, enum channel channel, int dest, int tag, enum mode mode) {
    if (likely(!out->stream.part_count && !out->stream.heap))
        return start_small(out, out->stream.used, channel, dest, tag, mode);
    return start_announced(out, channel, dest, tag, mode);
}

int outgoing_test(Outgoing *out) {
    return test_requests(out->requests, out->request_count, MPI_STATUSES_IGNORE, &out->call);
}

int outgoing_wait(Outgoing *out, double timeout) {
    int failed = wait_for(out->requests, out->request_count, MPI_STATUSES_IGNORE, &out->call, timeout);
    outgoing_close(out);
    return failed;
}

static void give_back(Outgoing *out) {
    if (out->stream.heap || out->stream.parts)
        stream_close(&out->stream);
    for (int i = 0; i < out->copy_count; i++)
        pool_free(out->copies[i]);
    free(out->copies);
    if (out->requests != out->first)
        free(out->requests);
    block_give(out->block);
}

static bool under_way(const Outgoing *out) {
    for (int i = 0; i < out->request_count; i++)
        if (out->requests[i] != MPI_REQUEST_NULL)
            return true;
    return false;
}

void outgoing_close(Outgoing *out) { outgoing_abandon(out, 0); }

/* ---- messages that nobody waits for ---- */

typedef struct Orphan {
    struct Orphan *next;
    Outgoing out;
    Py_ssize_t buffered;
} Orphan;

static Orphan *orphans;
static Py_ssize_t buffered_total;

Py_ssize_t buffered_bytes(void) { return buffered_total; }

void outgoing_abandon(Outgoing *out, Py_ssize_t buffered) {
    if (likely(!under_way(out))) {
        give_back(out);
        return;
    }
    Orphan *orphan = malloc(sizeof *orphan);
    if (!orphan)
        return; /* its memory is lost rather than freed under MPI's hands */
    *orphan = (Orphan){.next = orphans, .out = *out, .buffered = buffered};
    if (out->requests == out->first)
        orphan->out.requests = orphan->out.first;
    Py_INCREF(orphan->out.comm);
    buffered_total += buffered;
    orphans = orphan;
}

bool sends_abandoned(void) { return orphans != NULL; }

/* Free those that are complete. */
void orphans_progress(void) {
    for (Orphan **link = &orphans; *link;) {
        Orphan *orphan = *link;
        Outgoing *out = &orphan->out;
        int complete = 0;
        bool locked = enter_mpi();
        int code = test_any_number(out->requests, out->request_count, MPI_STATUSES_IGNORE, &complete);
        leave_mpi(locked);
        if (!complete && code == MPI_SUCCESS) {
            link = &orphan->next;
            continue;
        }
        *link = orphan->next; /* before anything that may run Python code, which may change the list */
        buffered_total -= orphan->buffered;
        Communicator *comm = out->comm;
        if (code != MPI_SUCCESS) {
            raise_mpi(code, &out->call);
            PyErr_WriteUnraisable((PyObject *)comm);
        }
        give_back(&orphan->out);
        free(orphan);
        Py_DECREF(comm);
        link = &orphans;
    }
}

int orphans_report(PyObject *sentences) {
    for (Orphan *orphan = orphans; orphan; orphan = orphan->next)
        if (report_call(sentences, &orphan->out.call, "was never received") < 0)
            return -1;
    return 0;
}
