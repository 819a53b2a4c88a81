/* Messages that are sent, during their calls. */
#include <stdlib.h>
#include <string.h>

#include "base/errors.h"
#include "codec/overlap.h"
#include "codec/stream.h"
#include "memory/pool.h"
#include "memory/strided.h"
#include "transfer/send/sending.h"
#include "transfer/simple_array.h"
#include "transport/strided_datatype.h"

/* ---- packets ---- */

char *free_packets;

char *packet_new(void) {
    char *packet = aligned_alloc(64, PACKET_BYTES);
    if (!packet)
        PyErr_NoMemory();
    return packet;
}

/* ---- tags on the shadow communicator ---- */

/* Sequence numbers and, above them, channels of plans take the lower half of the tags, pieces of collectives
 * the upper one. */
static inline uint32_t half_of_tags(void) { return (uint32_t)state.highest_tag / 2; }
static inline uint32_t eighth_of_tags(void) { return (uint32_t)state.highest_tag / 8; }
static inline uint32_t tags_of_sequences(void) { return half_of_tags() - eighth_of_tags(); }

int internal_tag(const Communicator *comm) {
    return (int)(half_of_tags() + comm->collective % half_of_tags());
}
int sequence_tag(uint32_t sequence) { return (int)(sequence % tags_of_sequences()); }
int agreement_tag(void) { return (int)tags_of_sequences(); }
int subset_tag(void) { return agreement_tag() + 1; }
uint32_t channel_tags(void) { return eighth_of_tags() - 2; }
int channel_tag(uint32_t number) { return subset_tag() + 1 + (int)(number % channel_tags()); }
bool is_channel_tag(int tag) { return tag > subset_tag() && tag <= subset_tag() + (int)channel_tags(); }

/* ---- one message ---- */

int outgoing_open(Outgoing *out, Communicator *comm, const Call *call) {
    char *packet = packet_take();
    if (unlikely(!packet))
        return -1;
    outgoing_open_packet(out, packet, comm, call);
    return 0;
}

void outgoing_open_packet(Outgoing *out, char *packet, Communicator *comm, const Call *call) {
    out->packet = packet;
    out->comm = comm;
    out->call = *call;
    out->call.comm = comm;
    out->lasts = false;
    out->kept = NULL;
    stream_open(&out->stream, out->packet, PACKET_BYTES);
    out->requests = out->first;
    out->request_count = 0;
    out->request_capacity = sizeof out->first / sizeof *out->first;
    out->copies = NULL;
    out->copy_count = 0;
}

/* The place of one more request; NULL with MemoryError. */
static MPI_Request *new_request(Outgoing *out) {
    return requests_add(&out->requests, &out->request_count, &out->request_capacity, out->first);
}

/* Memory that lives as long as the message; NULL with MemoryError. From the pool: a message of a megabyte is
 * four times as fast from huge pages as from small ones. */
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
        if (unlikely(part->on_device)) {
            if (direct_read(part->owner, memory, part->nbytes) < 0)
                return -1;
        } else
            part_copy(part, memory);
        part->strided = part->on_device = false;
        part->data = memory;
        Py_CLEAR(part->owner);
    }
    return 0;
}

/* Start sending memory on the shadow communicator. */
static int start_piece(Outgoing *out, const char *data, int count, MPI_Datatype type, int dest, int tag) {
    MPI_Request *request = new_request(out);
    out->call.large += about_bytes(count, type);
    return request ? checked_isend(data, count, type, rank_at_carrier(out->comm, dest), tag,
                                   carrier_of(out->comm)->shadow, request, &out->call)
                   : -1;
}

/* Contiguous memory, in pieces that an int can count. */
static int start_data(Outgoing *out, const char *data, Py_ssize_t nbytes, int dest, int tag) {
    for (Py_ssize_t sent = 0; sent < nbytes; sent += CHUNK_BYTES)
        if (start_piece(out, data + sent, (int)Py_MIN(nbytes - sent, CHUNK_BYTES), MPI_BYTE, dest, tag) < 0)
            return -1;
    return 0;
}

static int start_strided(Outgoing *out, const Part *part, int dest, int tag) {
    Layout layout;
    array_layout(part->owner, &layout);
    MPI_Datatype type;
    if (layout.nbytes <= CHUNK_BYTES && strided_by_datatype(&layout) &&
        strided_datatype(&layout, &type) == MPI_SUCCESS)
        return start_piece(out, layout.data, 1, type, dest, tag);
    char *packed = new_copy(out, layout.nbytes);
    if (!packed)
        return -1;
    strided_pack(&layout, packed);
    return start_data(out, packed, layout.nbytes, dest, tag);
}

/* Move the small message to memory of its size; without any, it stays in the packet. */
static void fit(Outgoing *out, Py_ssize_t nbytes) {
    out->kept = sending_take(nbytes);
    if (!out->kept)
        return;
    memcpy(out->kept->message, out->packet, (size_t)nbytes);
    packet_give(out->packet);
    out->packet = out->kept->message;
}

static int start_small(Outgoing *out, Py_ssize_t nbytes, enum channel channel, int dest, int tag,
                       enum mode mode) {
    MPI_Request *request = new_request(out);
    if (unlikely(!request))
        return -1;
    if (unlikely(out->lasts))
        fit(out, nbytes);
    MPI_Comm comm = channel == USER ? out->comm->comm : out->comm->shadow;
    /* MPI_Isend for READY, too: a receive that probes (probing_receive.h) isn't posted */
    return likely(mode != SYNCHRONOUS)
               ? checked_isend(out->packet, (int)nbytes, MPI_BYTE, dest, tag, comm, request, &out->call)
               : checked_issend(out->packet, (int)nbytes, MPI_BYTE, dest, tag, comm, request, &out->call);
}

/* How many pieces the parts have beyond one each. */
static uint16_t more_pieces(const Stream *stream) {
    uint64_t more = 0;
    for (int i = 0; i < stream->part_count; i++)
        more += pieces_of((uint64_t)stream->parts[i].nbytes) - 1;
    return more < UINT16_MAX ? (uint16_t)more : UINT16_MAX;
}

/* Write the announcement to the packet; if the body doesn't fit after it, `*body` has to be sent apart. */
static Py_ssize_t announce(Outgoing *out, uint32_t sequence, const char **body) {
    Stream *stream = &out->stream;
    struct announcement head = announcement_of(sequence, stream->part_count, stream->used);
    Py_ssize_t nbytes = ANNOUNCEMENT_FORM, body_bytes = stream_body_bytes(stream);
    *body = NULL;
    if (nbytes + body_bytes <= PACKET_BYTES) {
        stream_put_body(stream, out->packet + ANNOUNCEMENT_FORM);
        nbytes += body_bytes;
    } else {
        head.body_apart = 1;
        head.more_pieces = more_pieces(stream);
        if (stream->part_count || !stream->heap) {
            char *copy = new_copy(out, body_bytes);
            if (!copy)
                return -1;
            stream_put_body(stream, copy);
            *body = copy;
        } else
            *body = stream->bytes;
    }
    wire_put_announcement(out->packet, &head);
    return nbytes;
}

static int start_announced(Outgoing *out, enum channel channel, int dest, int tag, enum mode mode) {
    Stream *stream = &out->stream;
    uint32_t sequence = carrier_of(out->comm)->sequence++;
    const char *body;
    Py_ssize_t nbytes = announce(out, sequence, &body);
    if (nbytes < 0 || start_small(out, nbytes, channel, dest, tag, mode) < 0)
        return -1;
    int apart = sequence_tag(sequence);
    if (body && start_data(out, body, stream_body_bytes(stream), dest, apart) < 0)
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
    Py_ssize_t nbytes, head_bytes;
    if (Py_TYPE(object) != ndarray_type || !PyArray_IS_C_CONTIGUOUS(array) ||
        !(head_bytes = simple_head(array, out->packet + announced_stream(1), &nbytes)) || nbytes < PART_BYTES)
        return 0;
    uint32_t sequence = carrier_of(out->comm)->sequence++;
    Py_ssize_t announced = wire_announce_one(out->packet, sequence, nbytes, head_bytes);
    int apart = sequence_tag(sequence);
    if (start_small(out, announced, USER, dest, tag, STANDARD) < 0 ||
        start_data(out, PyArray_BYTES(array), nbytes, dest, apart) < 0 ||
        stream_part(&out->stream, PyArray_BYTES(array), nbytes, Py_NewRef(object), false) < 0)
        return -1;
    return 1;
}

int outgoing_start(Outgoing *out, enum channel channel, int dest, int tag, enum mode mode) {
    if (unlikely(still_running(&out->call) < 0)) /* while encoding, another thread may have finalised MPI */
        return -1;
    if (likely(!out->stream.part_count && !out->stream.heap))
        return start_small(out, out->stream.used, channel, dest, tag, mode);
    return start_announced(out, channel, dest, tag, mode);
}

enum step outgoing_test(Outgoing *out) {
    return test_requests(out->requests, out->request_count, MPI_STATUSES_IGNORE, &out->call);
}

int outgoing_wait(Outgoing *out, double timeout) {
    int failed = wait_for(out->requests, out->request_count, MPI_STATUSES_IGNORE, &out->call, timeout);
    outgoing_close(out);
    return failed;
}

void outgoing_free(Stream *stream, char **copies, int copy_count) {
    if (stream->heap || stream->parts)
        stream_close(stream);
    for (int i = 0; i < copy_count; i++)
        pool_free(copies[i]);
    free(copies);
}

static void give_back(Outgoing *out) {
    outgoing_free(&out->stream, out->copies, out->copy_count);
    if (out->requests != out->first)
        free(out->requests);
    if (unlikely(out->kept != NULL))
        sending_give(out->kept);
    else
        packet_give(out->packet);
}

void outgoing_abandon(Outgoing *out, Py_ssize_t buffered) {
    if (likely(!under_way(out->requests, out->request_count))) {
        give_back(out);
        return;
    }
    PyObject *class, *value, *trace;
    PyErr_Fetch(&class, &value, &trace);
    Sending *send = outgoing_keep(out);
    if (send)
        sending_close(send, buffered);
    PyErr_Restore(class, value, trace);
}

void outgoing_close(Outgoing *out) { outgoing_abandon(out, 0); }
