/* What an announcement announces: received where it shall lie. */
#include <stdlib.h>
#include <string.h>

#include "base/errors.h"
#include "codec/delivery.h"
#include "memory/heap.h"
#include "memory/pool.h"
#include "memory/strided.h"
#include "transfer/receive/incoming.h"
#include "transport/strided_datatype.h"

static MPI_Request *new_request(Incoming *in) {
    Inbox *inbox = in->inbox;
    if (in->requests == &in->first) {
        in->requests = inbox->several;
        in->request_capacity = sizeof inbox->several / sizeof *inbox->several;
    }
    if (in->request_count == in->request_capacity) {
        int capacity = 2 * in->request_capacity;
        MPI_Request *more = malloc((size_t)capacity * sizeof *more);
        if (!more) {
            PyErr_NoMemory();
            return NULL;
        }
        memcpy(more, in->requests, (size_t)in->request_count * sizeof *more);
        if (in->requests != inbox->several)
            free(in->requests);
        in->requests = more;
        in->request_capacity = capacity;
    }
    MPI_Request *request = &in->requests[in->request_count++];
    *request = MPI_REQUEST_NULL;
    return request;
}

static int post(Incoming *in, char *data, int count, MPI_Datatype type) {
    MPI_Request *request = new_request(in);
    if (!request)
        return -1;
    in->inbox->unposted--;
    return checked_irecv(data, count, type, rank_at_carrier(in->comm, in->inbox->small.MPI_SOURCE),
                         sequence_tag(in->inbox->announced.sequence), carrier_of(in->comm)->shadow, request,
                         &in->call);
}

#ifdef OPEN_MPI
/* A piece of any length, laid into the packet again and again: Open MPI 5.0 writes a message that is longer
 * than its receive beyond the end of that. */
static int post_cut(Incoming *in) {
    static MPI_Datatype same_place = MPI_DATATYPE_NULL;
    bool locked = enter_mpi();
    int code = MPI_SUCCESS;
    if (same_place == MPI_DATATYPE_NULL)
        code = MPI_Type_create_hvector((int)(CHUNK_BYTES / PACKET_BYTES), PACKET_BYTES, 0, MPI_BYTE,
                                       &same_place);
    if (code == MPI_SUCCESS)
        code = MPI_Type_commit(&same_place);
    leave_mpi(locked);
    if (code == MPI_SUCCESS)
        return post(in, in->inbox->packet, 1, same_place);
    in->inbox->unposted = 0;
    return raise_mpi(code, &in->call);
}
#else
/* A piece that is longer than the packet is cut, which is an error of this receive alone: its sender gets on.
 */
static int post_cut(Incoming *in) { return post(in, in->inbox->packet, PACKET_BYTES, MPI_BYTE); }
#endif

int incoming_post_dropped(Incoming *in) {
    in->request_count = 0;
    return post_cut(in);
}

int incoming_post_data(Incoming *in, char *data, Py_ssize_t nbytes) {
    for (Py_ssize_t posted = 0; posted < nbytes; posted += CHUNK_BYTES)
        if (post(in, data + posted, (int)Py_MIN(nbytes - posted, CHUNK_BYTES), MPI_BYTE) < 0)
            return -1;
    return 0;
}

int incoming_damaged(const Incoming *in) {
    return raise_error("Error", &in->call, "a damaged message came; do all ranks run the same polympi?");
}

/* Post the data of an array straight into the target: 1; 0 when they have to be taken in elsewhere. */
static int post_into_target(Incoming *in, const Elements *elements, Py_ssize_t nbytes) {
    const Layout *layout = &in->target->layout;
    if (elements->fortran && elements->ndim > 1)
        return 0;
    if (layout->contiguous) {
        in->filled = true;
        return incoming_post_data(in, layout->data, nbytes) < 0 ? -1 : 1;
    }
    MPI_Datatype type;
    if (nbytes != layout->nbytes || nbytes > CHUNK_BYTES || !strided_by_datatype(layout) ||
        strided_datatype(layout, &type) != MPI_SUCCESS)
        return 0;
    in->filled = true;
    return post(in, layout->data, 1, type) < 0 ? -1 : 1;
}

void keep_refusal(Incoming *in) {
    if (in->refusal)
        PyErr_Clear();
    else
        in->refusal = take_exception();
}

/* Whether the message fits the target, before its data are taken in; a refusal is kept for the end. */
static bool examine_target(Incoming *in, Elements *elements) {
    int is_array = array_elements(in->inbox->stream, in->inbox->stream_bytes, elements);
    if (is_array == 0)
        refuse_object(&in->call);
    bool fits = is_array > 0 && target_accepts(in->target, elements, &in->call) == 0;
    if (!fits)
        keep_refusal(in);
    return fits;
}

/* Whether the message is one bytes object of this size, and nothing else. */
static bool is_bytes(const Incoming *in, uint64_t nbytes) {
    const char *stream = in->inbox->stream;
    return wire_get_tag(stream) == TAG_BYTES && in->inbox->stream_bytes == LENGTH_FORM &&
           in->inbox->announced.part_count == 1 && wire_get_length(stream + TAG_FORM) == nbytes;
}

/* Memory for part i, kept with the message; NULL with an exception. */
static char *part_memory(Incoming *in, uint64_t nbytes) {
    if (!in->target && is_bytes(in, nbytes)) {
        heap_expect((Py_ssize_t)nbytes);
        in->inbox->bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)nbytes);
        return in->inbox->bytes ? PyBytes_AS_STRING(in->inbox->bytes) : NULL;
    }
    char *data = pool_allocate((Py_ssize_t)nbytes);
    if (data)
        in->inbox->parts[in->inbox->part_count++] = (Arrived){.data = data, .nbytes = (Py_ssize_t)nbytes};
    return data;
}

/* Post the one part that is all of an array straight into the target: 1; 0 where it is taken in elsewhere;
 * -1. */
static int post_straight(Incoming *in, const char *body) {
    Elements elements = {0};
    bool fits = examine_target(in, &elements);
    int posted = fits && elements.apart && in->inbox->announced.part_count == 1 &&
                         wire_get_size(body, 0) == (uint64_t)elements.nbytes
                     ? post_into_target(in, &elements, elements.nbytes)
                     : 0;
    Py_XDECREF(elements.dtype);
    return posted;
}

static int post_parts(Incoming *in, const char *body) {
    if (in->target) {
        int posted = post_straight(in, body);
        if (posted)
            return posted < 0 ? -1 : 0;
    }
    in->inbox->parts = calloc((size_t)in->inbox->announced.part_count, sizeof *in->inbox->parts);
    if (!in->inbox->parts) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; i < (int)in->inbox->announced.part_count; i++) {
        uint64_t nbytes = wire_get_size(body, (uint64_t)i);
        char *data = part_memory(in, nbytes);
        if (!data || incoming_post_data(in, data, (Py_ssize_t)nbytes) < 0)
            return -1;
    }
    return 0;
}

int open_body(Incoming *in, const char *body) {
    Py_ssize_t sizes = sizes_of_parts(in->inbox->announced.part_count);
    in->inbox->stream = body + sizes;
    in->inbox->stream_bytes = (Py_ssize_t)in->inbox->announced.body_bytes - sizes;
    in->request_count = 0;
    if (!wire_check_body(&in->inbox->announced, body, &in->inbox->unposted)) {
        in->inbox->unposted = 0;
        return incoming_damaged(in);
    }
    if (in->inbox->announced.part_count == 0) {
        in->stage = ARRIVED;
        return 0;
    }
    in->stage = PARTS;
    return post_parts(in, body);
}

int open_announcement(Incoming *in, Py_ssize_t nbytes) {
    struct announcement *announced = &in->inbox->announced;
    if (!wire_get_announcement(in->inbox->packet, nbytes, announced))
        return incoming_damaged(in);
    if (!announced->body_apart)
        return open_body(in, in->inbox->packet + ANNOUNCEMENT_FORM);
    in->stage = BODY;
    in->request_count = 0;
    in->inbox->unposted = pieces_of(announced->body_bytes) + announced->part_count + announced->more_pieces;
    in->inbox->body = malloc((size_t)announced->body_bytes);
    if (!in->inbox->body) {
        PyErr_NoMemory();
        return -1;
    }
    return incoming_post_data(in, in->inbox->body, (Py_ssize_t)announced->body_bytes);
}
