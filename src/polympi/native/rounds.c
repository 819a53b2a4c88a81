#include "rounds.h"

#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "errors.h"
#include "transfer.h"

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
};

/* ---- a call ---- */

int collective_open(Collective *collective, Communicator *comm, enum verb verb, PyObject *timeout) {
    double seconds = DEFAULT_TIMEOUT;
    if (unlikely(!is_usable(comm) || (timeout && parse_timeout(timeout, &seconds, verb_names[verb]) < 0)))
        return -1;
    if (seconds == DEFAULT_TIMEOUT)
        seconds = state.timeout;
    comm->collective++;
    *collective = (Collective){
        .comm = comm,
        .call = {.operation = verb_names[verb], .rank = comm->rank, .peer = NO_PEER, .tag = NO_TAG},
        .verb = verb,
        .tag = internal_tag(comm),
        .timeout = seconds,
        .end = unlikely(seconds > 0) ? now() + seconds : 0,
    };
    return 0;
}

char *collective_memory(Collective *collective, Py_ssize_t nbytes) {
    collective->in_block = nbytes <= BLOCK_BYTES;
    if (likely(collective->in_block))
        return collective->memory = block_take();
    size_t rounded = ((size_t)nbytes + 63) & ~(size_t)63;
    collective->memory = aligned_alloc(64, rounded);
    if (!collective->memory)
        PyErr_NoMemory();
    return collective->memory;
}

const Target *collective_target(Collective *collective, Target *target, PyObject *into) {
    if (!into || into == Py_None)
        return NULL;
    if (target_open(target, into, &collective->call) == 0)
        return target;
    collective_defer(collective);
    return NULL;
}

/* A Timeout at hand speaks of the seconds that were left for the last round: name those of the call. */
static void restate_timeout(const Collective *collective) {
    PyObject *class, *error, *trace;
    PyErr_Fetch(&class, &error, &trace);
    PyObject *errors = PyImport_ImportModule("polympi.errors");
    PyObject *timeout = errors ? PyObject_GetAttrString(errors, "Timeout") : NULL;
    if (timeout && PyErr_GivenExceptionMatches(class, timeout)) {
        Py_CLEAR(class);
        Py_CLEAR(error);
        Py_CLEAR(trace);
        raise_timeout(&collective->call, collective->timeout);
    } else
        PyErr_Restore(class, error, trace);
    Py_XDECREF(timeout);
    Py_XDECREF(errors);
}

int collective_close(Collective *collective) {
    if (likely(collective->memory && !collective->lost)) {
        if (likely(collective->in_block))
            block_give(collective->memory);
        else
            free(collective->memory);
    }
    if (unlikely(collective->error != NULL)) {
        PyErr_SetObject((PyObject *)Py_TYPE(collective->error), collective->error);
        Py_CLEAR(collective->error);
    }
    if (likely(!PyErr_Occurred()))
        return 0;
    if (collective->end && now() >= collective->end && PyErr_ExceptionMatches(PyExc_TimeoutError))
        restate_timeout(collective);
    return -1;
}

void collective_defer(Collective *collective) {
    PyObject *class, *error, *trace;
    PyErr_Fetch(&class, &error, &trace);
    PyErr_NormalizeException(&class, &error, &trace);
    if (trace && error)
        PyException_SetTraceback(error, trace);
    Py_XDECREF(class);
    Py_XDECREF(trace);
    if (collective->error)
        Py_XDECREF(error);
    else
        collective->error = error;
}

Py_ssize_t collective_excuse(const Collective *collective, char *text, Py_ssize_t room) {
    PyObject *sentence = PyObject_Str(collective->error);
    PyObject *excuse =
        sentence ? PyUnicode_FromFormat("%s: %U", Py_TYPE(collective->error)->tp_name, sentence) : NULL;
    Py_ssize_t length = 0;
    const char *bytes = excuse ? PyUnicode_AsUTF8AndSize(excuse, &length) : NULL;
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
    Py_XDECREF(excuse);
    return length;
}

int raise_failed(const Collective *collective, int rank, const char *text, Py_ssize_t length) {
    PyObject *excuse = PyUnicode_DecodeUTF8(text, length, "replace");
    if (excuse)
        raise_error("Error", &collective->call, "rank %d could not take its part: %U", rank, excuse);
    Py_XDECREF(excuse);
    return -1;
}

/* ---- waiting ---- */

double collective_seconds(const Collective *collective) {
    if (likely(collective->end == 0))
        return 0;
    double left = collective->end - now();
    return left > 0 ? left : 1e-9; /* 0 would be for ever */
}

/* A wait has failed: leave what is under way to MPI. */
static int give_up(Collective *collective, MPI_Request *requests, int receives, int sends) {
    bool locked = enter_mpi();
    for (int i = 0; i < receives + sends; i++)
        if (requests[i] != MPI_REQUEST_NULL) {
            collective->lost = true;
            if (i < receives)
                MPI_Cancel(&requests[i]);
            MPI_Request_free(&requests[i]);
        }
    leave_mpi(locked);
    return -1;
}

int collective_wait(Collective *collective, MPI_Request *requests, int receives, int sends,
                    MPI_Status *statuses) {
    if (likely(wait_for(requests, receives + sends, statuses, &collective->call,
                        collective_seconds(collective)) == 0))
        return 0;
    return give_up(collective, requests, receives, sends);
}

/* ---- messages ---- */

int start_send(Collective *collective, const void *message, Py_ssize_t nbytes, int dest,
               MPI_Request *request) {
    bool locked = enter_mpi();
    int code =
        MPI_Isend(message, (int)nbytes, MPI_BYTE, dest, collective->tag, collective->comm->shadow, request);
    leave_mpi(locked);
    if (likely(code == MPI_SUCCESS))
        return 0;
    *request = MPI_REQUEST_NULL;
    return raise_mpi(code, &collective->call);
}

int start_receive(Collective *collective, void *room, Py_ssize_t most, int source, MPI_Request *request) {
    bool locked = enter_mpi();
    int code =
        MPI_Irecv(room, (int)most, MPI_BYTE, source, collective->tag, collective->comm->shadow, request);
    leave_mpi(locked);
    if (likely(code == MPI_SUCCESS))
        return 0;
    *request = MPI_REQUEST_NULL;
    return raise_mpi(code, &collective->call);
}

/* The same of a message of which the bytes and the sender are known. */
static Py_ssize_t examine_head(const Collective *collective, const void *message, Py_ssize_t nbytes,
                               int source) {
    Head head = {0};
    if (likely(nbytes >= (Py_ssize_t)sizeof head))
        memcpy(&head, message, sizeof head);
    if (likely(head.verb == collective->verb))
        return nbytes;
    bool known = head.verb > 0 && head.verb < VERBS;
    return raise_error(
        "MismatchError", &collective->call,
        "rank %d called %s() where this rank called %s(): all ranks must call the same collectives in "
        "the same order",
        source, known ? verb_names[head.verb] : "something else", collective->call.operation);
}

Py_ssize_t examine(const Collective *collective, const void *message, MPI_Status *status) {
    int nbytes = 0;
    MPI_Get_count(status, MPI_BYTE, &nbytes);
    return examine_head(collective, message, nbytes, status->MPI_SOURCE);
}

/* ---- through shared memory ---- */

/* Looks at a mailbox between two looks at the clock. */
#define LOOKS 64

struct awaited {
    Collective *collective;
    int source; /* NOBODY: room for a message to `dest` is awaited instead */
    int dest;
    const void *message;
    Py_ssize_t nbytes;
    const char *letter;
};

static bool has_come(struct awaited *awaited) {
    Mailboxes *mailboxes = awaited->collective->comm->mailboxes;
    uint32_t number = awaited->collective->comm->collective;
    if (awaited->source == NOBODY)
        return mail_post(mailboxes, number, awaited->message, awaited->nbytes, awaited->dest);
    awaited->nbytes = mail_look(mailboxes, number, awaited->source, &awaited->letter);
    return awaited->nbytes >= 0;
}

/* Another rank may wait for this one's library to move on what it has sent before. */
static int poll_mail(void *context) {
    struct awaited *awaited = context;
    const Communicator *comm = awaited->collective->comm;
    int found;
    if (has_come(awaited))
        return 1;
    bool locked = enter_mpi();
    int code = MPI_Iprobe(MPI_ANY_SOURCE, 0, comm->shadow, &found, MPI_STATUS_IGNORE);
    leave_mpi(locked);
    return code == MPI_SUCCESS ? 0 : raise_mpi(code, &awaited->collective->call);
}

/* 0, or -1 with an exception. */
static int wait_for_mail(struct awaited *awaited) {
    Collective *collective = awaited->collective;
    double began = 0;
    while (!state.crowded) {
        for (int looks = 0; looks < LOOKS; looks++) {
            if (likely(has_come(awaited)))
                return 0;
            pause_briefly();
        }
        double time = now();
        if (!began)
            began = time;
        if (time > began + SPIN_SECONDS || anything_pending())
            break;
    }
    if (wait_poll(poll_mail, awaited, &collective->call, collective_seconds(collective)) > 0)
        return 0;
    return give_up(collective, NULL, 0, 0);
}

/* The number of requests, or -1. */
static int send_message(Collective *collective, const void *message, Py_ssize_t nbytes, int dest,
                        MPI_Request *request) {
    return start_send(collective, message, nbytes, dest, request) < 0 ? -1 : 1;
}

/* Send through the mailbox; what is longer travels as a message of the library, which an empty letter
 * announces: then `*request` has to be waited for. The number of requests, or -1. */
static int send_letter(Collective *collective, const void *message, Py_ssize_t nbytes, int dest,
                       MPI_Request *request) {
    bool apart = nbytes > MAIL_BYTES;
    struct awaited room = {.collective = collective,
                           .source = NOBODY,
                           .dest = dest,
                           .message = message,
                           .nbytes = apart ? 0 : nbytes};
    if (unlikely(!has_come(&room) && wait_for_mail(&room) < 0))
        return -1;
    if (likely(!apart))
        return 0;
    return send_message(collective, message, nbytes, dest, request);
}

static Py_ssize_t exchange_letters(Collective *collective, const void *message, Py_ssize_t nbytes, int dest,
                                   void *room, Py_ssize_t most, int source) {
    MPI_Request requests[2]; /* to receive, to send */
    MPI_Status statuses[2];
    int sends = dest == NOBODY ? 0 : send_letter(collective, message, nbytes, dest, &requests[1]),
        receives = 0;
    if (unlikely(sends < 0))
        return -1;
    Py_ssize_t come = 0;
    if (source != NOBODY) {
        struct awaited letter = {.collective = collective, .source = source};
        if (unlikely(wait_for_mail(&letter) < 0))
            return give_up(collective, &requests[1], 0, sends);
        come = letter.nbytes < most ? letter.nbytes : most;
        memcpy(room, letter.letter, (size_t)come);
        mail_taken(collective->comm->mailboxes, source);
        if (unlikely(come == 0)) {
            if (start_receive(collective, room, most, source, &requests[0]) < 0)
                return give_up(collective, &requests[1], 0, sends);
            receives = 1;
        }
    }
    if (unlikely(receives + sends) &&
        collective_wait(collective, &requests[1 - receives], receives, sends, statuses) < 0)
        return -1;
    if (unlikely(receives))
        return examine(collective, room, &statuses[0]);
    return come ? examine_head(collective, room, come, source) : 0;
}

/* ---- through messages ---- */

Py_ssize_t exchange(Collective *collective, const void *message, Py_ssize_t nbytes, int dest, void *room,
                    Py_ssize_t most, int source) {
    if (likely(collective->comm->mailboxes != NULL))
        return exchange_letters(collective, message, nbytes, dest, room, most, source);
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int receives = 0, sends = 0;
    if (source != NOBODY &&
        unlikely(start_receive(collective, room, most, source, &requests[receives++]) < 0))
        return -1;
    if (dest != NOBODY &&
        unlikely(start_send(collective, message, nbytes, dest, &requests[receives + sends++]) < 0))
        return give_up(collective, requests, receives, sends);
    if (sends) { /* a small message is on its way at once: then the receive alone is waited for, which is less
                    work */
        int complete = test_requests(&requests[receives], 1, MPI_STATUSES_IGNORE, &collective->call);
        if (unlikely(complete < 0))
            return give_up(collective, requests, receives, sends);
        sends -= complete;
    }
    if (unlikely(collective_wait(collective, requests, receives, sends, statuses) < 0))
        return -1;
    return receives ? examine(collective, room, &statuses[0]) : 0;
}

enum { MOST_ROUNDS = 31 }; /* ranks are numbered by int */

int spread(Collective *collective, void *message, Py_ssize_t most, int root) {
    int size = collective->comm->size, own = (collective->comm->rank - root + size) % size, distance = 1;
    while (distance < size && !(own & distance))
        distance <<= 1;
    if (own && exchange(collective, NULL, 0, NOBODY, message, most, (own - distance + root) % size) < 0)
        return -1;
    MPI_Request requests[MOST_ROUNDS];
    int sends = 0;
    Head head;
    memcpy(&head, message, sizeof head);
    for (distance >>= 1; distance; distance >>= 1)
        if (own + distance < size) {
            int dest = (own + distance + root) % size;
            int started = collective->comm->mailboxes
                              ? send_letter(collective, message, head.nbytes, dest, &requests[sends])
                              : send_message(collective, message, head.nbytes, dest, &requests[sends]);
            if (started < 0)
                return give_up(collective, requests, 0, sends);
            sends += started;
        }
    return collective_wait(collective, requests, 0, sends, MPI_STATUSES_IGNORE);
}

/* ---- recursive doubling ---- */

static uint32_t message_bytes(const char *message) {
    Head head;
    memcpy(&head, message, sizeof head);
    return head.nbytes;
}

static void swap_messages(Doubling *doubling) {
    char *mine = doubling->mine;
    doubling->mine = doubling->theirs;
    doubling->theirs = mine;
}

/* The rank above a pair's lower one sits out: it gives its message away and gets the result. */
static int sit_out(Collective *collective, Doubling *doubling, int neighbour) {
    doubling->sat_out = true;
    if (exchange(collective, doubling->mine, message_bytes(doubling->mine), neighbour, doubling->theirs,
                 doubling->most, neighbour) < 0)
        return -1;
    swap_messages(doubling);
    return 0;
}

int doubling(Collective *collective, Doubling *doubling) {
    int rank = collective->comm->rank, size = collective->comm->size, power = 1;
    while (power <= size / 2)
        power <<= 1;
    int paired = 2 * (size - power); /* the ranks below are pairs, of which one takes part */
    doubling->sat_out = false;
    if (rank < paired) {
        if (rank % 2)
            return sit_out(collective, doubling, rank - 1);
        if (exchange(collective, NULL, 0, NOBODY, doubling->theirs, doubling->most, rank + 1) < 0)
            return -1;
        doubling->combine(doubling, false);
    }
    int own = rank < paired ? rank / 2 : rank - paired / 2;
    for (int distance = 1; distance < power; distance <<= 1) {
        int other = own ^ distance;
        int partner = other < paired / 2 ? 2 * other : other + paired / 2;
        if (unlikely(exchange(collective, doubling->mine, message_bytes(doubling->mine), partner,
                              doubling->theirs, doubling->most, partner) < 0))
            return -1;
        doubling->combine(doubling, other < own);
    }
    if (rank >= paired)
        return 0;
    char *result = doubling->for_neighbour ? doubling->for_neighbour(doubling) : doubling->mine;
    return (int)exchange(collective, result, message_bytes(result), rank + 1, NULL, 0, NOBODY);
}

/* ---- agreeing ---- */

enum { ABLE = 1, MAY_BLOCK = 2 }; /* in Head.kind */

static void combine_answers(Doubling *doubling, bool below) {
    (void)below;
    ((Head *)doubling->mine)->kind &= ((Head *)doubling->theirs)->kind;
}

bool can_block(const Collective *collective) { return !state.crowded && may_block(collective->timeout); }

int agree(Collective *collective, bool able, bool *block) {
    Head *answers = malloc(2 * sizeof *answers);
    if (!answers) {
        PyErr_NoMemory();
        return -1;
    }
    uint8_t answer = (able ? ABLE : 0) | (can_block(collective) ? MAY_BLOCK : 0);
    answers[0] = (Head){.verb = (uint8_t)collective->verb, .kind = answer, .nbytes = sizeof *answers};
    Doubling rounds = {.mine = (char *)&answers[0],
                       .theirs = (char *)&answers[1],
                       .most = sizeof *answers,
                       .combine = combine_answers};
    int failed = doubling(collective, &rounds);
    answer = ((Head *)rounds.mine)->kind;
    if (!collective->lost)
        free(answers);
    if (failed < 0)
        return -1;
    *block = answer & MAY_BLOCK;
    if (answer & ABLE)
        return 0;
    if (!collective->error)
        raise_error("Error", &collective->call, "another rank could not go on; its own exception says why");
    return -1;
}

int collective_finish(Collective *collective, int code, MPI_Request *request) {
    if (unlikely(code != MPI_SUCCESS))
        return raise_mpi(code, &collective->call);
    if (!request)
        return 0;
    if (wait_for(request, 1, MPI_STATUSES_IGNORE, &collective->call, collective_seconds(collective)) == 0)
        return 0;
    if (*request != MPI_REQUEST_NULL)
        collective->lost = true;
    return give_up(collective, NULL, 0, 0);
}
