#include "transfer/plan/plan_transfers.h"

#include "base/errors.h"
#include "base/list.h"
#include "transfer/plan/channel_handshake.h"
#include "transfer/progress/ended.h"

static PlanTransfers *started; /* guarded by the GIL */

static void list_started(PlanTransfers *transfers) {
    LIST_PUSH(started, transfers);
    transfers->stage = BOTH_WAYS;
    transfers->placed = 0;
}

static void unlist_started(PlanTransfers *transfers) {
    LIST_REMOVE(started, transfers);
    transfers->stage = RESTING;
}

/* ---- making them ---- */

PlanTransfers *plan_transfers_new(Communicator *comm) {
    PlanTransfers *transfers = PyMem_RawCalloc(1, sizeof *transfers);
    if (transfers)
        transfers->comm = (Communicator *)Py_NewRef((PyObject *)comm);
    else
        PyErr_NoMemory();
    return transfers;
}

int plan_transfers_check(const PlanTransfers *transfers, const Target *memory, const Call *call) {
    for (Py_ssize_t i = 0; i < transfers->count; i++)
        if (check_apart(memory, call, &transfers->channels[i]->memory, &transfers->channels[i]->call) < 0)
            return -1;
    return 0;
}

int plan_transfers_add(PlanTransfers *transfers, Channel *channel) {
    if (plan_transfers_check(transfers, &channel->memory, &channel->call) < 0)
        return -1;
    if (transfers->count == transfers->capacity) {
        Py_ssize_t capacity = 2 * transfers->capacity + 4;
        Channel **more = PyMem_RawRealloc(transfers->channels, (size_t)capacity * sizeof *more);
        if (!more)
            return no_memory();
        transfers->channels = more;
        transfers->capacity = capacity;
    }
    transfers->channels[transfers->count++] = channel;
    return 0;
}

/* ---- giving back ---- */

/* Nothing of them is in flight. May run Python code. */
static void free_all(PlanTransfers *transfers) {
    for (Py_ssize_t i = 0; i < transfers->count; i++)
        channel_free(transfers->channels[i]);
    PyMem_RawFree(transfers->channels);
    PyMem_RawFree(transfers->requests);
    Py_DECREF(transfers->comm);
    PyMem_RawFree(transfers);
}

static void let_go(PlanTransfers *transfers) {
    for (Py_ssize_t i = 0; i < transfers->agreed && transfers->stage != RESTING; i++)
        if (transfers->channels[i]->call.sends && !(transfers->waits && transfers->stage == ONE_WAY))
            channel_let_go(transfers->channels[i]);
}

/* Free what was dropped, where all has arrived. */
void plan_transfers_free_dropped(void) {
    for (PlanTransfers *transfers = started, *next; transfers && state.phase == RUNNING; transfers = next) {
        next = transfers->next;
        int complete = 0;
        if (!transfers->dropped)
            continue;
        int code = locked_test(transfers->requests, transfers->receiving, MPI_STATUSES_IGNORE, &complete);
        if (code != MPI_SUCCESS || !complete)
            continue;
        unlist_started(transfers);
        free_all(transfers);
        next = started; /* which may have run code that changed the list */
    }
}

void plan_transfers_drop(PlanTransfers *transfers) {
    if (transfers->stage == RESTING) {
        free_all(transfers);
        return;
    }
    if (state.phase != RUNNING) /* MPI may still know of them */
        return;
    let_go(transfers);
    transfers->dropped = true;
    plan_transfers_free_dropped();
}

/* ---- agreement ---- */

/* A part that the partner has not agreed to. */
static const Call *open_part(const PlanTransfers *transfers) {
    for (Py_ssize_t i = transfers->agreed; i < transfers->count; i++)
        if (transfers->channels[i]->stage == ALONE || transfers->channels[i]->stage == ASKING)
            return &transfers->channels[i]->call;
    return NULL;
}

struct agreeing {
    PlanTransfers *transfers;
    Watch watch; /* for partners that have ended */
};

/* Go on with it: DONE when nothing is open. */
static enum step agree_step(void *context) {
    struct agreeing *agreeing = context;
    PlanTransfers *transfers = agreeing->transfers;
    if (!is_usable(transfers->comm) || handshake_take(transfers->comm) < 0) /* another thread may free it */
        return FAILED;
    bool done = true;
    for (Py_ssize_t i = transfers->agreed; i < transfers->count; i++) {
        Channel *channel = transfers->channels[i];
        if (!channel->call.sends && channel->stage == ALONE && handshake_answer(channel) < 0)
            return FAILED;
        done &= channel->stage == AGREED || channel->stage == UNFIT;
    }
    const Call *open = done ? NULL : open_part(transfers);
    return open && watch_step(&agreeing->watch, open, now()) < 0 ? FAILED : done;
}

/* Remove the parts that don't fit, and raise the error of the first. */
static int take_out_failed(PlanTransfers *transfers) {
    PyObject *refusal = NULL;
    Py_ssize_t kept = 0, count = transfers->count;
    for (Py_ssize_t i = 0; i < count; i++) {
        Channel *channel = transfers->channels[i];
        if (channel->stage != UNFIT) {
            transfers->channels[kept++] = channel;
            continue;
        }
        if (!refusal)
            refusal = Py_XNewRef(channel->refusal);
        channel_free(channel);
    }
    transfers->count = kept;
    restore_exception(refusal);
    return kept == count ? 0 : -1;
}

/* Give all channels their requests, those that receive first. */
static int give_requests(PlanTransfers *transfers) {
    int receiving = 0, sending = 0;
    for (Py_ssize_t i = 0; i < transfers->count; i++)
        *(transfers->channels[i]->call.sends ? &sending : &receiving) += transfers->channels[i]->pieces;
    MPI_Request *requests = PyMem_RawMalloc((size_t)(receiving + sending + 1) * sizeof *requests);
    if (!requests)
        return no_memory();
    MPI_Request *receive = requests, *send = requests + receiving;
    for (int i = 0; i < receiving + sending; i++)
        requests[i] = MPI_REQUEST_NULL;
    for (Py_ssize_t i = 0; i < transfers->count; i++) {
        Channel *channel = transfers->channels[i];
        MPI_Request **next = channel->call.sends ? &send : &receive;
        channel->requests = *next;
        *next += channel->pieces;
    }
    PyMem_RawFree(transfers->requests);
    transfers->requests = requests;
    transfers->receiving = receiving;
    transfers->sending = sending;
    transfers->agreed = transfers->count;
    return 0;
}

double seconds_of(double timeout) { return timeout == DEFAULT_TIMEOUT ? state.timeout : timeout; }

int plan_transfers_agree(PlanTransfers *transfers, double timeout) {
    if (likely(transfers->agreed == transfers->count))
        return 0;
    const Call call = {
        .operation = "plan.agree", .rank = transfers->comm->rank, .peer = NO_PEER, .tag = NO_TAG};
    for (Py_ssize_t i = transfers->agreed; i < transfers->count; i++) {
        Channel *channel = transfers->channels[i];
        if (channel->call.sends && channel->stage == ALONE && handshake_offer(channel) < 0)
            return -1;
    }
    struct agreeing agreeing = {.transfers = transfers, .watch = watch_begin(now(), seconds_of(timeout))};
    if (wait_poll(agree_step, &agreeing, &call, timeout) < 0) {
        const Call *open = open_part(transfers);
        if (!open || !is_timeout())
            return -1;
        const Call part = *open; /* raising runs Python code */
        PyErr_Clear();
        return raise_timeout_since(&part, seconds_of(timeout),
                                   part.sends
                                       ? "it has not agreed to it; start a plan there that receives this"
                                       : "it has not agreed to it; start a plan there that sends this");
    }
    return take_out_failed(transfers) < 0 ? -1 : give_requests(transfers);
}

/* ---- each time ---- */

int plan_transfers_start(PlanTransfers *transfers) {
    list_started(transfers);
    for (int sends = 0; sends <= 1; sends++)
        for (Py_ssize_t i = 0; i < transfers->count; i++)
            if (transfers->channels[i]->call.sends == sends && channel_start(transfers->channels[i]) < 0)
                return -1;
    return 0;
}

/* A part that is not complete; NULL: all are. Frees the requests of those that are. */
static const Call *incomplete_part(PlanTransfers *transfers, bool sends) {
    for (Py_ssize_t i = 0; i < transfers->agreed; i++) {
        Channel *channel = transfers->channels[i];
        for (int piece = 0; channel->call.sends == sends && piece < channel->pieces; piece++) {
            int complete = 0;
            int code = locked_test(&channel->requests[piece], 1, MPI_STATUSES_IGNORE, &complete);
            if (code != MPI_SUCCESS || !complete)
                return &channel->call;
        }
    }
    return NULL;
}

/* A time-out names a part that is not complete. 0: all are, meanwhile. */
static int name_incomplete(PlanTransfers *transfers, bool sends, double timeout) {
    const Call *open = incomplete_part(transfers, sends);
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

/* Unpack parts as they arrive, while the next one is in flight. PENDING: one didn't arrive while spinning. */
static enum step place_what_comes(PlanTransfers *transfers) {
    double end = 0;
    for (; transfers->placed < transfers->count; transfers->placed++) {
        const Channel *channel = transfers->channels[transfers->placed];
        if (channel->call.sends)
            continue;
        enum step complete = wait_spin(channel->requests, channel->pieces, MPI_STATUSES_IGNORE,
                                       &channel->call, transfers->receiving, &end);
        if (unlikely(complete <= PENDING))
            return complete;
        channel_unpack(channel);
    }
    return DONE;
}

/* How long to wait for all parts together before looking for one that is not complete. */
#define ALL_SECONDS 0.1

/* Wait for the parts of one direction. A time-out, and a partner that has ended, name one that is not
 * complete. */
static int wait_for_parts(PlanTransfers *transfers, bool sends, const Call *call, double timeout) {
    MPI_Request *requests = transfers->requests + (sends ? transfers->receiving : 0);
    const int count = sends ? transfers->sending : transfers->receiving;
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
            return name_incomplete(transfers, sends, timeout);
        PyErr_Clear();
        const Call *open = incomplete_part(transfers, sends);
        if (open && watch_step(&watch, open, now()) < 0)
            return -1;
    }
}

static int finish_receiving(PlanTransfers *transfers, double timeout) {
    enum step complete = place_what_comes(transfers);
    if (likely(complete != PENDING))
        return complete < PENDING ? -1 : 0;
    const Call call = {.operation = "plan", .rank = transfers->comm->rank, .peer = NO_PEER, .tag = NO_TAG};
    if (wait_for_parts(transfers, false, &call, timeout) < 0)
        return -1;
    return place_what_comes(transfers) == FAILED ? -1 : 0;
}

static int finish_sending(PlanTransfers *transfers, double timeout) {
    if (transfers->sending == 0)
        return 0;
    Py_ssize_t first = 0; /* which the end of the program names, where it waits for what is sent */
    while (!transfers->channels[first]->call.sends)
        first++;
    const Call call = transfers->channels[first]->call;
    double end = 0;
    MPI_Request *requests = transfers->requests + transfers->receiving;
    enum step complete =
        wait_spin(requests, transfers->sending, MPI_STATUSES_IGNORE, &call, transfers->sending, &end);
    if (likely(complete != PENDING))
        return complete < PENDING ? -1 : 0;
    return wait_for_parts(transfers, true, &call, timeout);
}

int plan_transfers_finish(PlanTransfers *transfers, double timeout) {
    transfers->waits = true;
    int failed = transfers->stage == BOTH_WAYS ? finish_receiving(transfers, timeout) : 0;
    if (likely(!failed)) {
        transfers->stage = ONE_WAY;
        failed = finish_sending(transfers, timeout);
    }
    transfers->waits = false;
    if (likely(!failed))
        unlist_started(transfers);
    return failed;
}

enum step plan_transfers_test(PlanTransfers *transfers) {
    const Call call = {
        .operation = "plan.test", .rank = transfers->comm->rank, .peer = NO_PEER, .tag = NO_TAG};
    return test_requests(transfers->requests, transfers->receiving + transfers->sending, MPI_STATUSES_IGNORE,
                         &call);
}

/* ---- the end ---- */

bool plan_transfers_under_way(const Communicator *comm) {
    plan_transfers_free_dropped();
    for (const PlanTransfers *transfers = started; transfers; transfers = transfers->next)
        if (transfers->comm == comm)
            return true;
    return false;
}

void plan_transfers_let_go(void) {
    plan_transfers_free_dropped();
    for (PlanTransfers *transfers = started; transfers; transfers = transfers->next)
        let_go(transfers);
}

int plan_transfers_report(PyObject *sentences) {
    plan_transfers_free_dropped();
    for (PlanTransfers *transfers = started; transfers; transfers = transfers->next) {
        const Call *open =
            transfers->waits || state.phase != RUNNING ? NULL : incomplete_part(transfers, false);
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

void plan_transfers_withdraw(void) {
    for (PlanTransfers *transfers = started; transfers; transfers = transfers->next)
        for (Py_ssize_t i = 0; i < transfers->agreed; i++)
            if (!transfers->channels[i]->call.sends && !transfers->waits)
                channel_withdraw(transfers->channels[i]);
}
