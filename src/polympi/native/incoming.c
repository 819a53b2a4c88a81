/* Messages on their way in: posted, moved from stage to stage, delivered. */
#include "incoming.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "delivery.h"
#include "errors.h"
#include "pool.h"

static Incoming *free_incoming; /* linked by next */

static Incoming *take(void) {
    Incoming *in = free_incoming;
    if (likely(in != NULL)) {
        free_incoming = in->next;
        return in;
    }
    in = malloc(sizeof *in);
    if (!in)
        PyErr_NoMemory();
    return in;
}

/* Everything but the small message. */
static void free_remote(Incoming *in) {
    for (int i = 0; i < in->part_count; i++)
        if (!in->parts[i].taken)
            pool_release(in->parts[i].data, in->parts[i].nbytes);
    free(in->parts);
    free(in->body);
    free(in->packed);
    Py_XDECREF(in->refusal);
    Py_XDECREF(in->bytes);
    if (in->requests != in->first)
        free(in->requests);
}

void incoming_close(Incoming *in) {
    incoming_unlist(in);
    if (unlikely(in->body || in->parts || in->packed || in->refusal || in->bytes ||
                 in->requests != in->first))
        free_remote(in);
    if (in->has_target)
        target_close(&in->target);
    Py_XDECREF(in->simple.array);
    Communicator *comm = in->comm;
    in->next = free_incoming;
    free_incoming = in;
    Py_DECREF(comm);
}

static inline void open_incoming(Incoming *in, Communicator *comm, const Call *call) {
    in->stage = POSTED;
    in->comm = (Communicator *)Py_NewRef((PyObject *)comm);
    in->call = *call;
    in->requests = in->first;
    in->request_count = 1;
    in->request_capacity = sizeof in->first / sizeof *in->first;
    in->body = in->packed = NULL;
    in->parts = NULL;
    in->part_count = 0;
    in->refusal = in->bytes = NULL;
    in->filled = in->waited_for = in->moving = in->abandoned = in->listed = in->has_target = false;
    in->simple.array = NULL;
}

static inline Incoming *post_small(Incoming *in, enum channel channel, int source, int tag) {
    MPI_Comm where = channel == USER ? in->comm->comm : in->comm->shadow;
    bool locked = enter_mpi();
    int code =
        MPI_Irecv(in->block, BLOCK_BYTES, MPI_BYTE, mpi_source(source), mpi_tag(tag), where, in->first);
    leave_mpi(locked);
    if (likely(code == MPI_SUCCESS))
        return in;
    const Call call = in->call;
    incoming_close(in);
    raise_mpi(code, &call);
    return NULL;
}

Incoming *incoming_start(Communicator *comm, enum channel channel, int source, int tag, PyObject *into,
                         const Call *call) {
    Incoming *in = take();
    if (unlikely(!in))
        return NULL;
    open_incoming(in, comm, call);
    if (into && into != Py_None) {
        if (likely(simple_array(into, &in->simple)))
            Py_INCREF(in->simple.array);
        else if (target_open(&in->target, into, call) < 0) {
            incoming_close(in);
            return NULL;
        } else
            in->has_target = true;
    }
    return post_small(in, channel, source, tag);
}

Incoming *incoming_start_target(Communicator *comm, enum channel channel, int source, int tag,
                                const Target *target, const Call *call) {
    Incoming *in = take();
    if (!in) {
        Target dropped = *target;
        target_close(&dropped);
        return NULL;
    }
    open_incoming(in, comm, call);
    target_move(&in->target, target);
    in->has_target = true;
    return post_small(in, channel, source, tag);
}

/* ---- from stage to stage, with the GIL ---- */

/* Whether the message is what the array lets expect: 1, and go to the next stage; 0; -1 with an exception. */
static int open_expected(Incoming *in) {
    const SimpleArray *simple = &in->simple;
    if (likely(simple->nbytes < PART_BYTES)) {
        if (unlikely(memcmp(in->block, simple->head, (size_t)simple->head_bytes) != 0))
            return 0;
        in->stage = ARRIVED;
        return 1;
    }
    struct announcement *announced = &in->announced;
    memcpy(announced, in->block, sizeof *announced);
    if (announced->tag != TAG_REMOTE || announced->body_apart || announced->part_count != 1 ||
        announced->body_bytes != 8 + (uint64_t)simple->head_bytes ||
        memcmp(in->block + sizeof *announced + 8, simple->head, (size_t)simple->head_bytes) != 0)
        return 0;
    in->stage = PARTS;
    in->request_count = 0;
    return incoming_post_data(in, simple->data, simple->nbytes) < 0 ? -1 : 1;
}

/* What came is not what the array lets expect: treat it as any other target. */
static int examine_closely(Incoming *in) {
    PyObject *array = in->simple.array;
    int failed = target_open(&in->target, array, &in->call);
    in->has_target = !failed;
    in->simple.array = NULL;
    Py_DECREF(array);
    return failed;
}

/* Open what the requests of this stage have brought, and post the next: 0 or -1. */
static int next_stage(Incoming *in) {
    if (in->stage == BODY)
        return open_body(in, in->body);
    if (in->stage == PARTS) {
        in->stage = ARRIVED;
        return 0;
    }
    if (in->simple.array) {
        int expected = open_expected(in);
        if (likely(expected))
            return expected < 0 ? -1 : 0;
        if (examine_closely(in) < 0)
            return -1;
    }
    int nbytes = 0;
    MPI_Get_count(&in->small, MPI_BYTE, &nbytes);
    if (likely(nbytes > 0 && (unsigned char)in->block[0] != TAG_REMOTE)) {
        in->stream = in->block;
        in->stream_bytes = nbytes;
        in->stage = ARRIVED;
        return 0;
    }
    if (nbytes == 0)
        return incoming_damaged(in);
    return open_announcement(in, nbytes);
}

static bool under_way(const Incoming *in) {
    for (int i = 0; i < in->request_count; i++)
        if (in->requests[i] != MPI_REQUEST_NULL)
            return true;
    return false;
}

/* The message is wrong, for which the exception is set: nothing more is posted, and what is under way is
 * taken in and dropped. */
static void fail(Incoming *in) {
    keep_refusal(in);
    in->stage = under_way(in) ? PARTS : ARRIVED;
}

/* The requests of this stage are complete: go to the next. */
static inline void advance(Incoming *in) {
    in->moving = true;
    if (unlikely(next_stage(in) < 0))
        fail(in);
    in->moving = false;
}

/* ---- what arrived, as an object ---- */

static PyObject *into_simple(Incoming *in, Status *status) {
    SimpleArray *simple = &in->simple;
    if (likely(simple->nbytes < PART_BYTES))
        memcpy(simple->data, in->block + simple->head_bytes, (size_t)simple->nbytes);
    if (status) {
        status->elements = PyArray_SIZE((PyArrayObject *)simple->array);
        status->nbytes = simple->nbytes;
    }
    PyObject *array = simple->array;
    simple->array = NULL;
    return array;
}

static PyObject *into_target(Incoming *in, Status *status) {
    Elements elements = {0};
    int is_array = array_elements(in->stream, in->stream_bytes, &elements);
    if (is_array < 0)
        return NULL;
    int failed = is_array ? target_accepts(&in->target, &elements, &in->call) : refuse_object(&in->call);
    if (!failed && !in->filled)
        target_fill(&in->target, &elements, elements.apart ? in->parts[0].data : elements.data);
    if (status) {
        status->elements = elements.count;
        status->nbytes = elements.nbytes;
    }
    Py_XDECREF(elements.dtype);
    return failed ? NULL : Py_NewRef(in->target.object);
}

/* Elements and bytes of what is received as an object. */
static void measure(const Incoming *in, Status *status) {
    Elements elements = {0};
    status->nbytes = in->stream_bytes;
    for (int i = 0; i < in->part_count; i++)
        status->nbytes += in->parts[i].nbytes;
    if (in->bytes)
        status->elements = status->nbytes = PyBytes_GET_SIZE(in->bytes);
    else if (array_elements(in->stream, in->stream_bytes, &elements) == 1) {
        status->elements = elements.count;
        status->nbytes = elements.nbytes;
    }
    Py_XDECREF(elements.dtype);
    PyErr_Clear(); /* damaged: decoding says so */
}

static PyObject *as_object(Incoming *in, Status *status) {
    if (status)
        measure(in, status);
    if (unlikely(in->bytes != NULL)) {
        PyObject *bytes = in->bytes;
        in->bytes = NULL;
        return bytes;
    }
    return codec_decode(in->stream, in->stream_bytes, in->parts, in->part_count);
}

PyObject *incoming_deliver(Incoming *in, Status *status) {
    PyObject *object;
    if (status)
        *status = (Status){.source = in->small.MPI_SOURCE, .tag = in->small.MPI_TAG, .elements = 1};
    if (unlikely(in->refusal != NULL)) {
        PyErr_SetObject((PyObject *)Py_TYPE(in->refusal), in->refusal);
        object = NULL;
    } else
        object = in->simple.array ? into_simple(in, status)
                 : in->has_target ? into_target(in, status)
                                  : as_object(in, status);
    incoming_close(in);
    return object;
}

/* ---- waiting ---- */

/* Wait for one stage: 0 or -1. */
static int wait_stage(Incoming *in, double timeout) {
    MPI_Status *statuses = in->stage == POSTED ? &in->small : MPI_STATUSES_IGNORE;
    if (in->request_count == 0)
        return 0;
    in->waited_for = true;
    int failed = wait_for(in->requests, in->request_count, statuses, &in->call, timeout);
    in->waited_for = false;
    return failed;
}

bool incoming_waited_for(const Incoming *in) { return in->waited_for; }

const Call *incoming_call(const Incoming *in) { return &in->call; }

/* Let the thread go on that moves a message on. */
static void yield_gil(void) {
    Py_BEGIN_ALLOW_THREADS;
    sched_yield();
    Py_END_ALLOW_THREADS;
}

/* Wait for a message to come, and then for its data: 0 or -1. */
static inline int finish(Incoming *in, double timeout, double (*data_timeout)(double)) {
    while (in->stage != ARRIVED) {
        if (unlikely(in->moving))
            yield_gil();
        else if (likely(wait_stage(in, in->stage == POSTED ? timeout : data_timeout(timeout)) == 0))
            advance(in);
        else if (under_way(in))
            return -1;
        else
            fail(in);
    }
    return 0;
}

static double the_same(double timeout) { return timeout; }

int incoming_finish(Incoming *in, double timeout) { return finish(in, timeout, the_same); }

/* How long data that are under way are waited for at least: where they are given up, the message is lost,
 * which its sender does not know. They come by themselves, unless the sender has stopped. */
#define DATA_SECONDS 10.0

static double long_enough_for_data(double timeout) {
    if (timeout == DEFAULT_TIMEOUT)
        timeout = state.timeout;
    return timeout > 0 && timeout < DATA_SECONDS ? DATA_SECONDS : timeout;
}

bool incoming_give_up(Incoming *in) {
    PyObject *class, *value, *trace;
    PyErr_Fetch(&class, &value, &trace);
    if (in->stage != POSTED)
        incoming_abandon(in);
    else if (!incoming_cancel(in)) {
        Py_XDECREF(class);
        Py_XDECREF(value);
        Py_XDECREF(trace);
        return false;
    }
    PyErr_Restore(class, value, trace);
    return true;
}

PyObject *incoming_wait(Incoming *in, Status *status, double timeout) {
    while (unlikely(finish(in, timeout, long_enough_for_data) < 0))
        if (incoming_give_up(in))
            return NULL;
    return incoming_deliver(in, status);
}

bool incoming_test(Incoming *in) {
    while (in->stage != ARRIVED) {
        if (in->waited_for || in->moving)
            return false;
        MPI_Status *statuses = in->stage == POSTED ? &in->small : MPI_STATUSES_IGNORE;
        in->moving = true;
        int complete =
            in->request_count == 0 ? 1 : test_requests(in->requests, in->request_count, statuses, &in->call);
        in->moving = false;
        if (complete == 0)
            return false;
        if (complete > 0)
            advance(in);
        else
            fail(in);
    }
    return true;
}

int incoming_cancel(Incoming *in) {
    if (in->stage != POSTED || in->waited_for || in->moving)
        return 0;
    int cancelled = 0;
    bool locked = enter_mpi();
    if (in->first[0] != MPI_REQUEST_NULL && MPI_Cancel(in->first) == MPI_SUCCESS &&
        MPI_Wait(in->first, &in->small) == MPI_SUCCESS)
        MPI_Test_cancelled(&in->small, &cancelled);
    leave_mpi(locked);
    if (cancelled)
        incoming_close(in);
    else if (in->first[0] == MPI_REQUEST_NULL)
        in->request_count = 0; /* it is here: a test of the request would forget what `small` says of it */
    return cancelled;
}
