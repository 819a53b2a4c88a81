/* What an announcement announces: received where it shall lie. */
#include <stdlib.h>
#include <string.h>

#include "delivery.h"
#include "errors.h"
#include "incoming.h"
#include "pool.h"
#include "strided.h"

static MPI_Request *new_request(Incoming *in) {
    if (in->request_count == in->request_capacity) {
        int capacity = 2 * in->request_capacity;
        MPI_Request *more = malloc((size_t)capacity * sizeof *more);
        if (!more) {
            PyErr_NoMemory();
            return NULL;
        }
        memcpy(more, in->requests, (size_t)in->request_count * sizeof *more);
        if (in->requests != in->first)
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
    bool locked = enter_mpi();
    int code = MPI_Irecv(data, count, type, in->small.MPI_SOURCE, sequence_tag(in->announced.sequence),
                         in->comm->shadow, request);
    leave_mpi(locked);
    return unlikely(code != MPI_SUCCESS) ? raise_mpi(code, &in->call) : 0;
}

int incoming_post_data(Incoming *in, char *data, Py_ssize_t nbytes) {
    for (Py_ssize_t posted = 0; posted < nbytes; posted += CHUNK_BYTES) {
        Py_ssize_t piece = nbytes - posted < CHUNK_BYTES ? nbytes - posted : CHUNK_BYTES;
        if (post(in, data + posted, (int)piece, MPI_BYTE) < 0)
            return -1;
    }
    return 0;
}

int incoming_damaged(const Incoming *in) {
    return raise_error("Error", &in->call, "a damaged message came; do all ranks run the same polympi?");
}

/* Post the data of an array straight into the target: 1; 0 when they have to be taken in elsewhere. */
static int post_into_target(Incoming *in, const Elements *elements, Py_ssize_t nbytes) {
    const Layout *layout = &in->target.layout;
    if (elements->fortran && elements->ndim > 1)
        return 0;
    if (layout->contiguous) {
        in->filled = true;
        return incoming_post_data(in, layout->data, nbytes) < 0 ? -1 : 1;
    }
    if (nbytes != layout->nbytes || nbytes > CHUNK_BYTES || !strided_by_datatype(layout))
        return 0;
    MPI_Datatype type;
    bool locked = enter_mpi();
    int code = strided_datatype(layout, &type);
    leave_mpi(locked);
    if (code != MPI_SUCCESS)
        return 0;
    in->filled = true;
    return post(in, layout->data, 1, type) < 0 ? -1 : 1;
}

void keep_refusal(Incoming *in) {
    PyObject *class, *trace;
    Py_CLEAR(in->refusal);
    PyErr_Fetch(&class, &in->refusal, &trace);
    PyErr_NormalizeException(&class, &in->refusal, &trace);
    Py_XDECREF(class);
    Py_XDECREF(trace);
}

/* Whether the message fits the target, before its data are taken in; a refusal is kept for the end. */
static bool examine_target(Incoming *in, Elements *elements) {
    int is_array = array_elements(in->stream, in->stream_bytes, elements);
    if (is_array == 0)
        refuse_object(&in->call);
    bool fits = is_array > 0 && target_accepts(&in->target, elements, &in->call) == 0;
    if (!fits)
        keep_refusal(in);
    return fits;
}

static int post_parts(Incoming *in, const char *sizes) {
    int first = 0, posted = 0;
    uint64_t nbytes;
    if (in->has_target) {
        Elements elements = {0};
        bool fits = examine_target(in, &elements);
        memcpy(&nbytes, sizes, 8);
        if (fits && elements.apart && (Py_ssize_t)nbytes == elements.nbytes)
            posted = post_into_target(in, &elements, elements.nbytes);
        Py_XDECREF(elements.dtype);
        if (posted < 0)
            return -1;
        first = posted;
    }
    in->parts = calloc((size_t)in->announced.part_count + 1, sizeof *in->parts);
    if (!in->parts) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = first; i < (int)in->announced.part_count; i++) {
        memcpy(&nbytes, sizes + 8 * i, 8);
        char *data;
        if (i == 0 && !in->has_target && in->stream[0] == TAG_BYTES) {
            in->bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)nbytes);
            if (!in->bytes)
                return -1;
            data = PyBytes_AS_STRING(in->bytes);
        } else {
            data = pool_allocate((Py_ssize_t)nbytes);
            if (!data)
                return -1;
            in->parts[in->part_count++] = (Arrived){.data = data, .nbytes = (Py_ssize_t)nbytes};
        }
        if (incoming_post_data(in, data, (Py_ssize_t)nbytes) < 0)
            return -1;
    }
    return 0;
}

int open_body(Incoming *in, const char *body) {
    uint64_t sizes = 8 * in->announced.part_count;
    if (in->announced.part_count > INT32_MAX || in->announced.body_bytes < sizes + 1)
        return incoming_damaged(in);
    in->stream = body + sizes;
    in->stream_bytes = (Py_ssize_t)(in->announced.body_bytes - sizes);
    in->request_count = 0;
    if (in->announced.part_count == 0) {
        in->stage = ARRIVED;
        return 0;
    }
    in->stage = PARTS;
    return post_parts(in, body);
}

int open_announcement(Incoming *in, Py_ssize_t nbytes) {
    memcpy(&in->announced, in->block, sizeof in->announced);
    if (nbytes < (Py_ssize_t)sizeof in->announced)
        return incoming_damaged(in);
    if (!in->announced.body_apart) {
        if (sizeof in->announced + in->announced.body_bytes != (uint64_t)nbytes)
            return incoming_damaged(in);
        return open_body(in, in->block + sizeof in->announced);
    }
    in->body = malloc((size_t)in->announced.body_bytes);
    if (!in->body) {
        PyErr_NoMemory();
        return -1;
    }
    in->stage = BODY;
    in->request_count = 0;
    return incoming_post_data(in, in->body, (Py_ssize_t)in->announced.body_bytes);
}
