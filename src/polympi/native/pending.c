/* What is under way while this rank waits for something else, or that nobody waits for: moved on by every
 * wait. */
#include "errors.h"
#include "incoming.h"

static Incoming *pending; /* posted and not arrived, or abandoned */

void incoming_list(Incoming *in) {
    if (in->listed)
        return;
    in->next = pending;
    in->previous = NULL;
    if (pending)
        pending->previous = in;
    pending = in;
    in->listed = true;
}

/* Where calls of `progress` are in the list. There may be several: a step may run Python code, in which other
 * threads, or a destructor, wait for something, too. */
struct cursor {
    Incoming *next;
    struct cursor *outer;
};
static struct cursor *cursors;

void incoming_unlist(Incoming *in) {
    if (!in->listed)
        return;
    for (struct cursor *cursor = cursors; cursor; cursor = cursor->outer)
        if (cursor->next == in)
            cursor->next = in->next;
    *(in->previous ? &in->previous->next : &pending) = in->next;
    if (in->next)
        in->next->previous = in->previous;
    in->listed = false;
}

void incoming_abandon(Incoming *in) {
    in->abandoned = true;
    incoming_list(in);
}

bool anything_pending(void) { return pending || sends_abandoned(); }

static void receives_progress(void) {
    struct cursor cursor = {.next = pending, .outer = cursors}, **link = &cursors;
    cursors = &cursor;
    while (cursor.next) {
        Incoming *in = cursor.next;
        cursor.next = in->next;
        if (!incoming_test(in))
            continue;
        if (in->abandoned)
            incoming_close(in);
        else
            incoming_unlist(in);
    }
    while (*link != &cursor)
        link = &(*link)->outer;
    *link = cursor.outer;
}

void progress(void) {
    PyObject *class, *value, *trace;
    PyErr_Fetch(&class, &value, &trace);
    receives_progress();
    orphans_progress();
    PyErr_Restore(class, value, trace);
}

bool receives_arriving(void) {
    for (const Incoming *in = pending; in; in = in->next)
        if (in->stage != POSTED)
            return true;
    return false;
}

const Call *receive_under_way(const Communicator *comm) {
    for (const Incoming *in = pending; in; in = in->next)
        if (in->comm == comm && !in->abandoned)
            return &in->call;
    return NULL;
}

int give_up_abandoned(void *communicator) {
    int none_left = 1;
    for (Incoming *in = pending, *next; in; in = next) {
        next = in->next;
        if (in->comm != communicator || !in->abandoned)
            continue;
        if (incoming_cancel(in))
            next = pending; /* dropping its target may have run code that changed the list */
        else
            none_left = 0;
    }
    return none_left;
}

int report_call(PyObject *sentences, const Call *call, const char *fate) {
    PyObject *text = describe_call(call);
    PyObject *sentence = text ? PyUnicode_FromFormat("%U %s", text, fate) : NULL;
    int failed = sentence ? PyList_Append(sentences, sentence) : -1;
    Py_XDECREF(text);
    Py_XDECREF(sentence);
    return failed;
}

int report_pending(PyObject *sentences, bool *sends) {
    *sends = sends_abandoned();
    if (orphans_report(sentences) < 0)
        return -1;
    for (const Incoming *in = pending; in; in = in->next)
        if (report_call(sentences, &in->call, in->stage == POSTED ? "got no message" : "was not waited for") <
            0)
            return -1;
    return 0;
}

void withdraw_receives(void) {
    for (Incoming *in = pending; in; in = in->next)
        if (in->stage == POSTED && in->first[0] != MPI_REQUEST_NULL && MPI_Cancel(in->first) == MPI_SUCCESS)
            MPI_Wait(in->first, MPI_STATUS_IGNORE);
}
