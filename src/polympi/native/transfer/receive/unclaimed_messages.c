#include "transfer/receive/unclaimed_messages.h"

#include <stdlib.h>
#include <string.h>

#include "base/errors.h"
#include "memory/pool.h"
#include "memory/strided.h"
#include "transfer/receive/probing_receive.h"

/* By number of the message, linked by `later`; of all communicators. */
static Incoming *first_kept;

static bool fits(const Communicator *comm, const Call *call, const Incoming *kept) {
    return kept->comm == comm && takes(call, kept->inbox->small.MPI_SOURCE, kept->inbox->small.MPI_TAG);
}

static void enter(Incoming *kept) {
    Incoming **link = &first_kept;
    while (*link && (*link)->number < kept->number)
        link = &(*link)->later;
    kept->later = *link;
    *link = kept;
    kept->comm->probing |= HAS_UNCLAIMED;
}

static void leave(Incoming *kept) {
    bool gone = false, others = false;
    for (Incoming **link = &first_kept; *link && !(gone && others);)
        if (*link == kept) {
            *link = kept->later;
            gone = true;
        } else {
            others |= (*link)->comm == kept->comm;
            link = &(*link)->later;
        }
    if (!others)
        kept->comm->probing &= ~HAS_UNCLAIMED;
}

/* ---- taken back ---- */

bool incoming_unpost(Incoming *in) {
    if (in->stage != POSTED || in->waited_for || in->moving || in->given_up)
        return false;
    if (in->probes) {
        probing_end(in);
        return true;
    }
    MPI_Status status;
    int cancelled = state.gone; /* MPI_Finalize has ended it */
    bool locked = enter_mpi();
    if (!cancelled && cancel_receive(&in->first, &status)) {
        MPI_Test_cancelled(&status, &cancelled);
        if (!cancelled) { /* a message is here: testing the request would overwrite its status */
            in->inbox->small = status;
            in->request_count = 0;
        }
    }
    leave_mpi(locked);
    return cancelled;
}

int incoming_cancel(Incoming *in) {
    if (!incoming_unpost(in))
        return 0;
    incoming_close(in);
    return 1;
}

/* ---- kept ---- */

/* The data of a message are in the user buffer: copy them to memory of the message. */
static int copy_data(Incoming *in) {
    Inbox *inbox = in->inbox;
    uint64_t nbytes = wire_get_size(inbox->stream - sizes_of_parts(1), 0);
    inbox->parts = malloc(sizeof *inbox->parts);
    char *data = inbox->parts ? pool_allocate((Py_ssize_t)nbytes) : NULL;
    if (!data)
        return no_memory();
    inbox->parts[inbox->part_count++] = (Arrived){.data = data, .nbytes = (Py_ssize_t)nbytes};
    if (in->array)
        memcpy(data, inbox->simple.data, (size_t)nbytes);
    else if (in->target->layout.contiguous)
        memcpy(data, in->target->layout.data, (size_t)nbytes);
    else
        strided_pack(&in->target->layout, data);
    return 0;
}

void unclaimed_settle(Incoming *in) {
    const SimpleArray *simple = &in->inbox->simple;
    bool straight = in->filled || (in->array && in->stage != POSTED && simple->nbytes >= PART_BYTES);
    if (in->moving || (straight && in->stage != ARRIVED))
        return;
    if (in->array && in->stage == ARRIVED) {
        in->inbox->stream = in->inbox->packet + (straight ? announced_stream(1) : 0);
        in->inbox->stream_bytes = simple->head_bytes + (straight ? 0 : simple->nbytes);
    }
    if (straight && !in->refusal && copy_data(in) < 0)
        keep_refusal(in); /* raised by the receive that takes it */
    incoming_drop_memory(in);
}

/* Give the message to the first receive that waits for such a one. If that has taken a later one, of which
 * the program doesn't know yet, it gets this one instead. */
static void offer(Incoming *in) {
    Incoming *taker, *instead;
    for (enter(in); (taker = first_waiting(in)); enter(in = instead)) {
        instead = taker->stage == TAKING ? taker->inbox->kept : NULL;
        unclaimed_take(taker);
        if (!instead)
            return;
    }
    recall_receives(in->inbox->small.MPI_SOURCE, in->inbox->small.MPI_TAG);
}

void unclaimed_add(Incoming *in) {
    while (in->stage == TAKING && !in->moving) { /* return what it has taken */
        Incoming *kept = in->inbox->kept;
        incoming_close(in);
        in = kept;
    }
    in->given_up = true;
    if (in->stage == POSTED)
        Py_CLEAR(in->refusal); /* about memory that no longer matters */
    if (in->stage != ARRIVED)
        incoming_list(in);
    unclaimed_settle(in);
    offer(in);
}

/* The message was refused and is gone: add the reason to the exception. */
static void tell_refusal(const Incoming *in, PyObject **class, PyObject **value, PyObject **trace) {
    PyErr_NormalizeException(class, value, trace);
    if (*value && *value != in->refusal)
        PyException_SetContext(*value, Py_NewRef(in->refusal));
}

void incoming_leave(Incoming *in) {
    PyObject *class, *value, *trace;
    PyErr_Fetch(&class, &value, &trace);
    if (!incoming_cancel(in)) {
        bool refused = in->refusal && in->stage != POSTED && in->stage != TAKING;
        if (refused && class)
            tell_refusal(in, &class, &value, &trace);
        if (refused || in->call.peer == NO_PEER)
            incoming_abandon(in);
        else
            unclaimed_add(in);
    }
    PyErr_Restore(class, value, trace);
}

int unclaimed_report(PyObject *sentences) {
    for (const Incoming *in = first_kept; in; in = in->later) {
        Call call = in->call;
        call.peer = in->inbox->small.MPI_SOURCE;
        call.tag = in->inbox->small.MPI_TAG;
        if (report_call(sentences, &call, "was given up, and its message was not received later") < 0)
            return -1;
    }
    return 0;
}

/* ---- taken ---- */

const MPI_Status *unclaimed_for(const Communicator *comm, const Call *call) {
    for (const Incoming *kept = first_kept; kept; kept = kept->later)
        if (fits(comm, call, kept))
            return &kept->inbox->small;
    return NULL;
}

bool unclaimed_take(Incoming *in) {
    Incoming *kept = first_kept;
    while (kept && !fits(in->comm, &in->call, kept))
        kept = kept->later;
    if (!kept)
        return false;
    leave(kept);
    if (in->probes)
        probing_end(in);
    in->stage = TAKING;
    in->inbox->kept = kept;
    in->inbox->small = kept->inbox->small;
    in->first = MPI_REQUEST_NULL;
    in->request_count = 0;
    kept->call = in->call; /* the one to report */
    return true;
}

bool unclaimed_take_instead(Incoming *in) {
    return unclaimed_for(in->comm, &in->call) && incoming_unpost(in) && unclaimed_take(in);
}

void unclaimed_adopt(Incoming *in) {
    Incoming *kept = in->inbox->kept;
    Inbox *inbox = in->inbox;
    unclaimed_settle(kept);
    in->inbox = kept->inbox;
    if (kept->requests != &kept->first)
        in->requests = kept->requests;
    kept->inbox = inbox;
    kept->requests = &kept->first;
    in->number = kept->number;
    if (!in->refusal) {
        in->refusal = kept->refusal;
        kept->refusal = NULL;
    }
    in->stage = ARRIVED;
    incoming_close(kept);
    if (in->array && incoming_examine_closely(in) < 0)
        keep_refusal(in);
    inbox = in->inbox;
    if (inbox->bytes && in->target && !inbox->part_count) /* not wanted as one: its memory is the only part */
        inbox->parts[inbox->part_count++] = (Arrived){
            .data = PyBytes_AS_STRING(inbox->bytes), .nbytes = PyBytes_GET_SIZE(inbox->bytes), .taken = true};
}
