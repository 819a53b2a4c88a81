#include "collectives/call_log.h"
#include "collectives/mailbox.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/errors.h"
#include "transfer/progress/long_wait.h"
#include "transfer/progress/progress_list.h"
#include "transfer/progress/wait.h"

static const char *explain_last(const Call *call);

int calls_open(Communicator *comm) {
    struct Calls *calls = aligned_alloc(64, sizeof *calls);
    if (!calls)
        return no_memory();
    memset(calls, 0, sizeof *calls);
    if (!comm->together) {
        size_t size = (size_t)comm->size;
        calls->left = calloc(size, 2 * sizeof *calls->left + sizeof *calls->sent);
        if (!calls->left) {
            free(calls);
            return no_memory();
        }
        calls->called = calls->left + size;
        calls->sent = (int *)(calls->called + size);
    }
    calls->log = comm->mailboxes ? mail_log(comm->mailboxes, comm->rank) : &calls->own;
    long_waits_explain(explain_last);
    comm->calls = calls;
    return 0;
}

static bool has_root(int verb) {
    return verb == BCAST || verb == GATHER || verb == SCATTER || verb == REDUCE;
}

/* Whether it may have data that the library sends, after all ranks have agreed to that. */
static bool has_large_data(int verb) { return verb == BCAST || (verb >= REDUCE && verb <= REDUCE_SCATTER); }

/* A number of a call that differs from 0, which stands for none. */
static uint64_t numbered(uint32_t number) { return (uint64_t)1 << 32 | number; }

/* By how much one number is after another; numbers wrap around. */
static int32_t later(uint32_t number, uint32_t than) { return (int32_t)(number - than); }

void log_failure(const Collective *collective) {
    Communicator *comm = collective->comm;
    struct Calls *calls = comm->calls;
    calls->settled = collective->number;
    atomic_store_explicit(&calls->log->failed, numbered(calls->settled), memory_order_release);
    calls->unreported |= calls->sent && has_large_data(collective->verb);
    report_failures(comm);
}

void log_pending(const Communicator *comm, bool any, uint32_t number) {
    atomic_store_explicit(&comm->calls->log->pending, any ? numbered(number) : 0, memory_order_release);
}

/* The verb and the root of a call; 0 if it is not in the log. */
static uint32_t logged(const CallLog *log, uint32_t number) {
    uint64_t entry = atomic_load_explicit(&log->entries[number % LOGGED_CALLS], memory_order_acquire);
    return entry_number(entry) == number ? entry_what(entry) : 0;
}

/* Whether this rank's call of a number differs from another rank's. */
static bool contradicts(const struct Calls *calls, uint32_t number, uint32_t theirs) {
    bool past = logged(calls->log, calls->settled) && later(number, calls->settled) <= 0;
    uint32_t own = past ? 0 : logged(calls->log, number);
    return own && theirs && own != theirs;
}

bool calls_differ(const Communicator *comm, int rank, uint32_t number) {
    return contradicts(comm->calls, number, logged(mail_log(comm->mailboxes, rank), number));
}

/* ---- notices: what a rank has called, in messages between ranks that share no memory ---- */

/* Neither parts of messages nor collectives use this tag on the shadow communicator. */
static int notice_tag(void) { return state.highest_tag; }

/* Receive the next notice, if one has arrived. MPI's code. */
static int take_notice(Communicator *comm, Notice *notice, int *found) {
    MPI_Status status;
    int code = receive_found(notice, sizeof *notice, notice_tag(), comm->shadow, found, &status);
    if (code == MPI_SUCCESS && *found)
        comm->calls->received++;
    return code;
}

int calls_end(Communicator *comm) {
    struct Calls *calls = comm->calls;
    int expected = 0, found = 0, code = MPI_SUCCESS;
    if (!calls || !calls->sent)
        return code;
    code = MPI_Reduce_scatter_block(calls->sent, &expected, 1, MPI_INT, MPI_SUM, comm->shadow);
    while (code == MPI_SUCCESS && calls->received < expected) {
        Notice notice;
        code = take_notice(comm, &notice, &found);
        if (!found)
            sched_yield(); /* its sender may need the processor */
    }
    return code;
}

void calls_close(Communicator *comm) {
    struct Calls *calls = comm->calls;
    if (!calls)
        return;
    free(calls->left);
    if (!calls->notified || !comm->size) /* else MPI may still read the notice, so keep it */
        free(calls);
}

/* The notice must not change until it has been sent. */
static void notify(const Communicator *comm, int dest, const Notice *notice) {
    if (IN_TURN(send_unwatched(notice, sizeof *notice, dest, notice_tag(), comm->shadow)) == MPI_SUCCESS)
        comm->calls->sent[dest]++;
}

/* Report to all what a rank has called: others may wait for this rank, which will leave the call. */
static void notify_all(const Communicator *comm, int rank, uint64_t entry) {
    Notice *notice = comm->together ? NULL : malloc(sizeof *notice);
    if (!notice)
        return;
    *notice = (Notice){.entry = entry, .rank = rank}; /* never freed: no call waits until it has been sent */
    for (int other = 0; other < comm->size; other++)
        if (other != comm->rank)
            notify(comm, other, notice);
}

void report_failures(const Communicator *comm) {
    struct Calls *calls = comm->calls;
    if (!calls->unreported || state.phase != RUNNING || !progress_list_is_first(comm, NULL))
        return;
    Notice *notice = malloc(sizeof *notice);
    if (!notice)
        return;
    calls->unreported = false;
    *notice = (Notice){.entry = log_entry(calls->settled, 0), .rank = comm->rank, .left = true};
    for (int other = 0; other < comm->size; other++)
        if (other != comm->rank && !mail_reaches(comm->mailboxes, other))
            notify(comm, other, notice);
}

/* ---- error messages ---- */

/* "bcast(root=1)"; a new reference. */
static PyObject *spell_call(uint32_t what) {
    int verb = what_verb(what), root = what_root(what);
    if (verb == 0 || verb >= VERBS)
        return PyUnicode_FromString("something else");
    return has_root(verb) && root >= 0 ? PyUnicode_FromFormat("%s(root=%d)", verb_names[verb], root)
                                       : PyUnicode_FromFormat("%s()", verb_names[verb]);
}

/* Raise MismatchError: a rank's call differs from this rank's. -1. */
static int raise_contradiction(const Collective *collective, int rank, uint32_t number, uint32_t what) {
    const Communicator *comm = collective->comm;
    uint32_t mine = logged(comm->calls->log, number);
    int before = later(collective->number, number);
    if (state.without_python)
        return -1;
    PyObject *theirs = spell_call(what), *own = spell_call(mine);
    PyObject *when = before == 0   ? PyUnicode_FromString("")
                     : before == 1 ? PyUnicode_FromString(" one call before this one")
                                   : PyUnicode_FromFormat(" %d calls before this one", before);
    char other[RANK_TEXT];
    if (theirs && own && when)
        raise_error("MismatchError", &collective->call,
                    "%s called %U where this rank called %U%U: all ranks must call the same collectives "
                    "in the same order, with the same root",
                    rank_text(other, &collective->call, rank), theirs, own, when);
    Py_XDECREF(theirs);
    Py_XDECREF(own);
    Py_XDECREF(when);
    notify_all(comm, rank, log_entry(number, what));
    notify_all(comm, comm->rank, log_entry(number, mine));
    return -1;
}

int raise_difference(const Collective *collective, int rank, uint32_t number) {
    return raise_contradiction(collective, rank, number,
                               logged(mail_log(collective->comm->mailboxes, rank), number));
}

int raise_other_call(const Collective *collective, int rank, int verb, int root) {
    return raise_contradiction(collective, rank, collective->number, what_call(verb, root));
}

/* ---- looking ---- */

/* Whether a call of that number, or a later one, ended with an exception. */
static bool has_failed_since(const CallLog *log, uint32_t number) {
    uint64_t failed = atomic_load_explicit(&log->failed, memory_order_acquire);
    return failed && logged(log, (uint32_t)failed) && later((uint32_t)failed, number) >= 0;
}

/* Whether a call is pending, or will be after those before it; to be checked last. */
static bool goes_on(const CallLog *log, uint32_t number) {
    uint64_t pending = atomic_load_explicit(&log->pending, memory_order_acquire);
    return pending && later(number, (uint32_t)pending) >= 0;
}

/* Whether a rank has begun a later call, or failed in this one. */
static bool has_left(const Collective *collective, int rank) {
    const CallLog *log = mail_log(collective->comm->mailboxes, rank);
    bool left = has_failed_since(log, collective->number);
    for (int i = 0; !left && i < LOGGED_CALLS; i++) {
        uint64_t entry = atomic_load_explicit(&log->entries[i], memory_order_acquire);
        left = entry && later(entry_number(entry), collective->number) > 0;
    }
    return left && !goes_on(log, collective->number);
}

/* Whether a rank without mailboxes has reported that. */
static bool has_reported(const Collective *collective, int rank) {
    uint64_t left = collective->comm->calls->left[rank];
    return left && later((uint32_t)left, collective->number) >= 0;
}

bool has_given_up(const Collective *collective, int rank) {
    const Communicator *comm = collective->comm;
    if (!comm->together && !mail_reaches(comm->mailboxes, rank))
        return has_reported(collective, rank);
    const CallLog *log = mail_log(comm->mailboxes, rank);
    return has_failed_since(log, collective->number) && !goes_on(log, collective->number);
}

bool has_left_call(const Communicator *comm, int rank, uint32_t number) {
    const CallLog *log = mail_log(comm->mailboxes, rank);
    bool left =
        has_failed_since(log, number) || (number != comm->collective && logged(log, comm->collective));
    return left && !goes_on(log, number);
}

static int look_at_logs(const Collective *collective, int source) {
    const Communicator *comm = collective->comm;
    for (int rank = 0; rank < comm->size; rank++)
        for (uint32_t back = LOGGED_CALLS; rank != comm->rank && back-- > 0;)
            if (calls_differ(comm, rank, collective->number - back))
                return raise_difference(collective, rank, collective->number - back);
    return source != NOBODY && has_left(collective, source);
}

/* The next notice that has arrived: 1, 0 if there is none, -1 with an exception. */
static int next_notice(const Collective *collective, Notice *notice) {
    int found = 0, code = IN_TURN(take_notice(collective->comm, notice, &found));
    return code == MPI_SUCCESS ? found : raise_mpi(code, &collective->call);
}

/* How many ranks are sent a notice at a time. */
enum { NOTIFIED_AT_ONCE = 8 };

int read_notices(const Collective *collective) {
    Notice notice;
    int found;
    while ((found = next_notice(collective, &notice)) > 0) {
        uint32_t number = entry_number(notice.entry), what = entry_what(notice.entry);
        collective->comm->calls->called[notice.rank] = numbered(number);
        if (notice.left)
            collective->comm->calls->left[notice.rank] = numbered(number);
        else if (contradicts(collective->comm->calls, number, what))
            return raise_contradiction(collective, notice.rank, number, what);
    }
    return found;
}

static int exchange_notices(const Collective *collective) {
    const Communicator *comm = collective->comm;
    struct Calls *calls = comm->calls;
    uint64_t own = log_entry(collective->number, logged(calls->log, collective->number));
    if (calls->notice.entry != own) {
        calls->notice =
            (Notice){.entry = own, .rank = comm->rank}; /* as true, if the last is still in flight */
        calls->notified = 0;
    }
    for (int i = 0; i < NOTIFIED_AT_ONCE && calls->notified < comm->size - 1; i++)
        notify(comm, (comm->rank + ++calls->notified) % comm->size, &calls->notice);
    return read_notices(collective);
}

int look_around(Collective *collective, int source) {
    if (collective->comm->together)
        return look_at_logs(collective, source);
    if (exchange_notices(collective) < 0)
        return -1;
    if (source == NOBODY)
        return 0;
    return mail_reaches(collective->comm->mailboxes, source) ? has_left(collective, source)
                                                             : has_reported(collective, source);
}

bool explain_timeout(Collective *collective, int source) {
    if (!is_timeout())
        return false;
    collective->comm->calls->awaited = source;
    collective->comm->calls->awaited_in = collective->number;
    PyObject *class, *error, *trace;
    PyErr_Fetch(&class, &error, &trace);
    if (look_around(collective, NOBODY) == 0) {
        PyErr_Restore(class, error, trace);
        return false;
    }
    Py_XDECREF(class);
    Py_XDECREF(error);
    Py_XDECREF(trace);
    return true;
}

/* ---- who is late ---- */

/* Whether a rank is known to have reached this call, or a later one. */
static bool has_reached(const Collective *collective, int rank) {
    const Communicator *comm = collective->comm;
    if (!comm->together && !mail_reaches(comm->mailboxes, rank)) {
        uint64_t called = comm->calls->called[rank];
        return called && later((uint32_t)called, collective->number) >= 0;
    }
    const CallLog *log = mail_log(comm->mailboxes, rank);
    for (int i = 0; i < LOGGED_CALLS; i++) {
        uint64_t entry = atomic_load_explicit(&log->entries[i], memory_order_acquire);
        if (entry && later(entry_number(entry), collective->number) >= 0)
            return true;
    }
    return false;
}

/* The rank that this one waited for, unless it is known to have reached the call; or NOBODY. */
static int missing_rank(const Collective *collective) {
    const struct Calls *calls = collective->comm->calls;
    int rank = calls->awaited_in == collective->number ? calls->awaited : NOBODY;
    return rank != NOBODY && rank != collective->comm->rank && !has_reached(collective, rank) ? rank : NOBODY;
}

/* This many ranks are named; the others are counted. */
enum { MOST_NAMED = 4 };

/* "rank 2 (host b), rank 3 (host b) and 5 more": the ranks that are late, as far as is known; how many. If
 * this rank waits for one, only that: others may have left the call without this rank's knowledge. */
static int late_ranks(const Collective *collective, char *text, size_t room) {
    int alone = missing_rank(collective), count = 0;
    size_t length = 0;
    text[0] = '\0';
    for (int rank = 0; rank < collective->comm->size; rank++) {
        char name[RANK_TEXT];
        if (alone != NOBODY ? rank != alone : rank == collective->comm->rank || has_reached(collective, rank))
            continue;
        if (count++ < MOST_NAMED)
            length += (size_t)snprintf(text + length, room - length, "%s%s", count > 1 ? ", " : "",
                                       rank_text(name, &collective->call, rank));
    }
    if (count > MOST_NAMED)
        snprintf(text + length, room - length, " and %d more", count - MOST_NAMED);
    return count;
}

/* What a call lacks, with the ranks that are late, valid until the next call; NULL: none is known. */
static const char *explain_late(const Collective *collective) {
    char ranks[MOST_NAMED * (RANK_TEXT + 2) + 32];
    static char missing[sizeof ranks + 160];
    if (state.levels_clash || late_ranks(collective, ranks, sizeof ranks) == 0)
        return NULL;
    snprintf(missing, sizeof missing,
             "not all other ranks called it, nothing came from %s; check that every rank calls it, in the "
             "same order%s",
             ranks, strstr(ranks, "(host ") ? ", and that its host can be reached" : "");
    return missing;
}

void name_late(const Collective *collective, double seconds) {
    PyErr_Clear();
    if (!collective->comm->together && state.phase == RUNNING && read_notices(collective) < 0)
        return;
    const char *missing = explain_late(collective);
    if (missing)
        raise_timeout_unless_explained(&collective->call, seconds, missing);
    else
        raise_timeout(&collective->call, seconds);
}

/* What the last call on a communicator lacks; NULL, too, if it isn't this one, or earlier ones are pending.
 */
static const char *explain_last(const Call *call) {
    Communicator *comm = (Communicator *)call->comm;
    if (!comm || !comm->calls || atomic_load_explicit(&comm->calls->log->pending, memory_order_relaxed))
        return NULL;
    int verb = what_verb(logged(comm->calls->log, comm->collective));
    Collective last = {.comm = comm, .call = *call, .number = comm->collective};
    return verb && strcmp(call->operation, verb_names[verb]) == 0 ? explain_late(&last) : NULL;
}
