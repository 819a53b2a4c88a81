#include "collectives/creation.h"

#include "base/errors.h"
#include "base/list.h"
#include "transfer/progress/offloaded_call.h"
#include "transfer/progress/wait.h"
#include "transfer/transfer.h"

static Creation *creations; /* of this process, in the order in which they began */
static Creation *chosen;    /* the one that this rank makes now, or is ready to make */

static void leave(Creation *creation) {
    LIST_REMOVE(creations, creation);
    if (chosen == creation)
        chosen = NULL;
}

/* Queue up after the calls of other threads. A signal handler or destructor cannot wait for the call that it
 * has interrupted: -1 with StateError. */
static int enqueue(Creation *creation) {
    Creation **link = &creations;
    for (; *link; link = &(*link)->next)
        if (pthread_equal((*link)->thread, creation->thread))
            return raise_error(
                "StateError", &creation->call,
                "this thread is in %s() already: a signal handler or destructor that interrupts "
                "it cannot make or free communicators",
                (*link)->call.operation);
    *link = creation;
    return 0;
}

/* Of the ranks of a call: 0 if they are all of the communicator. */
static uint64_t key(const Creation *creation) { return creation->subset ? creation->subset->note.key : 0; }

/* Whether no other thread's call with the same ranks is before this one, nor one that frees the communicator;
 * for wait_poll. */
static int is_first(void *context) {
    const Creation *creation = context;
    for (const Creation *other = creations; other != creation; other = other->next)
        if (other->comm == creation->comm &&
            (key(other) == key(creation) || other->verb == FREE || creation->verb == FREE))
            return 0;
    return 1;
}

/* Whether a rank prefers one call to another; the same on all ranks. */
static bool goes_before(const Creation *one, const Creation *other) {
    return one->comm->number != other->comm->number ? one->comm->number < other->comm->number
                                                    : key(one) < key(other);
}

/* Choose this call, unless another one is chosen or goes first: of those that all ranks have reached, the one
 * whose communicator has the lowest number, the same on all ranks; then by their ranks. So there is always
 * one call in the job to which no rank prefers another. */
static bool choose(Creation *creation) {
    if (chosen)
        return false;
    for (const Creation *other = creations; other; other = other->next)
        if (other->ready && goes_before(other, creation))
            return false;
    chosen = creation;
    return true;
}

/* Whether all ranks say yes: 1, 0, or -1 with an exception. */
static int ask_all(const Creation *creation, bool yes) {
    if (creation->subset)
        return subset_ask(creation->subset, yes);
    Collective collective;
    if (collective_open(&collective, creation->comm, creation->verb, 0, NULL) < 0)
        return -1;
    int all = -1;
    Head *heads = (Head *)collective_memory(&collective, PACKET_BYTES); /* room for another call's message */
    if (heads) {
        heads[0] = (Head){
            .verb = (uint8_t)creation->verb, .kind = yes ? ANSWER_YES : ANSWER_NO, .nbytes = sizeof *heads};
        Doubling rounds = {.mine = (char *)&heads[0],
                           .theirs = (char *)&heads[1],
                           .most = PACKET_BYTES - sizeof *heads,
                           .combine = combine_answers};
        if (doubling_run(&rounds, &collective) == 0)
            all = ((Head *)rounds.mine)->kind;
    }
    return collective_close(&collective) < 0 ? -1 : all;
}

/* Let other threads complete the chosen call. 0, or -1 with an exception. */
static int let_others_go_first(const Creation *creation, double end) {
    if (anything_pending())
        progress_some();
    yield_gil();
    if (PyErr_CheckSignals() < 0)
        return -1;
    return end && now() >= end ? raise_timeout(&creation->call, state.timeout) : 0;
}

/* All ranks have reached it: try until all have chosen it. 0 or -1. */
static int choose_together(Creation *creation) {
    double end = state.timeout > 0 ? now() + state.timeout : 0;
    for (;;) {
        bool mine = choose(creation);
        int all = ask_all(creation, mine);
        if (all)
            return all < 0 ? -1 : 0;
        if (mine)
            chosen = NULL;
        if (let_others_go_first(creation, end) < 0)
            return -1;
    }
}

static void prepare(Creation *creation, Communicator *comm, enum verb verb) {
    *creation = (Creation){
        .comm = comm,
        .verb = verb,
        .call =
            {.operation = verb_names[verb], .rank = comm->rank, .peer = NO_PEER, .tag = NO_TAG, .comm = comm},
        .thread = pthread_self(),
    };
}

/* 0 or -1. */
static int reach(Creation *creation) {
    Communicator *comm = creation->comm;
    if (enqueue(creation) < 0)
        return -1;
    if (offloaded_wait(comm->named, &creation->call, state.timeout) == 0 &&
        wait_poll(is_first, creation, &creation->call, DEFAULT_TIMEOUT) > 0 && is_usable(comm) &&
        (!creation->subset || subset_begin(creation->subset) == 0) && ask_all(creation, true) >= 0) {
        creation->ready = true;
        if (choose_together(creation) == 0)
            return 0;
    }
    leave(creation);
    return -1;
}

int creation_begin(Creation *creation, Communicator *comm, enum verb verb) {
    prepare(creation, comm, verb);
    return reach(creation);
}

int creation_begin_subset(Creation *creation, Subset *subset) {
    prepare(creation, subset->comm, SUBSET);
    creation->subset = subset;
    creation->call.peer = subset->leader;
    return reach(creation);
}

void creation_end(Creation *creation) { leave(creation); }

int creation_make(int (*make)(void *context), void *context) {
    PyThreadState *thread = go_outside();
    take_turn();
    int code = make(context);
    end_turn();
    come_inside(thread);
    return code;
}
