#include "transfer/progress/ended.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/list.h"
#include "transfer/open_communicators.h"
#include "transfer/progress/long_wait.h"
#include "transfer/progress/wait.h"

/* A rank asks after waiting this long. */
#define ASK_SECONDS YOUNGEST_SECONDS
/* Between two looks. */
#define LOOK_SECONDS 0.05
/* A message sent before its rank ended may arrive shortly after the answer. A call waits this much longer,
 * and for this many looks, in each of which the library makes progress. */
#define ANSWER_SECONDS 1.0
enum { ANSWER_LOOKS = 10 };
/* Ranks that wait for the same one raise one after another, so that the first ends the job with one
 * traceback. */
#define STAGGER_SECONDS 0.02
enum { MOST_STAGGERED = 25 };
/* Ranks that are asked at a time. */
enum { ASKED_AT_ONCE = 8 };

enum { NOBODY = -1 };

typedef struct {
    enum { SAY_WHEN_YOU_END = 1, HAS_ENDED, COUNT_YOUR_CALLS, CALLS_MADE } kind;
    enum way_to_end way;
    uint64_t number;     /* of the communicator */
    uint32_t collective; /* calls that its sender has made there */
    bool known;          /* whether its sender has such a communicator */
} Note;

/* What this rank knows of another one. */
typedef struct {
    enum way_to_end way;
    bool asked;          /* to say when it ends */
    bool asks, told;     /* that this one says so; this one has */
    uint64_t number;     /* of the communicator whose calls it was asked to count */
    bool counting;       /* it was asked that, and has not answered */
    bool counted, known; /* it has; and has that communicator */
    uint32_t collective;
} Other;

/* Ranks that send each other notes: those of the world, or of two worlds that a spawn has connected. */
struct Circle {
    MPI_Comm comm;    /* for notes alone */
    MPI_Comm between; /* the two worlds */
    MPI_Group group;
    Other *others;        /* by rank */
    int first, strangers; /* the ranks of the other world; none in the circle of this world */
    Circle *next;
};

static Circle *circles; /* the first is the world */

/* ---- notes ---- */

/* A note must stay unchanged until it is sent, for which nobody waits: it is leaked. There are few. */
static void send_note(const Circle *circle, int dest, Note note) {
    Note *kept = malloc(sizeof *kept);
    if (!kept)
        return;
    *kept = note;
    send_unwatched(kept, sizeof *kept, dest, 0, circle->comm);
}

static void take_note(const Circle *circle, int source, const Note *note) {
    Other *other = &circle->others[source];
    if (note->kind == SAY_WHEN_YOU_END)
        other->asks = true;
    else if (note->kind == HAS_ENDED)
        other->way = note->way;
    else if (note->kind == COUNT_YOUR_CALLS) {
        Note answer = {.kind = CALLS_MADE, .number = note->number};
        answer.known = count_collectives(note->number, &answer.collective);
        send_note(circle, source, answer);
    } else if (note->number == other->number) {
        other->counting = false;
        other->counted = true;
        other->known = note->known;
        other->collective = note->collective;
    }
}

/* Receive the notes that have arrived. */
static void take_notes(void) {
    MPI_Status status;
    Note note;
    int found;
    for (const Circle *circle = circles; circle; circle = circle->next)
        while (receive_found(&note, sizeof note, 0, circle->comm, &found, &status) == MPI_SUCCESS && found)
            take_note(circle, status.MPI_SOURCE, &note);
}

/* ---- a rank at its end ---- */

/* Tell a rank that this one has ended, unless it knows. */
static void tell(const Circle *circle, int rank, enum way_to_end way) {
    if (!circle->others[rank].told)
        send_note(circle, rank, (Note){.kind = HAS_ENDED, .way = way});
    circle->others[rank].told = true;
}

static void answer(const Circle *circle, enum way_to_end way) {
    int size;
    if (MPI_Comm_size(circle->comm, &size) != MPI_SUCCESS)
        return;
    for (int rank = 0; rank < size; rank++)
        if (circle->others[rank].asks)
            tell(circle, rank, way);
}

void ended_answer(enum way_to_end way) {
    take_notes();
    for (const Circle *circle = circles; circle; circle = circle->next)
        answer(circle, way);
}

void ended_tell_strangers(enum way_to_end way) {
    for (const Circle *circle = circles; circle; circle = circle->next)
        for (int i = 0; i < circle->strangers; i++)
            tell(circle, circle->first + i, way);
}

bool ended_are_strangers(void) {
    bool all = true;
    for (const Circle *circle = circles; circle; circle = circle->next)
        for (int i = 0; i < circle->strangers; i++)
            all &= circle->others[circle->first + i].way != 0;
    return all;
}

/* ---- a rank that waits ---- */

/* Whether a rank is known to have ended; if not, and it may be asked, it is. */
static bool has_ended(const Circle *circle, int rank, int *may_ask) {
    Other *other = &circle->others[rank];
    if (!other->way && !other->asked && *may_ask > 0) {
        --*may_ask;
        other->asked = true;
        send_note(circle, rank, (Note){.kind = SAY_WHEN_YOU_END});
    }
    return other->way;
}

/* Whether a rank that has ended has not made the last collective call of this one; if unknown, and it may be
 * asked, it is. Before the first call on a communicator of mpi4py all ranks meet: a rank that we wait for has
 * not come. */
static bool misses_call(const Circle *circle, int rank, const Communicator *comm, int *may_ask) {
    Other *other = &circle->others[rank];
    if (comm->shadow == MPI_COMM_NULL)
        return true;
    if (other->counted && other->number == comm->number)
        return other->known && (int32_t)(comm->collective - other->collective) > 0;
    if (!other->counting && *may_ask > 0) {
        --*may_ask;
        other->counting = true;
        other->counted = false;
        other->number = comm->number;
        send_note(circle, rank, (Note){.kind = COUNT_YOUR_CALLS, .number = comm->number});
    }
    return false;
}

/* The circle that a rank of a group is in, and its rank there; NULL: in none. */
static const Circle *circle_of(MPI_Group group, int rank, int *there) {
    for (const Circle *circle = circles; circle; circle = circle->next)
        if (MPI_Group_translate_ranks(group, 1, &rank, circle->group, there) == MPI_SUCCESS &&
            *there != MPI_UNDEFINED)
            return circle;
    return NULL;
}

/* Another rank of the communicator because of which the call can't complete, or NOBODY. A message from any
 * source can arrive as long as one rank is left. */
static int find_missing(const Call *call, const Communicator *comm, MPI_Group group, int may_ask) {
    int missing = NOBODY;
    int own = comm->whole ? comm->size : comm->rank; /* not among the remote ranks */
    for (int step = 1; step < comm->size + (comm->whole != NULL); step++) {
        int there, rank = call->peer >= 0 ? call->peer : (own + step) % (comm->size + (comm->whole != NULL));
        const Circle *circle = rank == own ? NULL : circle_of(group, rank, &there);
        if (!circle)
            return NOBODY;
        bool ended = has_ended(circle, there, &may_ask);
        if (call->peer >= 0)
            return ended ? rank : NOBODY;
        if (call->peer == NO_PEER && ended && misses_call(circle, there, comm, &may_ask))
            return rank;
        if (call->peer == ANY_SOURCE && !ended)
            return NOBODY;
        if (call->peer == ANY_SOURCE)
            missing = rank;
    }
    return missing;
}

/* Whether ranks can be asked about the call at all. */
static bool can_watch(const Call *call) {
    const Communicator *comm = call->comm;
    return circles && comm && (comm->size > 1 || comm->whole) &&
           (call->peer >= 0 || call->peer == NO_PEER || (call->peer == ANY_SOURCE && is_only_thread()));
}

static int missing_rank(const Call *call, int may_ask) {
    const Communicator *comm = call->comm;
    MPI_Group group;
    int missing = NOBODY;
    if (!can_watch(call))
        return NOBODY;
    bool locked = enter_mpi();
    take_notes();
    if (peers_of(comm->comm, &group) == MPI_SUCCESS) {
        missing = find_missing(call, comm, group, may_ask);
        MPI_Group_free(&group);
    }
    leave_mpi(locked);
    return missing;
}

/* Daemon threads may serve others until the program ends, and just stop then. */
static bool is_daemon(void) {
    PyObject *threads = PyDict_GetItemString(PyImport_GetModuleDict(), "threading"); /* borrowed */
    PyObject *thread = threads ? PyObject_CallMethod(threads, "current_thread", NULL) : NULL;
    PyObject *daemon = thread ? PyObject_GetAttrString(thread, "daemon") : NULL;
    bool is = daemon && PyObject_IsTrue(daemon) > 0;
    PyErr_Clear();
    Py_XDECREF(daemon);
    Py_XDECREF(thread);
    return is;
}

static const char *const ways[] = {
    [AT_PROGRAM_END] = "has reached its end (exit code 0)",
    [BY_OS_EXIT] = "has ended by os._exit(0)",
    [BY_FINALIZE] = "has reached its end: it has called polympi.finalize()",
    [BY_MPI_FINALIZE] = "has reached its end: it has called MPI_Finalize",
};

static enum way_to_end way_of(MPI_Comm comm, int rank) {
    MPI_Group group;
    int there;
    if (peers_of(comm, &group) != MPI_SUCCESS)
        return AT_PROGRAM_END;
    const Circle *circle = circle_of(group, rank, &there);
    MPI_Group_free(&group);
    return circle ? circle->others[there].way : AT_PROGRAM_END;
}

/* "rank 0 has reached its end (exit code 0)", and what that means for the call. */
static const char *explain(const Call *call, int missing) {
    static char text[RANK_TEXT + 160];
    const Communicator *comm = call->comm;
    char rank[RANK_TEXT];
    if (call->peer == ANY_SOURCE)
        return "all other ranks have reached their end";
    snprintf(text, sizeof text, "%s %s%s", rank_text(rank, call, missing),
             ways[IN_TURN(way_of(comm->comm, missing))],
             call->peer == NO_PEER ? " and has not called it; all ranks must make the same collective calls"
                                   : "");
    return text;
}

const char *explain_ended(const Call *call) {
    int missing = state.phase == RUNNING ? missing_rank(call, 0) : NOBODY;
    return missing == NOBODY ? NULL : explain(call, missing);
}

Watch watch_begin(double time, double timeout) {
    return (Watch){.began = time,
                   .next = time + (timeout > 0 && timeout < 2 * ASK_SECONDS ? timeout / 2 : ASK_SECONDS)};
}

int watch_look(Watch *watch, const Call *call) {
    double time = now();
    watch->next = time + LOOK_SECONDS;
    long_wait_look(watch->began, &watch->reported, call);
    int missing = missing_rank(call, ASKED_AT_ONCE);
    if (missing == NOBODY) {
        watch->since = 0;
        return 0;
    }
    if (!watch->since) {
        watch->since = time;
        watch->looks = 0;
    }
    int place = state.world_rank < MOST_STAGGERED ? state.world_rank : MOST_STAGGERED;
    if (++watch->looks < ANSWER_LOOKS || time < watch->since + ANSWER_SECONDS + place * STAGGER_SECONDS ||
        is_daemon())
        return 0;
    double seconds = (double)(long)(10 * (time - watch->began)) / 10; /* nobody needs more digits */
    return raise_wait("EndedError", call, seconds, explain(call, missing));
}

static int open_circle(MPI_Comm comm, Circle **made) {
    int size, code = MPI_Comm_size(comm, &size);
    Circle *circle = code == MPI_SUCCESS ? calloc(1, sizeof *circle) : NULL;
    if (!circle)
        return code == MPI_SUCCESS ? MPI_ERR_OTHER : code;
    circle->comm = comm;
    circle->others = calloc((size_t)size, sizeof *circle->others);
    code = MPI_Comm_group(comm, &circle->group);
    *made = circle;
    return code == MPI_SUCCESS && !circle->others ? MPI_ERR_OTHER : code;
}

int ended_open(MPI_Comm comm) {
    int code = open_circle(comm, &circles);
    errors_explain_waits(explain_ended);
    return code;
}

int circle_make(MPI_Comm both, MPI_Comm between, int first, int count, Circle **made) {
    int code = open_circle(both, made);
    if (code == MPI_SUCCESS) {
        (*made)->between = between;
        (*made)->first = first;
        (*made)->strangers = count;
    }
    return code;
}

void circle_open(Circle *circle) {
    circle->next = circles->next;
    circles->next = circle;
}

void circle_close(Circle *circle) {
    bool locked = enter_mpi();
    take_notes();
    leave_mpi(locked);
    LIST_REMOVE(circles, circle);
}

int circle_free(Circle *circle) {
    MPI_Group_free(&circle->group);
    int code = MPI_Comm_free(&circle->comm);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_disconnect(&circle->between);
    free(circle->others);
    free(circle);
    return code;
}
