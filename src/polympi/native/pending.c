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

void incoming_unlist(Incoming *in) {
    if (!in->listed)
        return;
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

void progress(void) {
    PyObject *class, *value, *trace;
    PyErr_Fetch(&class, &value, &trace);
    for (Incoming *in = pending, *next; in; in = next) {
        next = in->next;
        int complete = incoming_test(in);
        if (complete == 0)
            continue;
        if (complete < 0 && in->abandoned)
            PyErr_Clear();
        else if (complete < 0) { /* for the one who waits for it */
            PyObject *error_class, *error_trace;
            PyErr_Fetch(&error_class, &in->refusal, &error_trace);
            PyErr_NormalizeException(&error_class, &in->refusal, &error_trace);
            Py_XDECREF(error_class);
            Py_XDECREF(error_trace);
            in->stage = ARRIVED;
        }
        if (in->abandoned)
            incoming_close(in);
        else
            incoming_unlist(in);
    }
    orphans_progress();
    PyErr_Restore(class, value, trace);
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
    for (Incoming *in = pending, *next; in; in = next) {
        next = in->next;
        if (report_call(sentences, &in->call, in->stage == POSTED ? "got no message" : "was not waited for") <
            0)
            return -1;
        incoming_cancel(in);
    }
    return 0;
}
