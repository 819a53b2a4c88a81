/* Messages that are received: posted, brought from stage to stage, delivered. */
#include "transfer/receive/incoming.h"

#include <stdlib.h>
#include <string.h>

#include "base/errors.h"
#include "codec/delivery.h"
#include "codec/overlap.h"
#include "memory/heap.h"
#include "memory/pool.h"
#include "transfer/receive/probing_receive.h"
#include "transfer/receive/unclaimed_messages.h"
#include "transport/strided_datatype.h"

static Incoming *free_incoming; /* linked by next */
static Py_ssize_t allocated;    /* these, and those in use */

static Incoming *take(void) {
    Incoming *in = free_incoming;
    if (likely(in != NULL)) {
        free_incoming = in->next;
        return in;
    }
    in = malloc(sizeof *in);
    Inbox *inbox = in ? inbox_take() : NULL;
    if (!inbox) {
        free(in);
        PyErr_NoMemory();
        return NULL;
    }
    in->inbox = inbox;
    allocated++;
    return in;
}

static inline void put_back(Incoming *in) {
    in->next = free_incoming;
    free_incoming = in;
}

/* Enough for those in use from moment to moment; one that had a message takes up to 10 KB. */
enum { MOST_ALLOCATED = 64 };

void incoming_trim(void) {
    Incoming *in = free_incoming;
    if (likely(allocated <= MOST_ALLOCATED) || !in)
        return;
    free_incoming = in->next;
    allocated--;
    inbox_give(in->inbox);
    free(in);
}

/* ---- beginning and end ---- */

void incoming_drop_memory(Incoming *in) {
    PyObject *array = in->array;
    Target *target = in->target;
    in->array = NULL;
    in->target = NULL;
    in->filled = false;
    if (unlikely(target != NULL))
        target_give(target);
    Py_XDECREF(array);
}

/* Everything but the small message. */
static void free_remote(Incoming *in) {
    Inbox *inbox = in->inbox;
    for (int i = 0; i < inbox->part_count; i++)
        if (!inbox->parts[i].taken)
            pool_release(inbox->parts[i].data, inbox->parts[i].nbytes);
    free(inbox->parts);
    free(inbox->body);
    Py_CLEAR(inbox->bytes);
    inbox->parts = NULL;
    inbox->part_count = 0;
    inbox->body = NULL;
    inbox->unposted = 0;
    if (in->requests != &in->first && in->requests != inbox->several)
        free(in->requests);
}

void incoming_close(Incoming *in) {
    Inbox *inbox = in->inbox;
    incoming_unlist(in);
    if (unlikely(in->probes))
        probing_end(in);
    if (likely(in->stage != POSTED)) { /* the inbox was used */
        wire_put_tag(inbox->packet, TAG_NONE);
        if (unlikely(inbox->body || inbox->parts || inbox->bytes || in->requests != &in->first))
            free_remote(in);
    }
    incoming_drop_memory(in);
    if (unlikely(in->refusal != NULL))
        Py_CLEAR(in->refusal);
    Communicator *comm = in->comm;
    put_back(in);
    Py_DECREF(comm);
}

static uint64_t numbered;

void incoming_number(Incoming *in) { in->number = ++numbered; }

static inline void open_incoming(Incoming *in, Communicator *comm, const Call *call) {
    in->number = ++numbered;
    in->stage = POSTED;
    in->comm = (Communicator *)Py_NewRef((PyObject *)comm);
    in->call = *call;
    in->call.comm = comm;
    in->requests = &in->first;
    in->request_count = in->request_capacity = 1;
    in->filled = in->waited_for = in->moving = in->abandoned = in->given_up = in->listed = in->probes =
        in->expects = in->small = false;
    in->array = in->refusal = NULL;
    in->target = NULL;
}

static inline Incoming *post_small(Incoming *in, enum channel channel, int source, int tag) {
    if (unlikely(in->comm->probing) && channel == USER) {
        if (unclaimed_take(in))
            return in;
        if (must_probe(in)) {
            probing_begin(in);
            return in;
        }
    }
    MPI_Comm where = channel == USER ? in->comm->comm : in->comm->shadow;
    if (likely(checked_irecv(in->inbox->packet, PACKET_BYTES, MPI_BYTE, mpi_source(source), mpi_tag(tag),
                             where, &in->first, &in->call) == 0))
        return in;
    incoming_close(in);
    return NULL;
}

/* Keep the reason why `into` was refused, to receive and drop the message: false if it has to be raised now.
 */
static bool refuse_later(Incoming *in) {
    if (!PyErr_ExceptionMatches(PyExc_Exception))
        return false;
    keep_refusal(in);
    return true;
}

static inline Incoming *start(Communicator *comm, enum channel channel, int source, int tag, PyObject *into,
                              const Call *call, bool promised) {
    Incoming *in = take();
    if (unlikely(!in))
        return NULL;
    open_incoming(in, comm, call);
    if (into && into != Py_None) {
        if (promised && simple_array(into, &in->inbox->simple)) {
            in->array = Py_NewRef(into);
            in->expects = true;
            in->small = in->inbox->simple.nbytes < PART_BYTES;
        } else if (!promised && is_simple_array(into)) { /* its inbox stays untouched */
            in->array = Py_NewRef(into);
            in->small = array_bytes((PyArrayObject *)into) < PART_BYTES;
        } else if (unlikely(!(in->target = target_new(into, call))) && !(promised && refuse_later(in))) {
            incoming_close(in);
            return NULL;
        }
    }
    return post_small(in, channel, source, tag);
}

Incoming *incoming_start(Communicator *comm, enum channel channel, int source, int tag, PyObject *into,
                         const Call *call) {
    return start(comm, channel, source, tag, into, call, false);
}

Incoming *incoming_start_promised(Communicator *comm, int source, int tag, PyObject *into, const Call *call) {
    return start(comm, USER, source, tag, into, call, true);
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
    in->target = target_new(NULL, call);
    if (!in->target) {
        Target dropped = *target;
        target_close(&dropped);
        incoming_close(in);
        return NULL;
    }
    target_move(in->target, target);
    return post_small(in, channel, source, tag);
}

bool incoming_overlaps(const Incoming *in, const Stream *stream) {
    if (stream->part_count == 0 || !(in->target || in->array))
        return false;
    Layout layout;
    if (in->target && !in->target->direct)
        return stream_overlaps(stream, &in->target->layout);
    if (in->target) {
        layout = in->target->layout;
        layout.data = in->target->direct;
    } else
        array_layout(in->array, &layout);
    return stream_overlaps(stream, &layout);
}

/* ---- announced data: received directly into their memory ---- */

static MPI_Request *new_request(Incoming *in) {
    Inbox *inbox = in->inbox;
    if (in->requests == &in->first) {
        in->requests = inbox->several;
        in->request_capacity = sizeof inbox->several / sizeof *inbox->several;
    }
    return requests_add(&in->requests, &in->request_count, &in->request_capacity, inbox->several);
}

static int post(Incoming *in, char *data, int count, MPI_Datatype type) {
    MPI_Request *request = new_request(in);
    if (!request)
        return -1;
    in->inbox->unposted--;
    in->call.large += about_bytes(count, type);
    return checked_irecv(data, count, type, rank_at_carrier(in->comm, in->inbox->small.MPI_SOURCE),
                         sequence_tag(in->inbox->announced.sequence), carrier_of(in->comm)->shadow, request,
                         &in->call);
}

#ifdef OPEN_MPI
/* Receive a piece of any length into the packet, over and over: Open MPI 5.0 writes a message that is longer
 * than its receive beyond the end. */
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
/* A piece longer than the packet is truncated, an error of this receive alone: its sender completes. */
static int post_cut(Incoming *in) { return post(in, in->inbox->packet, PACKET_BYTES, MPI_BYTE); }
#endif

/* Post a receive for the next of the pieces to be dropped, with no memory but the packet. */
static int post_dropped(Incoming *in) {
    in->request_count = 0;
    return post_cut(in);
}

/* Post receives for contiguous data, in pieces that an int can count. */
static int post_data(Incoming *in, char *data, Py_ssize_t nbytes) {
    for (Py_ssize_t posted = 0; posted < nbytes; posted += CHUNK_BYTES)
        if (post(in, data + posted, (int)Py_MIN(nbytes - posted, CHUNK_BYTES), MPI_BYTE) < 0)
            return -1;
    return 0;
}

static int damaged(const Incoming *in) {
    return raise_error("Error", &in->call, "a damaged message came; do all ranks run the same polympi?");
}

/* Receive the data of an array directly into the target: 1; 0 if they need other memory. */
static int post_into_target(Incoming *in, const Elements *elements, Py_ssize_t nbytes) {
    const Layout *layout = &in->target->layout;
    if (elements->fortran && elements->ndim > 1)
        return 0;
    if (layout->contiguous) {
        in->filled = true;
        char *direct = in->target->direct;
        if (unlikely(direct != NULL))
            in->target->on_device = false; /* nothing is left to copy */
        return post_data(in, likely(!direct) ? layout->data : direct, nbytes) < 0 ? -1 : 1;
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

/* Whether the message fits the target, before its data are received; a refusal is kept for the end. */
static bool examine_target(Incoming *in, Elements *elements) {
    int is_array = array_elements(in->inbox->stream, in->inbox->stream_bytes, elements);
    if (is_array == 0)
        refuse_object(&in->call);
    bool fits = is_array > 0 && target_accepts(in->target, elements, &in->call) == 0;
    if (!fits)
        keep_refusal(in);
    return fits;
}

/* Memory for part i, kept with the message; NULL with an exception. */
static char *part_memory(Incoming *in, uint64_t nbytes) {
    const Inbox *inbox = in->inbox;
    if (!in->target &&
        wire_is_bytes(inbox->stream, inbox->stream_bytes, inbox->announced.part_count, nbytes)) {
        heap_expect((Py_ssize_t)nbytes);
        in->inbox->bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)nbytes);
        return in->inbox->bytes ? PyBytes_AS_STRING(in->inbox->bytes) : NULL;
    }
    char *data = pool_allocate((Py_ssize_t)nbytes);
    if (data)
        in->inbox->parts[in->inbox->part_count++] = (Arrived){.data = data, .nbytes = (Py_ssize_t)nbytes};
    return data;
}

/* Receive the only part of an array directly into the target: 1; 0 if it needs other memory; -1. */
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
    if (!in->inbox->parts)
        return no_memory();
    for (int i = 0; i < (int)in->inbox->announced.part_count; i++) {
        uint64_t nbytes = wire_get_size(body, (uint64_t)i);
        char *data = part_memory(in, nbytes);
        if (!data || post_data(in, data, (Py_ssize_t)nbytes) < 0)
            return -1;
    }
    return 0;
}

/* Post receives for what a body announces. */
static int open_body(Incoming *in, const char *body) {
    Py_ssize_t sizes = sizes_of_parts(in->inbox->announced.part_count);
    in->inbox->stream = body + sizes;
    in->inbox->stream_bytes = (Py_ssize_t)in->inbox->announced.body_bytes - sizes;
    in->request_count = 0;
    if (!wire_check_body(&in->inbox->announced, body, &in->inbox->unposted)) {
        in->inbox->unposted = 0;
        return damaged(in);
    }
    if (in->inbox->announced.part_count == 0) {
        in->stage = ARRIVED;
        return 0;
    }
    in->stage = PARTS;
    return post_parts(in, body);
}

/* Post receives for what an announcement announces, of nbytes in the packet. */
static int open_announcement(Incoming *in, Py_ssize_t nbytes) {
    struct announcement *announced = &in->inbox->announced;
    if (!wire_get_announcement(in->inbox->packet, nbytes, announced))
        return damaged(in);
    if (!announced->body_apart)
        return open_body(in, in->inbox->packet + ANNOUNCEMENT_FORM);
    in->stage = BODY;
    in->request_count = 0;
    in->inbox->unposted = pieces_of(announced->body_bytes) + announced->part_count + announced->more_pieces;
    in->inbox->body = malloc((size_t)announced->body_bytes);
    if (!in->inbox->body)
        return no_memory();
    return post_data(in, in->inbox->body, (Py_ssize_t)announced->body_bytes);
}

/* ---- from stage to stage, with the GIL ---- */

/* Whether the message is the one that the array lets expect: 1, and it is in the next stage; 0; -1. */
static int open_expected_data(Incoming *in) {
    const SimpleArray *simple = &in->inbox->simple;
    if (!wire_announces_one(in->inbox->packet, &in->inbox->announced, simple->nbytes, simple->head,
                            simple->head_bytes))
        return 0;
    in->stage = PARTS;
    in->request_count = 0;
    in->inbox->unposted = pieces_of((uint64_t)simple->nbytes);
    return post_data(in, simple->data, simple->nbytes) < 0 ? -1 : 1;
}

/* Not inlined: the way of objects through incoming_wait would have to save more registers. */
__attribute__((noinline)) static int open_expected(Incoming *in) {
    SimpleArray *simple = &in->inbox->simple;
    if (unlikely(!in->expects) && !simple_array(in->array, simple))
        return 0;
    if (simple->nbytes >= PART_BYTES)
        return open_expected_data(in);
    if (unlikely(!begins_simple(in->inbox->packet, simple)))
        return 0;
    in->stage = ARRIVED;
    return 1;
}

int incoming_examine_closely(Incoming *in) {
    PyObject *array = in->array;
    in->target = target_new(array, &in->call);
    in->array = NULL;
    Py_DECREF(array);
    return in->target ? 0 : -1;
}

static int next_of_later_stage(Incoming *in) {
    if (in->stage == BODY)
        return open_body(in, in->inbox->body);
    if (in->stage == TAKING) {
        unclaimed_adopt(in);
        return 0;
    }
    if (in->inbox->unposted)
        return post_dropped(in);
    in->stage = ARRIVED;
    return 0;
}

/* Open what this stage has received, and post receives for the next stage. */
static int next_stage(Incoming *in) {
    if (unlikely(in->stage != POSTED))
        return next_of_later_stage(in);
    if (in->array) {
        int expected = open_expected(in);
        if (likely(expected))
            return expected < 0 ? -1 : 0;
        if (incoming_examine_closely(in) < 0)
            keep_refusal(in);
    }
    int nbytes = 0;
    MPI_Get_count(&in->inbox->small, MPI_BYTE, &nbytes);
    if (likely(nbytes > 0 ? wire_get_tag(in->inbox->packet) != TAG_REMOTE : plain_pickles)) {
        in->inbox->stream = in->inbox->packet;
        in->inbox->stream_bytes = nbytes;
        in->stage = ARRIVED;
        return 0;
    }
    if (nbytes == 0)
        return damaged(in);
    return open_announcement(in, nbytes);
}

/* The message can't be delivered, and the exception is set: receive and drop what is in flight or announced,
 * so that the sender doesn't hang. */
static void fail(Incoming *in) {
    keep_refusal(in);
    in->stage = in->inbox->unposted || under_way(in->requests, in->request_count) ? PARTS : ARRIVED;
}

/* The requests of this stage are complete: go to the next. */
static inline void advance(Incoming *in) {
    in->moving = true;
    if (unlikely(next_stage(in) < 0))
        fail(in);
    in->moving = false;
}

/* ---- delivery ---- */

/* Fill the target with the message: its object, a new reference, or NULL. `status` may be NULL. */
static PyObject *fill_target(Incoming *in, Status *status) {
    Elements elements = {0};
    int is_array = array_elements(in->inbox->stream, in->inbox->stream_bytes, &elements);
    if (is_array < 0)
        return NULL;
    int failed = is_array ? target_accepts(in->target, &elements, &in->call) : refuse_object(&in->call);
    const char *data =
        failed || in->filled ? NULL : elements_data(&elements, in->inbox->parts, in->inbox->part_count);
    if (data)
        target_fill(in->target, &elements, data);
    else if (!in->filled)
        failed = -1;
    if (status) {
        status->elements = elements.count;
        status->nbytes = elements.nbytes;
    }
    Py_XDECREF(elements.dtype);
    return failed ? NULL : target_result(in->target, elements.count);
}

/* The elements of a message that becomes an object; where these are an array's, their bytes, too. No
 * exception may be set. */
static void measure_stream(const char *stream, Py_ssize_t stream_bytes, Status *status) {
    Elements elements = {0};
    status->elements = 1;
    if (array_elements(stream, stream_bytes, &elements) == 1) {
        status->elements = elements.count;
        status->nbytes = elements.nbytes;
    }
    Py_XDECREF(elements.dtype);
    PyErr_Clear(); /* damaged: decoding says so */
}

/* The elements and bytes of what is received as an object. */
static void measure(const Incoming *in, Status *status) {
    status->nbytes = in->inbox->stream_bytes;
    for (int i = 0; i < in->inbox->part_count; i++)
        status->nbytes += in->inbox->parts[i].nbytes;
    if (in->inbox->bytes)
        status->elements = status->nbytes = PyBytes_GET_SIZE(in->inbox->bytes);
    else
        measure_stream(in->inbox->stream, in->inbox->stream_bytes, status);
}

static PyObject *into_simple(Incoming *in, Status *status) {
    SimpleArray *simple = &in->inbox->simple;
    if (likely(simple->nbytes < PART_BYTES))
        memcpy(simple->data, in->inbox->packet + simple->head_bytes, (size_t)simple->nbytes);
    if (status) {
        status->elements = elements_of((PyArrayObject *)in->array);
        status->nbytes = simple->nbytes;
    }
    PyObject *array = in->array;
    in->array = NULL;
    return array;
}

static PyObject *as_object(Incoming *in, Status *status) {
    if (status)
        measure(in, status);
    if (unlikely(in->inbox->bytes != NULL)) {
        PyObject *bytes = in->inbox->bytes;
        in->inbox->bytes = NULL;
        return bytes;
    }
    return codec_decode(in->inbox->stream, in->inbox->stream_bytes, in->inbox->parts, in->inbox->part_count);
}

PyObject *incoming_deliver(Incoming *in, Status *status) {
    PyObject *object;
    if (status)
        *status =
            (Status){.source = in->inbox->small.MPI_SOURCE, .tag = in->inbox->small.MPI_TAG, .elements = 1};
    if (unlikely(in->refusal != NULL)) {
        restore_exception(Py_NewRef(in->refusal));
        object = NULL;
    } else
        object = in->array    ? into_simple(in, status)
                 : in->target ? fill_target(in, status)
                              : as_object(in, status);
    incoming_close(in);
    return object;
}

/* ---- waiting ---- */

/* Wait for a message that was kept. */
static int wait_for_kept(Incoming *in, double timeout) {
    in->waited_for = true;
    int failed = incoming_finish(in->inbox->kept, timeout);
    in->waited_for = false;
    return failed;
}

/* Wait for one stage: 0 or -1; RECALLED where there may be another message for it now, one that was kept. */
static int wait_stage(Incoming *in, double timeout) {
    MPI_Status *statuses = &in->inbox->small;
    if (unlikely(in->stage != POSTED)) {
        if (in->stage == TAKING)
            return wait_for_kept(in, timeout);
        statuses = MPI_STATUSES_IGNORE;
    }
    if (in->request_count == 0)
        return 0;
    in->waited_for = true;
    int failed = unlikely(in->probes) ? probing_wait(in, timeout) : 0;
    if (likely(!failed))
        failed = wait_for(in->requests, in->request_count, statuses, &in->call, timeout);
    in->waited_for = false;
    if (unlikely(failed > 0) && in->stage == POSTED)
        unclaimed_take_instead(in);
    return failed;
}

const Call *incoming_call(const Incoming *in) { return &in->call; }

/* Let the thread continue that is making progress on the message: 0, or -1 with StateError. */
static int let_it_go_on(const Incoming *in) {
    yield_gil();
    return still_running(&in->call);
}

/* Wait for the message, and then for its data. */
static inline int finish(Incoming *in, double timeout, double (*data_timeout)(double)) {
    while (in->stage != ARRIVED) {
        if (unlikely(in->moving)) {
            if (let_it_go_on(in) < 0)
                return -1;
            continue;
        }
        int failed = wait_stage(in, in->stage == POSTED ? timeout : data_timeout(timeout));
        if (likely(!failed))
            advance(in);
        else if (failed < 0 &&
                 (under_way(in->requests, in->request_count) || in->probes || in->stage == TAKING))
            return -1;
        else if (failed < 0)
            fail(in);
    }
    return 0;
}

static double the_same(double timeout) { return timeout; }

int incoming_finish(Incoming *in, double timeout) { return finish(in, timeout, the_same); }

/* How long to wait for data in flight at least. They arrive by themselves, unless the sender has stopped; and
 * after giving up, the user buffer may still be written to. */
#define DATA_SECONDS 10.0

static double long_enough_for_data(double timeout) {
    if (timeout == DEFAULT_TIMEOUT)
        timeout = state.timeout;
    return timeout > 0 && timeout < DATA_SECONDS ? DATA_SECONDS : timeout;
}

/* After a failure, whose exception is set: leave it. False, without the exception, if it was a time-out and a
 * message has arrived at this very moment. */
static bool give_up(Incoming *in) {
    if (in->stage == POSTED && !in->moving && is_timeout()) {
        PyObject *class, *value, *trace;
        PyErr_Fetch(&class, &value, &trace);
        if (!incoming_cancel(in)) {
            Py_XDECREF(class);
            Py_XDECREF(value);
            Py_XDECREF(trace);
            return false;
        }
        PyErr_Restore(class, value, trace);
    } else
        incoming_leave(in);
    return true;
}

PyObject *incoming_wait(Incoming *in, Status *status, double timeout) {
    while (unlikely(finish(in, timeout, long_enough_for_data) < 0))
        if (give_up(in))
            return NULL;
    return incoming_deliver(in, status);
}

/* Post a receive in an inbox, and test it: whether a message has arrived. It is opened for others to see only
 * after these tests: while the GIL is held, none could look. */
static inline enum step receive_now(Communicator *comm, int source, int tag, Incoming *in, const Call *call) {
    int complete, code = RECEIVE_NOW(in->inbox->packet, PACKET_BYTES, MPI_BYTE, mpi_source(source),
                                     mpi_tag(tag), comm->comm, &in->first, &in->inbox->small, &complete);
    return unlikely(code != MPI_SUCCESS) ? raise_mpi(code, call) : complete;
}

/* Deliver a message that is complete in its packet, with its status, which may be NULL; false: it needs more.
 */
static inline bool take_small(Inbox *inbox, PyObject *into, PyObject **object, Status *status) {
    const SimpleArray *simple = &inbox->simple;
    int nbytes = 0;
    if (into) {
        if (unlikely(simple->nbytes >= PART_BYTES || !begins_simple(inbox->packet, simple)))
            return false;
        copy_elements(simple->data, inbox->packet + simple->head_bytes, simple->nbytes);
        *object = Py_NewRef(into);
        if (status)
            *status = (Status){.elements = elements_of((PyArrayObject *)into), .nbytes = simple->nbytes};
    } else {
        MPI_Get_count(&inbox->small, MPI_BYTE, &nbytes);
        if (unlikely(nbytes == 0 || wire_get_tag(inbox->packet) == TAG_REMOTE))
            return false;
        if (status && !status->place_only) {
            status->nbytes = nbytes;
            measure_stream(inbox->packet, nbytes, status);
        }
        *object = codec_decode(inbox->packet, nbytes, NULL, 0);
    }
    if (status) {
        status->source = inbox->small.MPI_SOURCE;
        status->tag = inbox->small.MPI_TAG;
    }
    wire_put_tag(inbox->packet, TAG_NONE);
    return true;
}

PyObject *incoming_receive(Communicator *comm, int source, int tag, PyObject *into, const Call *call,
                           Status *status, double timeout) {
    PyObject *object, *array = into == Py_None ? NULL : into;
    Incoming *in = take();
    if (unlikely(!in))
        return NULL;
    if (unlikely(comm->probing || (array && !simple_array(array, &in->inbox->simple)))) {
        put_back(in);
        in = incoming_start_promised(comm, source, tag, into, call);
        return in ? incoming_wait(in, status, timeout) : NULL;
    }
    enum step come = receive_now(comm, source, tag, in, call);
    if (likely(come > PENDING && take_small(in->inbox, array, &object, status))) {
        put_back(in);
        return object;
    }
    open_incoming(in, comm, call);
    in->array = Py_XNewRef(array);
    in->expects = array != NULL;
    if (come > PENDING)
        advance(in);
    else if (likely(come == PENDING))
        locked_wake(comm->comm, mpi_source(source));
    else
        fail(in);
    return incoming_wait(in, status, timeout);
}

PyObject *incoming_take_array(Incoming *in, Status *status) {
    PyObject *array = in->array, *taken;
    if (!in->small || unlikely(!array || in->stage != POSTED || in->probes || in->moving))
        return NULL;
    if (unlikely(in->request_count == 0)) /* a cancel has found the message, and its status */
        return NULL;
    enum step complete = test_requests(&in->first, 1, &in->inbox->small, &in->call);
    if (complete == PENDING)
        return NULL;
    if (unlikely(complete == FAILED)) {
        fail(in);
        return NULL;
    }
    if (unlikely(!(in->expects = in->expects || simple_array(array, &in->inbox->simple)) ||
                 !take_small(in->inbox, array, &taken, status))) {
        advance(in);
        return NULL;
    }
    incoming_unlist(in);
    Communicator *comm = in->comm;
    put_back(in);
    Py_DECREF(array);
    Py_DECREF(comm);
    return taken;
}

static enum step test_stage(Incoming *in) {
    MPI_Status *statuses = in->stage == POSTED ? &in->inbox->small : MPI_STATUSES_IGNORE;
    if (unlikely(in->stage == TAKING))
        return incoming_test(in->inbox->kept);
    enum step found = unlikely(in->probes) ? probing_step(in) : DONE;
    if (found != DONE || in->request_count == 0)
        return found;
    return test_requests(in->requests, in->request_count, statuses, &in->call);
}

bool incoming_test(Incoming *in) {
    while (in->stage != ARRIVED) {
        if (in->waited_for || in->moving)
            return false;
        in->moving = true;
        enum step complete = test_stage(in);
        in->moving = false;
        if (complete == PENDING)
            return false;
        if (complete > PENDING)
            advance(in);
        else
            fail(in);
    }
    return true;
}
