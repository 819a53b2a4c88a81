#include "transfer/plan/channel_handshake.h"

#include <stdlib.h>

#include "base/errors.h"
#include "base/list.h"

/* An offer that no channel has taken. */
typedef struct Offered {
    struct Offered *next;
    int source;
    struct offer offer;
    char form[];
} Offered;

struct Agreements {
    Offered *offers; /* in the order of their arrival */
    Channel *senders;
    uint32_t tags; /* that were chosen so far */
    char *message; /* that is being received; NULL: none */
    int nbytes, source;
    MPI_Request request;
};

static struct Agreements *agreements_of(Communicator *comm) {
    if (!comm->agreements && !(comm->agreements = PyMem_RawCalloc(1, sizeof *comm->agreements)))
        PyErr_NoMemory();
    return comm->agreements;
}

/* ---- out ---- */

/* An offer or answer that may be in flight. */
typedef struct Said {
    struct Said *next;
    MPI_Request request;
    char message[];
} Said;

static Said *said;

static void forget_what_was_heard(void) {
    for (Said **link = &said; *link;) {
        Said *one = *link;
        int complete = 0;
        if (locked_test(&one->request, 1, MPI_STATUSES_IGNORE, &complete) == MPI_SUCCESS && !complete) {
            link = &one->next;
            continue;
        }
        *link = one->next;
        PyMem_RawFree(one);
    }
}

static int say(const Channel *channel, enum offer_step step, const char *behind, Py_ssize_t nbytes) {
    forget_what_was_heard();
    Said *one = PyMem_RawMalloc(sizeof *one + OFFER_FORM + (size_t)nbytes);
    if (!one)
        return no_memory();
    wire_put_offer(one->message, step, channel->tag, channel->call.tag, nbytes);
    if (nbytes)
        memcpy(one->message + OFFER_FORM, behind, (size_t)nbytes);
    if (checked_isend(one->message, OFFER_FORM + (int)nbytes, MPI_BYTE, channel->call.peer, agreement_tag(),
                      channel->comm->shadow, &one->request, &channel->call) < 0) {
        PyMem_RawFree(one);
        return -1;
    }
    LIST_PUSH(said, one);
    return 0;
}

/* ---- the sender ---- */

static bool is_taken(const struct Agreements *agreements, int tag) {
    for (const Channel *channel = agreements->senders; channel; channel = channel->next)
        if (channel->tag == tag)
            return true;
    return false;
}

static int choose_tag(struct Agreements *agreements, Channel *channel) {
    for (uint32_t tries = 0; tries < channel_tags(); tries++) {
        bool first_round = agreements->tags < channel_tags();
        int tag = channel_tag(agreements->tags++);
        if (agreements->tags >= 2 * channel_tags())
            agreements->tags -= channel_tags();
        if (first_round || !is_taken(agreements, tag)) {
            channel->tag = tag;
            return 0;
        }
    }
    return raise_error("Error", &channel->call,
                       "plans on this communicator have %u parts that send, and there is no tag for more; "
                       "free some, or use comm.dup()",
                       channel_tags());
}

/* Whether the elements follow one another in Fortran order. */
static bool is_fortran(const Layout *layout) {
    Py_ssize_t step = layout->itemsize;
    for (int axis = 0; axis < layout->ndim; axis++) {
        if (layout->shape[axis] != 1 && layout->strides[axis] != step)
            return false;
        step *= layout->shape[axis];
    }
    return !layout->contiguous;
}

int handshake_offer(Channel *channel) {
    struct Agreements *agreements = agreements_of(channel->comm);
    PyObject *form = agreements ? target_form(&channel->memory, is_fortran(&channel->memory.layout)) : NULL;
    if (!form || choose_tag(agreements, channel) < 0 ||
        say(channel, OFFER_MADE, PyBytes_AS_STRING(form), PyBytes_GET_SIZE(form)) < 0) {
        Py_XDECREF(form);
        return -1;
    }
    Py_DECREF(form);
    LIST_PUSH(agreements->senders, channel);
    channel->stage = ASKING;
    return 0;
}

void handshake_forget(Channel *channel) {
    struct Agreements *agreements = channel->comm->agreements;
    if (agreements)
        LIST_REMOVE(agreements->senders, channel);
    if (channel->stage != ASKING || state.phase != RUNNING || !channel->comm->size)
        return;
    PyObject *exception = take_exception();
    if (say(channel, OFFER_WITHDRAWN, NULL, 0) < 0)
        PyErr_WriteUnraisable((PyObject *)channel->comm);
    restore_exception(exception);
}

/* The channel that waits for this answer; NULL: it was freed meanwhile. */
static Channel *find_asking(const struct Agreements *agreements, int source, const struct offer *answer) {
    Channel *channel = agreements->senders;
    while (channel && !(channel->stage == ASKING && channel->call.peer == source &&
                        (uint32_t)channel->tag == answer->channel))
        channel = channel->next;
    return channel;
}

/* The receiver refuses an offer: keep the reason. */
static int take_refusal(const struct Agreements *agreements, int source, const struct offer *answer,
                        const char *sentence) {
    const Call call = find_asking(agreements, source, answer)->call;
    PyObject *text = PyUnicode_DecodeUTF8(sentence, answer->nbytes, "replace");
    if (!text)
        return -1;
    raise_error("MismatchError", &call, "refused by %U", text);
    Py_DECREF(text);
    PyObject *refusal = take_exception();
    Channel *channel = find_asking(agreements, source, answer); /* Python code has run */
    if (!channel) {
        Py_XDECREF(refusal);
        return 0;
    }
    channel->refusal = refusal;
    channel->stage = UNFIT;
    return 0;
}

static int take_answer(const struct Agreements *agreements, int source, const struct offer *answer,
                       const char *behind) {
    Channel *channel = find_asking(agreements, source, answer);
    if (!channel)
        return 0;
    if (answer->step == OFFER_REFUSED)
        return take_refusal(agreements, source, answer, behind);
    channel->layout = channel->memory.layout;
    if (answer->step == OFFER_ACCEPTED)
        channel->layout.contiguous |= is_fortran(&channel->layout); /* in the order of memory */
    channel->stage = AGREED;
    return channel_prepare(channel);
}

/* ---- the receiver ---- */

static int keep_offer(struct Agreements *agreements, int source, const struct offer *offer,
                      const char *form) {
    Offered *offered = PyMem_RawMalloc(sizeof *offered + offer->nbytes);
    if (!offered)
        return no_memory();
    *offered = (Offered){.source = source, .offer = *offer};
    memcpy(offered->form, form, offer->nbytes);
    LIST_APPEND(agreements->offers, offered);
    return 0;
}

static void drop_offer(struct Agreements *agreements, int source, uint32_t tag) {
    PyMem_RawFree(
        LIST_TAKE(agreements->offers, offered, offered->source == source && offered->offer.channel == tag));
}

/* Answer that the offer doesn't fit, with the current exception as the reason, and keep that. */
static int refuse(Channel *channel) {
    channel->refusal = take_exception();
    channel->stage = UNFIT;
    PyObject *sentence = channel->refusal ? PyObject_Str(channel->refusal) : NULL;
    Py_ssize_t nbytes = 0;
    const char *text = sentence ? PyUnicode_AsUTF8AndSize(sentence, &nbytes) : NULL;
    int failed = text ? say(channel, OFFER_REFUSED, text, nbytes) : -1;
    Py_XDECREF(sentence);
    return failed;
}

/* Compare what is offered with the memory of the channel. */
static int compare(Channel *channel, const Offered *offered) {
    const Call *call = &channel->call;
    Elements elements = {.dtype = NULL};
    channel->tag = (int)offered->offer.channel;
    int kind = array_elements(offered->form, offered->offer.nbytes, &elements);
    if (kind == 0)
        raise_error("Error", call, "a damaged message came; do all ranks run the same polympi?");
    if (kind <= 0 || target_matches(&channel->memory, &elements, call) < 0) {
        Py_XDECREF(elements.dtype);
        return refuse(channel);
    }
    bool as_offered = target_in_order(&channel->memory, &elements, &channel->layout);
    if (!as_offered)
        channel->layout = channel->memory.layout;
    Py_XDECREF(elements.dtype);
    if (channel_prepare(channel) < 0)
        return refuse(channel);
    channel->stage = AGREED;
    return say(channel, as_offered ? OFFER_ACCEPTED : OFFER_ACCEPTED_IN_C_ORDER, NULL, 0);
}

int handshake_answer(Channel *channel) {
    struct Agreements *agreements = agreements_of(channel->comm);
    if (!agreements)
        return -1;
    const Call *call = &channel->call;
    Offered *taken =
        LIST_TAKE(agreements->offers, offered, /* before Python code may run, which describes types */
                  offered->source == call->peer && offered->offer.tag == (uint32_t)call->tag);
    if (!taken)
        return 0;
    int failed = compare(channel, taken);
    PyMem_RawFree(taken);
    return failed;
}

/* ---- in ---- */

/* Begin to receive the next message, if there is one. */
static int begin_next(Communicator *comm, struct Agreements *agreements, int *found) {
    MPI_Status status;
    if (checked_iprobe(MPI_ANY_SOURCE, agreement_tag(), comm->shadow, found, &status, NULL) < 0)
        return -1;
    if (!*found)
        return 0;
    if (check_code(MPI_Get_count(&status, MPI_BYTE, &agreements->nbytes), NULL) < 0)
        return -1;
    char *message = PyMem_RawMalloc((size_t)agreements->nbytes + 1);
    if (!message)
        return no_memory();
    agreements->source = status.MPI_SOURCE;
    if (checked_irecv(message, agreements->nbytes, MPI_BYTE, status.MPI_SOURCE, agreement_tag(), comm->shadow,
                      &agreements->request, NULL) < 0) {
        PyMem_RawFree(message);
        return -1;
    }
    agreements->message = message;
    return 0;
}

static int take_message(struct Agreements *agreements, const char *message) {
    struct offer offer;
    const char *behind = message + OFFER_FORM;
    if (!wire_get_offer(message, agreements->nbytes, &offer))
        return raise_error("Error", NULL, "a damaged message came; do all ranks run the same polympi?");
    if (offer.step == OFFER_MADE)
        return keep_offer(agreements, agreements->source, &offer, behind);
    if (offer.step == OFFER_WITHDRAWN) {
        drop_offer(agreements, agreements->source, offer.channel);
        return 0;
    }
    return take_answer(agreements, agreements->source, &offer, behind);
}

int handshake_take(Communicator *comm) {
    struct Agreements *agreements = agreements_of(comm);
    if (!agreements)
        return -1;
    forget_what_was_heard();
    for (;;) {
        int found = 1, complete = 0;
        if (!agreements->message && begin_next(comm, agreements, &found) < 0)
            return -1;
        if (!found)
            return 0;
        int code = locked_test(&agreements->request, 1, MPI_STATUSES_IGNORE, &complete);
        if (code == MPI_SUCCESS && !complete)
            return 0;
        char *message = agreements->message;
        agreements->message = NULL;
        int failed = code == MPI_SUCCESS ? take_message(agreements, message) : raise_mpi(code, NULL);
        PyMem_RawFree(message);
        if (failed)
            return -1;
    }
}

void handshakes_close(Communicator *comm) {
    struct Agreements *agreements = comm->agreements;
    if (!agreements)
        return;
    while (agreements->offers)
        PyMem_RawFree(LIST_TAKE(agreements->offers, first, true));
    comm->agreements = NULL;
    if (!agreements->message) /* else MPI may still write there */
        PyMem_RawFree(agreements);
}
