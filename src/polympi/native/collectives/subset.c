#include "collectives/subset.h"

#include "base/errors.h"
#include "base/list.h"
#include "collectives/call_log.h"
#include "transfer/progress/wait.h"

enum membership { STRANGER, MISSING, ASKED };

/* FNV-1a, over the ranks, from a beginning that differs with the label. Never 0, which is the key of calls of
 * all ranks. */
static uint64_t key_of(const int *ranks, int count, uint32_t label) {
    uint64_t hash = 0xcbf29ce484222325 ^ label;
    for (int i = 0; i < count; i++)
        for (int shift = 0; shift < 32; shift += 8)
            hash = (hash ^ ((uint32_t)ranks[i] >> shift & 0xff)) * 0x100000001b3;
    return hash | 1;
}

int subset_open(Subset *subset, Communicator *comm, const int *ranks, int count, uint32_t label) {
    *subset = (Subset){
        .comm = comm,
        .ranks = ranks,
        .count = count,
        .leader = ranks[0],
        .note = {.key = key_of(ranks, count, label), .count = count},
        .call = {.operation = "subset", .rank = comm->rank, .peer = NO_PEER, .tag = NO_TAG, .comm = comm},
        .members = PyMem_RawCalloc((size_t)comm->size, 1),
    };
    if (!subset->members)
        return no_memory();
    for (int i = 0; i < count; i++) {
        subset->members[ranks[i]] = MISSING;
        if (ranks[i] < subset->leader)
            subset->leader = ranks[i];
        if (i < NAMED_RANKS)
            subset->note.ranks[i] = ranks[i];
    }
    return 0;
}

int subset_begin(Subset *subset) {
    if (subset_notes_open(subset->comm) < 0)
        return -1;
    uint32_t *number = subset_number(subset->comm, subset->note.key);
    if (!number)
        return -1;
    subset->note.number = ++*number;
    subset->note.single = is_only_thread();
    subset->since = now();
    subset->begun = true;
    return 0;
}

/* ---- out ---- */

static int tell(const Subset *subset, int dest, enum subset_step step) {
    SubsetNote note = subset->note;
    note.step = (uint8_t)step;
    note.yes = subset->all;
    return subset_note_send(subset->comm, dest, &note, &subset->call);
}

static int tell_all(const Subset *subset, enum subset_step step) {
    for (int i = 0; i < subset->count; i++)
        if (subset->ranks[i] != subset->comm->rank && tell(subset, subset->ranks[i], step) < 0)
            return -1;
    return 0;
}

/* After PATIENCE_SECONDS, once. */
static int tell_if_late(Subset *subset) {
    if (subset->told || now() < subset->since + PATIENCE_SECONDS)
        return 0;
    subset->told = true;
    return tell_all(subset, SUBSET_WAITS);
}

/* ---- errors ---- */

static int raise_left(const Subset *subset, int source) {
    Call call = subset->call;
    char rank[RANK_TEXT];
    call.peer = source;
    raise_error("Error", &call, "%s has left the call; its own exception says why",
                rank_text(rank, &call, source));
    return raised_by_another();
}

/* The ranks in a note, "[0, 2, 3]", with an ellipsis where there are more. */
static PyObject *named_ranks(const SubsetNote *note) {
    int named = note->count < NAMED_RANKS ? note->count : NAMED_RANKS;
    PyObject *list = PyList_New(named);
    for (int i = 0; list && i < named; i++) {
        PyObject *rank = PyLong_FromLong(note->ranks[i]);
        if (!rank)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, i, rank);
    }
    PyObject *text = list ? PyObject_Repr(list) : NULL;
    Py_XDECREF(list);
    if (text && named < note->count) {
        PyObject *longer = PyUnicode_FromFormat("%.*U, ...]", (int)PyUnicode_GET_LENGTH(text) - 1, text);
        Py_SETREF(text, longer);
    }
    return text;
}

static int raise_crossing(const Subset *subset, int source, const SubsetNote *other) {
    Call call = subset->call;
    char rank[RANK_TEXT];
    call.peer = source;
    PyObject *theirs = named_ranks(other), *ours = named_ranks(&subset->note);
    if (theirs && ours)
        raise_error("MismatchError", &call,
                    "%s called subset(%U) where this rank called subset(%U): ranks in both must call them in "
                    "the same order",
                    rank_text(rank, &call, source), theirs, ours);
    Py_XDECREF(theirs);
    Py_XDECREF(ours);
    return -1;
}

/* ---- in ---- */

/* Whether its sender waits for this rank in another call, while this one waits for the sender: neither can go
 * on. Without a second thread, neither rank is in both calls. Only after a while, in which a note that the
 * sender has left its call would have arrived. 1, 0 or -1. */
static int is_crossing(const Subset *subset, const ArrivedNote *arrived) {
    const SubsetNote *note = &arrived->note;
    if (!subset->told || note->step != SUBSET_WAITS || note->key == subset->note.key || !note->single ||
        subset->members[arrived->source] == STRANGER || !is_only_thread())
        return 0;
    const uint32_t *calls = subset_number(subset->comm, note->key);
    return calls ? note->number > *calls : -1;
}

/* A rank in another call waits for this one: let both ranks raise. -1. */
static int end_crossing(const Subset *subset, const ArrivedNote *arrived) {
    SubsetNote answer = subset->note;
    answer.other_key = answer.key;
    answer.other_number = answer.number;
    answer.key = arrived->note.key;
    answer.number = arrived->note.number;
    answer.step = SUBSET_CROSSES;
    const ArrivedNote kept = *arrived; /* Python code may run */
    if (subset_notes_cross(subset->comm, kept.source) < 0 ||
        subset_note_send(subset->comm, kept.source, &answer, &subset->call) < 0)
        return -1;
    return raise_crossing(subset, kept.source, &kept.note);
}

/* Read a note of this call: 1 if it was used up, 0, or -1 with an exception. */
static int read_note(Subset *subset, const ArrivedNote *arrived) {
    const ArrivedNote kept = *arrived; /* likewise */
    bool leads = subset->leader == subset->comm->rank;
    switch (kept.note.step) {
    case SUBSET_LEFT:
        return raise_left(subset, kept.source);
    case SUBSET_CROSSES:
        if (subset_count(subset->comm, kept.note.other_key, kept.note.other_number) < 0 ||
            subset_notes_cross(subset->comm, kept.source) < 0)
            return -1;
        return raise_crossing(subset, kept.source, &kept.note);
    case SUBSET_ASKS:
        if (!leads || subset->members[kept.source] != MISSING)
            return 0;
        subset->members[kept.source] = ASKED;
        subset->all &= kept.note.yes;
        subset->missing--;
        return 1;
    case SUBSET_ANSWER:
        subset->all = kept.note.yes;
        subset->missing = 0;
        return 1;
    default:
        return 0;
    }
}

/* Read the notes that have arrived. 0 or -1. */
static int read_notes(Subset *subset) {
    for (ArrivedNote **link = &subset->comm->subsets->arrived; *link;) {
        ArrivedNote *arrived = *link;
        bool ours = arrived->note.key == subset->note.key && arrived->note.number == subset->note.number;
        int used = ours ? read_note(subset, arrived) : is_crossing(subset, arrived);
        if (used < 0 || (used && !ours))
            return used < 0 ? -1 : end_crossing(subset, arrived);
        if (!used) {
            link = &arrived->next;
            continue;
        }
        *link = arrived->next;
        PyMem_RawFree(arrived);
    }
    return 0;
}

/* For wait_poll: whether the leader has answered, or all others have asked it. */
static enum step hear(void *context) {
    Subset *subset = context;
    if (subset_notes_take(subset->comm, &subset->call) < 0 || read_notes(subset) < 0)
        return FAILED;
    if (!subset->missing)
        return DONE;
    if (subset->leader == subset->comm->rank)
        while (subset->members[subset->call.peer] != MISSING)
            subset->call.peer++;
    return tell_if_late(subset) < 0 ? FAILED : PENDING;
}

/* ---- a question ---- */

static int lead(Subset *subset) {
    for (int i = 0; i < subset->count; i++)
        subset->members[subset->ranks[i]] = MISSING;
    subset->members[subset->leader] = ASKED;
    subset->missing = subset->count - 1;
    subset->call.peer = subset->leader;
    if (wait_poll(hear, subset, &subset->call, DEFAULT_TIMEOUT) < 0)
        return -1;
    return tell_all(subset, SUBSET_ANSWER);
}

static int follow(Subset *subset) {
    subset->missing = 1;
    subset->call.peer = subset->leader;
    if (tell(subset, subset->leader, SUBSET_ASKS) < 0)
        return -1;
    return wait_poll(hear, subset, &subset->call, DEFAULT_TIMEOUT) < 0 ? -1 : 0;
}

int subset_ask(Subset *subset, bool yes) {
    subset->all = yes;
    int failed = subset->leader == subset->comm->rank ? lead(subset) : follow(subset);
    return failed ? -1 : subset->all;
}

static void leave(const Subset *subset) {
    PyObject *exception = take_exception();
    int failed = subset->told || subset->leader == subset->comm->rank
                     ? tell_all(subset, SUBSET_LEFT)
                     : tell(subset, subset->leader, SUBSET_LEFT);
    if (failed)
        PyErr_WriteUnraisable((PyObject *)subset->comm);
    restore_exception(exception);
}

void subset_close(Subset *subset, bool left) {
    if (subset->begun && subset->comm->subsets) {
        if (left && state.phase == RUNNING)
            leave(subset);
        subset_notes_drop(subset->comm, subset->note.key, subset->note.number);
    }
    PyMem_RawFree(subset->members);
}
