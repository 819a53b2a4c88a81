#include "transfer/parts.h"

#include "base/errors.h"
#include "transfer/agreement.h"
#include "transfer/ended.h"

static Parts *started; /* guarded by the GIL */

static void list_started(Parts *parts) {
    parts->next = started;
    started = parts;
    parts->stage = BOTH_WAYS;
    parts->placed = 0;
}

static void unlist_started(Parts *parts) {
    Parts **link = &started;
    while (*link && *link != parts)
        link = &(*link)->next;
    if (*link)
        *link = parts->next;
    parts->stage = RESTING;
}

/* ---- making them ---- */

Parts *parts_new(Communicator *comm) {
    Parts *parts = PyMem_RawCalloc(1, sizeof *parts);
    if (parts)
        parts->comm = (Communicator *)Py_NewRef((PyObject *)comm);
    else
        PyErr_NoMemory();
    return parts;
}

static int check_overlap(const Parts *parts, const Channel *channel) {
    for (Py_ssize_t i = 0; i < parts->count; i++) {
        int overlap = channels_overlap(channel, parts->channels[i]);
        if (overlap < 0)
            return -1;
        if (overlap) {
            char text[CALL_TEXT];
            call_text(text, sizeof text, &parts->channels[i]->call);
            return raise_error("MismatchError", &channel->call,
                               "its memory overlaps with that of %s, and both travel at the same time; use "
                               "other memory, or two plans",
                               text);
        }
    }
    return 0;
}

int parts_add(Parts *parts, Channel *channel) {
    if (check_overlap(parts, channel) < 0)
        return -1;
    if (parts->count == parts->capacity) {
        Py_ssize_t capacity = 2 * parts->capacity + 4;
        Channel **more = PyMem_RawRealloc(parts->channels, (size_t)capacity * sizeof *more);
        if (!more) {
            PyErr_NoMemory();
            return -1;
        }
        parts->channels = more;
        parts->capacity = capacity;
    }
    parts->channels[parts->count++] = channel;
    return 0;
}

/* ---- giving back ---- */

/* Nothing of them is under way. May run Python code. */
static void free_all(Parts *parts) {
    for (Py_ssize_t i = 0; i < parts->count; i++)
        channel_free(parts->channels[i]);
    PyMem_RawFree(parts->channels);
    PyMem_RawFree(parts->requests);
    Py_DECREF(parts->comm);
    PyMem_RawFree(parts);
}

static void let_go(Parts *parts) {
    for (Py_ssize_t i = 0; i < parts->agreed && parts->stage != RESTING; i++)
        if (parts->channels[i]->call.sends && !(parts->waits && parts->stage == ONE_WAY))
            channel_let_go(parts->channels[i]);
}

/* Free what was dropped, where all has arrived. */
void parts_free_dropped(void) {
    for (Parts *parts = started, *next; parts && state.phase == RUNNING; parts = next) {
        next = parts->next;
        int complete = 0;
        if (!parts->dropped)
            continue;
        bool locked = enter_mpi();
        int code = test_any_number(parts->requests, parts->receiving, MPI_STATUSES_IGNORE, &complete);
        leave_mpi(locked);
        if (code != MPI_SUCCESS || !complete)
            continue;
        unlist_started(parts);
        free_all(parts);
        next = started; /* which may have run code that changed the list */
    }
}

/* Nobody will use them any more; what is under way goes on. */
void parts_drop(Parts *parts) {
    if (parts->stage == RESTING) {
        free_all(parts);
        return;
    }
    if (state.phase != RUNNING) /* MPI may still know of them */
        return;
    let_go(parts);
    parts->dropped = true;
    parts_free_dropped();
}

/* ---- agreement ---- */

/* A part that the partner has not agreed to. */
static const Call *open_part(const Parts *parts) {
    for (Py_ssize_t i = parts->agreed; i < parts->count; i++)
        if (parts->channels[i]->stage == ALONE || parts->channels[i]->stage == ASKING)
            return &parts->channels[i]->call;
    return NULL;
}

struct agreeing {
    Parts *parts;
    Watch watch; /* for partners that have ended */
};

/* Go on with it: 1 when nothing is open, 0, or -1. For wait_poll. */
static int agree_step(void *context) {
    struct agreeing *agreeing = context;
    Parts *parts = agreeing->parts;
    if (!is_usable(parts->comm) || agreement_take(parts->comm) < 0) /* another thread may free it */
        return -1;
    int done = 1;
    for (Py_ssize_t i = parts->agreed; i < parts->count; i++) {
        Channel *channel = parts->channels[i];
        if (!channel->call.sends && channel->stage == ALONE && agreement_answer(channel) < 0)
            return -1;
        done &= channel->stage == AGREED || channel->stage == UNFIT;
    }
    const Call *open = done ? NULL : open_part(parts);
    return open && watch_step(&agreeing->watch, open, now()) < 0 ? -1 : done;
}

/* Take out the parts that do not fit, and raise what is wrong with the first of them. */
static int take_out_failed(Parts *parts) {
    PyObject *refusal = NULL;
    Py_ssize_t kept = 0, count = parts->count;
    for (Py_ssize_t i = 0; i < count; i++) {
        Channel *channel = parts->channels[i];
        if (channel->stage != UNFIT) {
            parts->channels[kept++] = channel;
            continue;
        }
        if (!refusal)
            refusal = Py_XNewRef(channel->refusal);
        channel_free(channel);
    }
    parts->count = kept;
    if (refusal)
        PyErr_SetObject((PyObject *)Py_TYPE(refusal), refusal);
    Py_XDECREF(refusal);
    return kept == count ? 0 : -1;
}

/* Give all channels their requests, those that receive first. */
static int give_requests(Parts *parts) {
    int receiving = 0, sending = 0;
    for (Py_ssize_t i = 0; i < parts->count; i++)
        *(parts->channels[i]->call.sends ? &sending : &receiving) += parts->channels[i]->pieces;
    MPI_Request *requests = PyMem_RawMalloc((size_t)(receiving + sending + 1) * sizeof *requests);
    if (!requests) {
        PyErr_NoMemory();
        return -1;
    }
    MPI_Request *receive = requests, *send = requests + receiving;
    for (int i = 0; i < receiving + sending; i++)
        requests[i] = MPI_REQUEST_NULL;
    for (Py_ssize_t i = 0; i < parts->count; i++) {
        Channel *channel = parts->channels[i];
        MPI_Request **next = channel->call.sends ? &send : &receive;
        channel->requests = *next;
        *next += channel->pieces;
    }
    PyMem_RawFree(parts->requests);
    parts->requests = requests;
    parts->receiving = receiving;
    parts->sending = sending;
    parts->agreed = parts->count;
    return 0;
}

double seconds_of(double timeout) { return timeout == DEFAULT_TIMEOUT ? state.timeout : timeout; }

int parts_agree(Parts *parts, double timeout) {
    if (likely(parts->agreed == parts->count))
        return 0;
    const Call call = {.operation = "plan.agree", .rank = parts->comm->rank, .peer = NO_PEER, .tag = NO_TAG};
    for (Py_ssize_t i = parts->agreed; i < parts->count; i++) {
        Channel *channel = parts->channels[i];
        if (channel->call.sends && channel->stage == ALONE && agreement_offer(channel) < 0)
            return -1;
    }
    struct agreeing agreeing = {.parts = parts, .watch = watch_begin(now(), seconds_of(timeout))};
    if (wait_poll(agree_step, &agreeing, &call, timeout) < 0) {
        const Call *open = open_part(parts);
        if (!open || !is_timeout())
            return -1;
        const Call part = *open; /* raising runs Python code */
        PyErr_Clear();
        return raise_timeout_since(&part, seconds_of(timeout),
                                   part.sends
                                       ? "it has not agreed to it; start a plan there that receives this"
                                       : "it has not agreed to it; start a plan there that sends this");
    }
    return take_out_failed(parts) < 0 ? -1 : give_requests(parts);
}

/* ---- each time ---- */

int parts_start(Parts *parts) {
    list_started(parts);
    for (int sends = 0; sends <= 1; sends++)
        for (Py_ssize_t i = 0; i < parts->count; i++)
            if (parts->channels[i]->call.sends == sends && channel_start(parts->channels[i]) < 0)
                return -1;
    return 0;
}

/* A part that is not complete; of the requests of parts that are, none is left. NULL: all are. */
static const Call *incomplete_part(Parts *parts, bool sends) {
    for (Py_ssize_t i = 0; i < parts->agreed; i++) {
        Channel *channel = parts->channels[i];
        for (int piece = 0; channel->call.sends == sends && piece < channel->pieces; piece++) {
            int complete = 0;
            bool locked = enter_mpi();
            int code = MPI_Test(&channel->requests[piece], &complete, MPI_STATUS_IGNORE);
            leave_mpi(locked);
            if (code != MPI_SUCCESS || !complete)
                return &channel->call;
        }
    }
    return NULL;
}

/* A time-out names a part that is not complete. 0: all are, meanwhile. */
static int name_incomplete(Parts *parts, bool sends, double timeout) {
    const Call *open = incomplete_part(parts, sends);
    PyErr_Clear();
    if (!open)
        return 0;
    const Call call = *open;
    const char *ended = explain_ended(&call);
    return raise_timeout_since(&call, seconds_of(timeout),
                               ended   ? ended
                               : sends ? "it did not receive"
                                       : "it has not started its plan again");
}

/* Put what has come in its place, part by part, while the next one is on its way. 1: all; 0: a part did not
 * come as long as a wait spins; -1 exception. */
static int place_what_comes(Parts *parts) {
    double end = 0;
    for (; parts->placed < parts->count; parts->placed++) {
        const Channel *channel = parts->channels[parts->placed];
        if (channel->call.sends)
            continue;
        int complete = wait_spin(channel->requests, channel->pieces, MPI_STATUSES_IGNORE, &channel->call,
                                 parts->receiving, &end);
        if (unlikely(complete <= 0))
            return complete;
        channel_unpack(channel);
    }
    return 1;
}

/* How long all parts are waited for before those that are not complete are looked at by themselves. */
#define ALL_SECONDS 0.1

/* Wait for the parts of one direction. A time-out, and a partner that has ended, name one that is not
 * complete. */
static int wait_for_parts(Parts *parts, bool sends, const Call *call, double timeout) {
    MPI_Request *requests = parts->requests + (sends ? parts->receiving : 0);
    const int count = sends ? parts->sending : parts->receiving;
    const double limit = seconds_of(timeout), began = now();
    Watch watch = watch_begin(began, limit);
    for (;;) {
        double left = limit > 0 ? began + limit - now() : ALL_SECONDS;
        if (wait_without_gil(requests, count, MPI_STATUSES_IGNORE, call,
                             left <= 0            ? 1e-6
                             : left < ALL_SECONDS ? left
                                                  : ALL_SECONDS) == 0)
            return 0;
        if (!is_timeout())
            return -1;
        if (limit > 0 && now() >= began + limit)
            return name_incomplete(parts, sends, timeout);
        PyErr_Clear();
        const Call *open = incomplete_part(parts, sends);
        if (open && watch_step(&watch, open, now()) < 0)
            return -1;
    }
}

static int finish_receiving(Parts *parts, double timeout) {
    int complete = place_what_comes(parts);
    if (likely(complete != 0))
        return complete < 0 ? -1 : 0;
    const Call call = {.operation = "plan", .rank = parts->comm->rank, .peer = NO_PEER, .tag = NO_TAG};
    if (wait_for_parts(parts, false, &call, timeout) < 0)
        return -1;
    return place_what_comes(parts) < 0 ? -1 : 0;
}

static int finish_sending(Parts *parts, double timeout) {
    if (parts->sending == 0)
        return 0;
    Py_ssize_t first = 0; /* which the end of the program names, where it waits for what is sent */
    while (!parts->channels[first]->call.sends)
        first++;
    const Call call = parts->channels[first]->call;
    double end = 0;
    MPI_Request *requests = parts->requests + parts->receiving;
    int complete = wait_spin(requests, parts->sending, MPI_STATUSES_IGNORE, &call, parts->sending, &end);
    if (likely(complete != 0))
        return complete < 0 ? -1 : 0;
    return wait_for_parts(parts, true, &call, timeout);
}

int parts_finish(Parts *parts, double timeout) {
    parts->waits = true;
    int failed = parts->stage == BOTH_WAYS ? finish_receiving(parts, timeout) : 0;
    if (likely(!failed)) {
        parts->stage = ONE_WAY;
        failed = finish_sending(parts, timeout);
    }
    parts->waits = false;
    if (likely(!failed))
        unlist_started(parts);
    return failed;
}

int parts_test(Parts *parts) {
    const Call call = {.operation = "plan.test", .rank = parts->comm->rank, .peer = NO_PEER, .tag = NO_TAG};
    return test_requests(parts->requests, parts->receiving + parts->sending, MPI_STATUSES_IGNORE, &call);
}

/* ---- the end ---- */

bool parts_under_way(const Communicator *comm) {
    parts_free_dropped();
    for (const Parts *parts = started; parts; parts = parts->next)
        if (parts->comm == comm)
            return true;
    return false;
}

void parts_let_go(void) {
    parts_free_dropped();
    for (Parts *parts = started; parts; parts = parts->next)
        let_go(parts);
}

int parts_report(PyObject *sentences) {
    parts_free_dropped();
    for (Parts *parts = started; parts; parts = parts->next) {
        const Call *open = parts->waits || state.phase != RUNNING ? NULL : incomplete_part(parts, false);
        char text[CALL_TEXT] = "";
        if (open)
            call_text(text, sizeof text, open);
        PyObject *sentence = PyUnicode_FromFormat("plan.start() was never finished%s%s%s", open ? ": " : "",
                                                  text, open ? " got no data" : "");
        int failed = sentence ? PyList_Append(sentences, sentence) : -1;
        Py_XDECREF(sentence);
        if (failed)
            return -1;
    }
    return 0;
}

void parts_withdraw(void) {
    for (Parts *parts = started; parts; parts = parts->next)
        for (Py_ssize_t i = 0; i < parts->agreed; i++)
            if (!parts->channels[i]->call.sends && !parts->waits)
                channel_withdraw(parts->channels[i]);
}
