/* A collective call: its beginning, its end, and what goes wrong in between. */
#include <stdlib.h>
#include <string.h>

#include "base/arguments.h"
#include "base/errors.h"
#include "codec/delivery.h"
#include "collectives/call_log.h"
#include "collectives/collective_call.h"
#include "transfer/progress/progress_list.h"
#include "transfer/transfer.h"

const char *const verb_names[VERBS] = {
    [BARRIER] = "barrier",
    [BCAST] = "bcast",
    [GATHER] = "gather",
    [SCATTER] = "scatter",
    [ALLGATHER] = "allgather",
    [ALLTOALL] = "alltoall",
    [REDUCE] = "reduce",
    [ALLREDUCE] = "allreduce",
    [SCAN] = "scan",
    [EXSCAN] = "exscan",
    [REDUCE_SCATTER] = "reduce_scatter",
    [SPLIT] = "split",
    [DUP] = "dup",
    [FREE] = "free",
    [SUBSET] = "subset",
    [FILE_ACCESS] = "file",
    [PLAN] = "plan.agree",
};

/* ---- a call ---- */

int collective_begin(Collective *collective, Communicator *comm, enum verb verb, int root,
                     PyObject *timeout) {
    double seconds = DEFAULT_TIMEOUT;
    if (unlikely(!is_usable(comm) || (timeout && parse_timeout(timeout, &seconds, verb_names[verb]) < 0)))
        return -1;
    if (unlikely(!comm->calls) && calls_open(comm) < 0)
        return -1;
    if (seconds == DEFAULT_TIMEOUT)
        seconds = state.timeout;
    comm->collective++;
    log_call(comm, verb, root);
    collective->comm = comm; /* one by one: clearing it first takes as long as everything else here */
    collective->call = (Call){
        .operation = verb_names[verb], .rank = comm->rank, .peer = NO_PEER, .tag = NO_TAG, .comm = comm};
    collective->verb = verb;
    collective->root = root;
    collective->number = comm->collective;
    collective->tag = internal_tag(comm);
    collective->timeout = seconds;
    collective->end = unlikely(seconds > 0) ? now() + seconds : 0;
    collective->memory = NULL;
    collective->lost = collective->in_flight = false;
    collective->error = NULL;
    /* a rank that never waits long would never read them */
    if (unlikely(!comm->together && comm->collective % LOGGED_CALLS == 0) && read_notices(collective) < 0)
        return collective_close(collective);
    return 0;
}

int check_not_below(const Communicator *comm, enum verb verb) {
    if (likely(!oldest_item) || !progress_list_runs_this(comm))
        return 0;
    const Call call = {.operation = verb_names[verb], .rank = comm->rank, .peer = NO_PEER, .tag = NO_TAG};
    return raise_error("StateError", &call,
                       "it is called within the operation of a reduction on the same communicator, for which "
                       "it would wait forever: use a communicator from dup() there");
}

/* Where calls are pending on some communicator: after those on this one. */
static int open_after_pending(Collective *collective, Communicator *comm, enum verb verb, int root,
                              PyObject *timeout) {
    if (check_not_below(comm, verb) < 0 || collective_begin(collective, comm, verb, root, timeout) < 0)
        return -1;
    if (wait_poll(progress_list_over, comm, &collective->call, collective_seconds(collective)) < 0)
        return collective_close(collective);
    return 0;
}

int collective_open(Collective *collective, Communicator *comm, enum verb verb, int root, PyObject *timeout) {
    if (unlikely(oldest_item != NULL))
        return open_after_pending(collective, comm, verb, root, timeout);
    return collective_begin(collective, comm, verb, root, timeout);
}

/* Memory of the last call, for the next one: allocating and freeing it takes a third of a small gather. The
 * small messages of fewer than 8000 ranks need only that. */
enum { MOST_SPARE = 1024 * 1024 };
static char *spare;
static size_t spare_bytes;

char *collective_memory(Collective *collective, Py_ssize_t nbytes) {
    collective->memory_bytes = 0;
    if (likely(nbytes <= PACKET_BYTES))
        return collective->memory = packet_take();
    collective->memory_bytes = ((size_t)nbytes + 63) & ~(size_t)63;
    if (likely(spare && spare_bytes >= collective->memory_bytes)) {
        collective->memory = spare;
        collective->memory_bytes = spare_bytes;
        spare = NULL;
        return collective->memory;
    }
    collective->memory = aligned_alloc(64, collective->memory_bytes);
    if (!collective->memory)
        PyErr_NoMemory();
    return collective->memory;
}

static void give_memory(Collective *collective) {
    if (!collective->memory_bytes) {
        packet_give(collective->memory);
        return;
    }
    if (collective->memory_bytes <= MOST_SPARE) {
        char *before = spare;
        spare = collective->memory;
        spare_bytes = collective->memory_bytes;
        collective->memory = before;
    }
    free(collective->memory);
}

const Target *collective_target(Collective *collective, Target *target, PyObject *into) {
    if (!into || into == Py_None)
        return NULL;
    if (target_open(target, into, &collective->call) == 0)
        return target;
    collective_defer(collective);
    return NULL;
}

int fills_target(const Target *into, const char *stream, Py_ssize_t nbytes, const Arrived *parts,
                 int part_count, const Call *call) {
    Elements elements = {0};
    int is_array = array_elements(stream, nbytes, &elements);
    if (is_array <= 0)
        return is_array < 0 ? -1 : refuse_object(call);
    int fits = target_accepts(into, &elements, call);
    Py_XDECREF(elements.dtype);
    if (fits < 0)
        return -1;
    return elements.apart && part_count == 1 && parts[0].nbytes == elements.nbytes &&
           into->layout.contiguous && !(elements.fortran && elements.ndim > 1);
}

/* Timeout names the seconds that were left for the last wait: name those of the call. */
static void name_all_seconds(const Collective *collective) {
    if (!collective->end || now() < collective->end || !is_timeout())
        return;
    name_late(collective, collective->timeout);
}

int collective_close(Collective *collective) {
    if (likely(collective->memory && !collective->lost))
        give_memory(collective);
    if (unlikely(collective->error != NULL)) {
        restore_exception(collective->error);
        collective->error = NULL;
    }
    if (likely(!PyErr_Occurred()))
        return 0;
    log_failure(collective);
    name_all_seconds(collective);
    return -1;
}

void collective_leave(Collective *collective) {
    restore_exception(collective->error);
    collective->error = NULL;
    name_all_seconds(collective);
    collective->end = 0;
}

void collective_defer(Collective *collective) {
    PyObject *error = take_exception();
    if (collective->error)
        Py_XDECREF(error);
    else
        collective->error = error;
}

Py_ssize_t collective_error_report(const Collective *collective, char *text, Py_ssize_t room) {
    PyObject *sentence = PyObject_Str(collective->error);
    PyObject *error_report =
        sentence ? PyUnicode_FromFormat("%s: %U", Py_TYPE(collective->error)->tp_name, sentence) : NULL;
    Py_ssize_t length = 0;
    const char *bytes = error_report ? PyUnicode_AsUTF8AndSize(error_report, &length) : NULL;
    if (!bytes)
        length = 0;
    if (length > room) {
        length = room;
        while (length > 0 && ((unsigned char)bytes[length] & 0xc0) == 0x80) /* between characters */
            length--;
    }
    if (length)
        memcpy(text, bytes, (size_t)length);
    PyErr_Clear();
    Py_XDECREF(sentence);
    Py_XDECREF(error_report);
    return length;
}

int raise_failed(const Collective *collective, int rank, const char *text, Py_ssize_t length) {
    char failed[RANK_TEXT];
    PyObject *error_report = PyUnicode_DecodeUTF8(text, length, "replace");
    if (error_report)
        raise_error("Error", &collective->call, "%s could not do its part: %U",
                    rank_text(failed, &collective->call, rank), error_report);
    Py_XDECREF(error_report);
    return raised_by_another();
}
