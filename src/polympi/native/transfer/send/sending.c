#include "transfer/send/sending.h"

#include <stdlib.h>
#include <string.h>

#include "base/errors.h"
#include "memory/blocks.h"
#include "transfer/simple_array.h"

struct belongings {
    char *packet; /* NULL: the small message is in the Sending */
    Stream stream;
    char **copies;
    int copy_count;
};

static void free_requests(MPI_Request *requests, int count, const MPI_Request *first) {
    if (requests != first)
        block_give(requests, (size_t)count * sizeof *requests);
}

/* Move the requests, and the memory that MPI reads from. */
static int take_belongings(Sending *send, Outgoing *out) {
    Stream *stream = &out->stream;
    Part *parts = stream->parts;
    if (parts && (parts = PyMem_RawRealloc(parts, (size_t)stream->part_count * sizeof *parts)))
        stream->parts = parts; /* there was room for more */
    send->belongings = NULL;
    send->requests = &send->first;
    if (out->request_count > 1) {
        send->requests = block_take((size_t)out->request_count * sizeof *send->requests);
        if (!send->requests)
            return -1;
    }
    if (stream->heap || stream->parts || out->copies || !out->kept) {
        send->belongings = block_take(sizeof *send->belongings);
        if (!send->belongings) {
            free_requests(send->requests, out->request_count, &send->first);
            return -1;
        }
        *send->belongings = (struct belongings){.packet = out->kept ? NULL : out->packet,
                                                .stream = *stream,
                                                .copies = out->copies,
                                                .copy_count = out->copy_count};
    }
    memcpy(send->requests, out->requests, (size_t)out->request_count * sizeof *send->requests);
    if (out->requests != out->first)
        free(out->requests);
    return 0;
}

Sending *sending_take(Py_ssize_t message_bytes) {
    size_t nbytes = sizeof(Sending) + (size_t)message_bytes;
    Sending *send = block_take(nbytes);
    if (likely(send != NULL))
        send->nbytes = nbytes;
    return send;
}

void sending_give(Sending *send) {
    if (send)
        block_give(send, send->nbytes);
}

Sending *outgoing_keep(Outgoing *out) {
    Sending *send = out->kept ? out->kept : sending_take(0);
    if (!send || take_belongings(send, out) < 0) {
        if (send != out->kept)
            sending_give(send);
        PyErr_NoMemory();
        return NULL; /* the rest of its memory is leaked: MPI may still read it */
    }
    send->comm = Py_NewRef((PyObject *)out->comm);
    send->call = out->call;
    send->request_count = out->request_count;
    return send;
}

/* Where `send` has only its small message and one request. */
static inline void keep_small(Sending *send, Communicator *comm, const Call *call) {
    send->comm = Py_NewRef((PyObject *)comm);
    send->call = *call;
    send->call.comm = comm;
    send->requests = &send->first;
    send->request_count = 1;
    send->belongings = NULL;
}

int sending_start_array(Communicator *comm, PyObject *object, const Call *call, bool tested, Sending **kept) {
    PyArrayObject *array = (PyArrayObject *)object;
    char head[ARRAY_FORM(SIMPLE_DIMENSIONS)];
    Py_ssize_t nbytes, head_bytes;
    int complete = 0, code;
    if (Py_TYPE(object) != ndarray_type || !PyArray_IS_C_CONTIGUOUS(array) ||
        !(head_bytes = simple_head(array, head, &nbytes)) || nbytes >= PART_BYTES)
        return 0;
    Sending *send = sending_take(head_bytes + nbytes);
    if (unlikely(!send))
        return PyErr_NoMemory(), -1;
    copy_elements(send->message, head, head_bytes);
    copy_elements(send->message + head_bytes, PyArray_BYTES(array), nbytes);
    int size = (int)(head_bytes + nbytes);
    if (tested) {
        code = locked_send_now(send->message, size, MPI_BYTE, call->peer, call->tag, comm->comm, &send->first,
                               &complete);
        locked_wake(comm->comm, call->peer);
    } else
        code = locked_isend(send->message, size, MPI_BYTE, call->peer, call->tag, comm->comm, &send->first);
    if (likely(complete)) {
        sending_give(send);
        *kept = NULL;
        return 1;
    }
    keep_small(send, comm, call);
    *kept = send;
    if (likely(code == MPI_SUCCESS))
        return 1;
    raise_mpi(code, call);
    sending_close(send, 0);
    return -1;
}

/* Nothing of it is in flight. May run Python code. */
static void free_sending(Sending *send) {
    struct belongings *belongings = send->belongings;
    PyObject *comm = send->comm;
    free_requests(send->requests, send->request_count, &send->first);
    sending_give(send);
    if (belongings) {
        if (belongings->packet)
            packet_give(belongings->packet);
        outgoing_free(&belongings->stream, belongings->copies, belongings->copy_count);
        block_give(belongings, sizeof *belongings);
    }
    Py_DECREF(comm);
}

enum step sending_test(Sending *send) {
    return test_requests(send->requests, send->request_count, MPI_STATUSES_IGNORE, &send->call);
}

bool sending_is_on(const Sending *send, const Communicator *comm) {
    bool has_raw = comm->raw && comm->named == comm->comm;
    bool of_it = send->comm == (const PyObject *)comm || (has_raw && send->comm == comm->raw);
    return of_it && under_way(send->requests, send->request_count);
}

/* ---- those that nobody waits for ---- */

/* In the order of their next tests. */
static Sending *orphans, **orphans_end = &orphans;
static Py_ssize_t orphan_count, buffered_total;

Py_ssize_t buffered_bytes(void) { return buffered_total; }

bool sends_abandoned(void) { return orphans != NULL; }

bool orphans_on(const Communicator *comm) {
    const Sending *send = orphans;
    while (send && !sending_is_on(send, comm))
        send = send->next;
    return send != NULL;
}

static void enqueue(Sending *send) {
    send->next = NULL;
    *orphans_end = send;
    orphans_end = &send->next;
    orphan_count++;
}

static Sending *dequeue(void) {
    Sending *send = orphans;
    orphans = send->next;
    if (!orphans)
        orphans_end = &orphans;
    orphan_count--;
    return send;
}

void sending_close(Sending *send, Py_ssize_t buffered) {
    if (likely(!under_way(send->requests, send->request_count))) {
        free_sending(send);
        return;
    }
    send->buffered = buffered;
    buffered_total += buffered;
    enqueue(send);
}

/* `requests` is NULL where there is one. */
static Sending *adopted(PyObject *comm, const Call *call, MPI_Request *requests, PyObject *owner,
                        char *copy) {
    Sending *send = sending_take(0);
    struct belongings *belongings = block_take(sizeof *belongings);
    Part *part = PyMem_RawCalloc(1, sizeof *part);
    char **copies = malloc(sizeof *copies);
    if (!send || !belongings || !part || !copies) {
        sending_give(send), block_give(belongings, sizeof *belongings), PyMem_RawFree(part), free(copies);
        return NULL;
    }
    part->owner = Py_NewRef(owner);
    *copies = copy;
    *belongings = (struct belongings){.stream = {.parts = part, .part_count = 1, .part_capacity = 1},
                                      .copies = copies,
                                      .copy_count = copy != NULL};
    *send = (Sending){.nbytes = send->nbytes,
                      .comm = Py_NewRef(comm),
                      .call = *call,
                      .requests = requests ? requests : &send->first,
                      .request_count = 1,
                      .belongings = belongings};
    return send;
}

Sending *sending_new(PyObject *comm, const Call *call, MPI_Request request, PyObject *owner, char *copy) {
    Sending *send = adopted(comm, call, NULL, owner, copy);
    if (send)
        send->first = request;
    return send;
}

void sending_adopt(PyObject *comm, const Call *call, const MPI_Request *requests, int count, PyObject *owner,
                   char *copy) {
    MPI_Request *taken = block_take((size_t)count * sizeof *taken);
    Sending *send = taken ? adopted(comm, call, taken, owner, copy) : NULL;
    if (!send) {
        block_give(taken, (size_t)count * sizeof *taken);
        return;
    }
    memcpy(taken, requests, (size_t)count * sizeof *taken);
    send->request_count = count;
    sending_close(send, 0);
}

/* Drop a complete message, with MPI's code. */
static void drop(Sending *send, int code) {
    if (code != MPI_SUCCESS) {
        raise_mpi(code, &send->call);
        PyErr_WriteUnraisable(send->comm);
    }
    free_sending(send);
}

void orphans_progress(Py_ssize_t most) {
    Py_ssize_t left = orphan_count < most ? orphan_count : most;
    for (; left > 0 && orphans && state.phase == RUNNING; left--) {
        Sending *send = dequeue(); /* off the list before anything that may run Python code */
        int complete = 0;
        int code = locked_test(send->requests, send->request_count, MPI_STATUSES_IGNORE, &complete);
        if (!complete && (code == MPI_SUCCESS || under_way(send->requests, send->request_count))) {
            enqueue(send);
            continue;
        }
        buffered_total -= send->buffered;
        drop(send, code);
    }
}

int orphans_report(PyObject *sentences) {
    for (const Sending *send = orphans; send; send = send->next)
        if (report_call(sentences, &send->call, "was never received") < 0)
            return -1;
    return 0;
}

const Call *sends_next(const void **place) {
    const Sending *send = *place ? ((const Sending *)*place)->next : orphans;
    while (send && !under_way(send->requests, send->request_count))
        send = send->next;
    *place = send;
    return send ? &send->call : NULL;
}

bool sends_test(void) {
    bool any = false;
    for (Sending *send = orphans; send; send = send->next) {
        int complete = 0;
        int code = test_any_number(send->requests, send->request_count, MPI_STATUSES_IGNORE, &complete);
        any |= !complete && code == MPI_SUCCESS;
    }
    return any;
}
