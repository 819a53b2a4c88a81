#include "python/last_report.h"

#include <stdio.h>
#include <string.h>

#include "collectives/async_collective.h"
#include "transfer/progress/offloaded_call.h"
#include "transfer/send/sending.h"

/* The first call of a list, and how many come after it; NULL: there is none. */
static const Call *first_of(const Call *(*next)(const void **place), Py_ssize_t *more) {
    const void *place = NULL;
    const Call *call = next(&place);
    while (call && next(&place))
        ++*more;
    return call;
}

/* An access to other ranks' windows, in which they take no part. */
static bool is_one_sided(const Call *call) { return strncmp(call->operation, "window.", 7) == 0; }

/* "waits for rank 1 to receive isend(dest=1, tag=0) and 2 more", or "waits for all ranks to call barrier()":
 * whether there is anything. */
static bool what_is_waited_for(char sentence[3 * CALL_TEXT]) {
    char text[CALL_TEXT], others[48] = "", peer[RANK_TEXT];
    Py_ssize_t more = 0;
    const Call *call = first_of(sends_next, &more);
    if (!call)
        call = send_waited_for();
    if (!call)
        call = first_of(async_collectives_next, &more);
    if (!call)
        call = first_of(offloaded_calls_next, &more);
    if (!call)
        return false;
    call_text(text, sizeof text, call);
    if (more)
        snprintf(others, sizeof others, " and %zd more", more);
    if (is_one_sided(call))
        snprintf(sentence, 3 * CALL_TEXT, "waits for an answer to %s%s", text, others);
    else if (call->peer == NO_PEER)
        snprintf(sentence, 3 * CALL_TEXT, "waits for all ranks to call %s%s", text, others);
    else
        snprintf(sentence, 3 * CALL_TEXT, "waits for %s to receive %s%s", rank_text(peer, call, call->peer),
                 text, others);
    return true;
}

static const char *fate(const Call *call) {
    return is_one_sided(call)      ? "was never answered"
           : call->peer == NO_PEER ? "was never called by all ranks"
                                   : "was never received";
}

/* ---- with Python ---- */

int say_what_is_waited_for(PyObject *say) {
    char sentence[3 * CALL_TEXT];
    if (!what_is_waited_for(sentence))
        return 0;
    PyObject *said = PyObject_CallFunction(say, "s", sentence);
    Py_XDECREF(said);
    return said ? 0 : -1;
}

static int report_all(PyObject *sentences, const Call *(*next)(const void **place)) {
    const void *place = NULL;
    const Call *call;
    while ((call = next(&place)))
        if (report_call(sentences, call, fate(call)) < 0)
            return -1;
    return 0;
}

int report_left(PyObject *sentences) { return report_all(sentences, offloaded_calls_next); }

int report_fates(PyObject *sentences, const Call *sent) {
    if (sent && report_call(sentences, sent, fate(sent)) < 0)
        return -1;
    return report_all(sentences, async_collectives_next) < 0 || report_left(sentences) < 0
               ? -1
               : orphans_report(sentences);
}

/* ---- without ---- */

bool write_what_is_waited_for(void) {
    char sentence[3 * CALL_TEXT];
    if (!what_is_waited_for(sentence))
        return false;
    write_report(sentence);
    return true;
}

static void write_fate(const Call *call) {
    char text[CALL_TEXT], sentence[3 * CALL_TEXT];
    call_text(text, sizeof text, call);
    snprintf(sentence, sizeof sentence, "%s %s", text, fate(call));
    write_report(sentence);
}

static void write_all(const Call *(*next)(const void **place)) {
    const void *place = NULL;
    const Call *call;
    while ((call = next(&place)))
        write_fate(call);
}

void write_fates(void) {
    const Call *call = send_waited_for();
    if (call)
        write_fate(call);
    write_all(sends_next);
    write_all(async_collectives_next);
    write_all(offloaded_calls_next);
}

void undelivered_text(char *text, const Call *call, const Undelivered *left) {
    char source[RANK_TEXT], tag[32] = "of a plan", more[48] = " was";
    if (left->tag != NO_TAG)
        snprintf(tag, sizeof tag, "with tag %d", left->tag);
    if (left->count > 1)
        snprintf(more, sizeof more, " and %d more were", left->count - 1);
    snprintf(text, UNDELIVERED_TEXT, "a message from %s %s%s never received",
             rank_text(source, call, left->source), tag, more);
}

void write_undelivered(const Call *freeing, const Undelivered *dropped) {
    char sentence[UNDELIVERED_TEXT + 16] = "free(): ";
    if (!dropped->count)
        return;
    undelivered_text(sentence + strlen(sentence), freeing, dropped);
    write_report(sentence);
}

void write_left(const Undelivered *left) {
    char sentence[UNDELIVERED_TEXT];
    undelivered_text(sentence, &(Call){.rank = state.world_rank}, left);
    write_report(sentence);
}
