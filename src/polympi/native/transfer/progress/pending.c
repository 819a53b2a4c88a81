/* Receives and sends that no call is waiting for at the moment: every wait makes progress on them. */
#include "base/errors.h"
#include "base/list.h"
#include "transfer/progress/progress_list.h"
#include "transfer/receive/incoming.h"
#include "transfer/receive/unclaimed_messages.h"
#include "transfer/send/sending.h"

static Incoming *pending; /* posted and not arrived, or abandoned; the newest first */
static Incoming *oldest;

void incoming_list(Incoming *in) {
    if (in->listed)
        return;
    DEQUE_ADD(pending, oldest, in, next, previous);
    in->listed = true;
}

/* Where calls of `progress` are in the list. There may be several, since a step may run Python code, in which
 * other threads, or a destructor, wait for something, too. The last one is for `progress_some`, which
 * continues where its previous call stopped. */
struct cursor {
    Incoming *in;
    struct cursor *next; /* the outer one */
};
static struct cursor round_robin;
static struct cursor *cursors = &round_robin;

void incoming_unlist(Incoming *in) {
    if (!in->listed)
        return;
    for (struct cursor *cursor = cursors; cursor; cursor = cursor->next)
        if (cursor->in == in)
            cursor->in = in->previous;
    DEQUE_REMOVE(pending, oldest, in, next, previous);
    in->listed = false;
}

static bool has_taken_later(const Incoming *in, const Incoming *kept) {
    return in->stage == TAKING && in->inbox->kept->number > kept->number && !in->waited_for && !in->moving;
}

Incoming *first_waiting(const Incoming *kept) {
    const int source = kept->inbox->small.MPI_SOURCE, tag = kept->inbox->small.MPI_TAG;
    for (Incoming *in = oldest; in; in = in->previous)
        if (in->comm == kept->comm && takes(&in->call, source, tag) &&
            (incoming_unpost(in) || has_taken_later(in, kept)))
            return in;
    return NULL;
}

void incoming_abandon(Incoming *in) {
    in->abandoned = true;
    incoming_list(in);
}

bool anything_pending(void) { return pending || oldest_item || sends_abandoned(); }

/* Make progress on receives, from `first` on, until `most` had nothing new; returns the next one. In the
 * order in which they began, which is that of the messages of one sender. */
static Incoming *receives_progress(Incoming *first, Py_ssize_t most) {
    struct cursor cursor = {.in = first, .next = cursors};
    cursors = &cursor;
    while (cursor.in && most > 0 && state.phase == RUNNING) { /* a step may run Python code */
        Incoming *in = cursor.in;
        enum stage before = in->stage;
        cursor.in = in->previous;
        if (!incoming_test(in)) {
            most -= in->stage == before;
            continue;
        }
        if (in->abandoned) {
            incoming_close(in);
            incoming_trim();
        } else {
            incoming_unlist(in);
            if (in->given_up)
                unclaimed_settle(in);
        }
    }
    LIST_REMOVE(cursors, &cursor);
    return cursor.in;
}

void progress(void) {
    PyObject *class, *value, *trace;
    PyErr_Fetch(&class, &value, &trace);
    receives_progress(oldest, PY_SSIZE_T_MAX);
    progress_list_step();
    orphans_progress(PY_SSIZE_T_MAX);
    PyErr_Restore(class, value, trace);
}

/* How many of each a wait may test in vain between its own tests; a test takes 40 to 100 ns. */
enum { FEW = 16 };

bool library_call_under_way;

void progress_some(void) {
    PyObject *class, *value, *trace;
    PyErr_Fetch(&class, &value, &trace);
    round_robin.in = receives_progress(round_robin.in ? round_robin.in : oldest, FEW);
    library_call_under_way = false;
    progress_list_step();
    orphans_progress(FEW);
    PyErr_Restore(class, value, trace);
}

/* There may be 100,000 receives; those with data are mostly old. */
enum { MOST_LOOKED_AT = 64 };

bool receives_arriving(void) {
    for (const Incoming *in = pending; in; in = in->next)
        if (in->stage != POSTED)
            return true;
    return false;
}

enum others others_under_way(void) {
    int most = MOST_LOOKED_AT;
    if (library_call_under_way)
        return OTHER_LIBRARY_CALL;
    for (const Incoming *in = pending; in && most-- > 0; in = in->next)
        if (in->stage != POSTED)
            return OTHER_DATA;
    return sends_abandoned() ? OTHER_DATA : NO_OTHERS;
}

Py_ssize_t receive_steps_left(void) {
    Py_ssize_t left = 0;
    for (const Incoming *in = pending; in; in = in->next)
        left += in->stage == POSTED ? 2 : 1;
    return left;
}

const Call *receive_under_way(const Communicator *comm) {
    for (const Incoming *in = pending; in; in = in->next)
        if (in->comm == comm && !in->abandoned && !in->given_up)
            return &in->call;
    return NULL;
}

enum step give_up_abandoned(void *communicator) {
    enum step left = DONE;
    for (Incoming *in = pending, *next; in; in = next) {
        next = in->next;
        if (in->comm != communicator || !(in->abandoned || in->given_up))
            continue;
        if (incoming_cancel(in))
            next = pending; /* dropping its target may have changed the list */
        else
            left = PENDING;
    }
    return left;
}

int report_call(PyObject *sentences, const Call *call, const char *fate) {
    char rank[RANK_TEXT];
    bool other = call->rank != state.world_rank; /* than in the world, whose rank the line begins with */
    PyObject *text = describe_call(call);
    PyObject *sentence = text ? PyUnicode_FromFormat("%U%s%s %s", text, other ? " by " : "",
                                                     other ? rank_text(rank, call, call->rank) : "", fate)
                              : NULL;
    int failed = sentence ? PyList_Append(sentences, sentence) : -1;
    Py_XDECREF(text);
    Py_XDECREF(sentence);
    return failed;
}

int report_receives(PyObject *sentences) {
    for (const Incoming *in = pending; in; in = in->next) {
        const char *fate = in->stage == POSTED ? "got no message" : "was not waited for";
        if (!in->given_up && report_call(sentences, &in->call, fate) < 0)
            return -1;
    }
    return unclaimed_report(sentences);
}

bool receives_test(void) {
    bool any = false;
    for (Incoming *in = pending; in; in = in->next) {
        int complete = 1;
        if (in->stage != POSTED && !in->waited_for && in->request_count &&
            test_any_number(in->requests, in->request_count, MPI_STATUSES_IGNORE, &complete) == MPI_SUCCESS)
            any |= !complete;
    }
    return any;
}

void withdraw_receives(void) {
    for (Incoming *in = pending; in; in = in->next)
        if (in->stage == POSTED && !in->waited_for)
            cancel_receive(&in->first, MPI_STATUS_IGNORE);
}
