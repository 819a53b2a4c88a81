/* The rounds of a collective call: small messages between the ranks.
 *
 * MPI matches no blocking collective of one rank with a nonblocking one of another (MPI 5.0, section 6.12),
 * and whether a rank may block is its own affair: it may have a time-out, other threads, receives that have
 * to be moved on. So what is small travels in messages of ours, on the shadow communicator with a tag of the
 * call. They cost what the library's own small collectives cost, since those are made of messages, too. In
 * them the ranks agree on how to call the library's collectives, which move large data.
 *
 * Rounds are no loop on the stack: `rounds_step` moves them on as far as they go without waiting, from
 * wherever it is called; blocking calls step until they are over.
 */
#ifndef POLYMPI_ROUNDS_H
#define POLYMPI_ROUNDS_H

#include "collectives/phase_op.h"
#include "collectives/tree_position.h"

/* ---- rounds under way ---- */

enum round_stage {
    BETWEEN,    /* the next round is not set up */
    GIVING,     /* the message has not been given */
    GETTING,    /* a letter has not come */
    COMPLETING, /* messages of the library are under way */
    ENDING      /* there is no further round; what was sent has not left */
};

/* Each round sends a message (which begins with a Head) and receives another at the same time; to or from
 * NOBODY: nothing. A collective puts this first in a struct with what its `next` has to remember. */
typedef struct Rounds {
    Collective *collective;
    /* Deal with what has come, and set up the next round by one of the functions below: 1; 0 if that was the
     * last one, -1 with an exception. */
    int (*next)(struct Rounds *rounds);
    enum round_stage stage;
    bool by_library; /* as messages of the library in any case, without heads */
    bool sends_stay; /* what is sent stays as it is, so that only the end waits until it has left */
    const void *message;
    Py_ssize_t nbytes;
    int dest, source;
    void *room;
    Py_ssize_t most;
    Py_ssize_t come;       /* the bytes received in the last round; 0 from NOBODY */
    MPI_Request *requests; /* one to receive, while `receiving`, then those to send */
    int *receivers;        /* of those to send, at the same places; NULL: they are not known */
    int receiving, sends;
    MPI_Request own[2]; /* which these are, unless several sends stay */
    int own_receivers[2];
    MPI_Status status;
} Rounds;

static inline void rounds_open(Rounds *rounds, Collective *collective, int (*next)(Rounds *rounds)) {
    rounds->collective = collective;
    rounds->next = next;
    rounds->stage = BETWEEN;
    rounds->by_library = rounds->sends_stay = false;
    rounds->come = 0;
    rounds->requests = rounds->own;
    rounds->receivers = rounds->own_receivers;
    rounds->receiving = rounds->sends = 0;
}

/* Move them on as far as they go without waiting: 1 when they are over, 0 when they wait for others, -1 with
 * an exception, after which rounds_give_up has to be called. */
int rounds_step(Rounds *rounds);
/* Step until they are over. 0, or -1 with an exception; they are given up then. */
int rounds_run(Rounds *rounds);
/* Leave what is under way to MPI. -1. */
int rounds_give_up(Rounds *rounds);

/* For `next`: both, or one of them. 1. */
static inline int round_exchange(Rounds *rounds, const void *message, Py_ssize_t nbytes, int dest, void *room,
                                 Py_ssize_t most, int source) {
    rounds->message = message;
    rounds->nbytes = nbytes;
    rounds->dest = dest;
    rounds->room = room;
    rounds->most = most;
    rounds->source = source;
    rounds->come = 0;
    rounds->stage = GIVING;
    return 1;
}
static inline int round_send(Rounds *rounds, const void *message, Py_ssize_t nbytes, int dest) {
    return round_exchange(rounds, message, nbytes, dest, NULL, 0, NOBODY);
}
static inline int round_receive(Rounds *rounds, void *room, Py_ssize_t most, int source) {
    return round_exchange(rounds, NULL, 0, NOBODY, room, most, source);
}
/* A receive that was begun before, which the round takes over. */
static inline int round_await(Rounds *rounds, MPI_Request request, void *room, int source) {
    round_receive(rounds, room, 0, source);
    rounds->requests[0] = request;
    rounds->receiving = 1;
    rounds->stage = COMPLETING;
    return 1;
}
/* Send a message of the library beside the rounds, which wait for it in the end. 0 or -1. */
int round_send_along(Rounds *rounds, const void *message, Py_ssize_t nbytes, int dest);

/* Leave requests, of which the first are receives, to MPI, with the memory it uses. -1. */
int give_up(Collective *collective, MPI_Request *requests, int receives, int sends);
/* The bytes of a message that has come, or -1 with MismatchError when its sender calls another collective. */
Py_ssize_t examine(const Collective *collective, const void *message, Py_ssize_t nbytes, int source);
/* Start one send or receive. 0 or -1. */
int start_send(Collective *collective, const void *message, Py_ssize_t nbytes, int dest,
               MPI_Request *request);
int start_receive(Collective *collective, void *room, Py_ssize_t most, int source, MPI_Request *request);

/* ---- from one to all: tree.c ---- */

/* The root's message on its way to all ranks. */
typedef struct {
    Rounds rounds;
    TreePosition tree;
    char *message;
    Py_ssize_t nbytes; /* room for it; of data, what there is of them */
    int child;         /* the one that got it last; children with large parts of the tree are first */
    enum { TO_COME, COMING, HERE } phase;
    MPI_Request requests[1 + MOST_CHILDREN];
    int receivers[1 + MOST_CHILDREN];
} Spread;

void spread_open(Spread *spread, Collective *collective, void *message, Py_ssize_t most, int root);
/* The same with data, of which all ranks know the length, as messages of the library. The root may give 0
 * bytes instead, where it has none; in the end `nbytes` have come. */
void spread_open_data(Spread *spread, Collective *collective, char *data, Py_ssize_t nbytes, int root);
/* Up to how many bytes of data that is faster than to ask all ranks and have the library do it. */
Py_ssize_t most_down_the_tree(const Communicator *comm);

/* The same along a given tree, of slots: `nbytes` of them at the root, elsewhere the room. */
void spread_open_along(Spread *spread, Collective *collective, const TreePosition *tree, void *slots,
                       Py_ssize_t nbytes);

/* Both blocking: 0, or -1 with an exception. */
int spread(Collective *collective, void *message, Py_ssize_t most, int root);
int spread_along(Collective *collective, const TreePosition *tree, void *slots, Py_ssize_t nbytes);

/* ---- among all: doubling.c ---- */

/* What all ranks have, combined at all of them: by recursive doubling in ceil(log2(size)) rounds, and two
 * more where the size is no power of two. All ranks get the very same bits, as each combination is made of
 * the same two operands wherever it is made.
 *
 * Where ranks are on several machines, the first rank of each combines what its machine has, along a tree,
 * takes part in the doubling for it, and hands the result down. So the order of ranks is kept only where
 * those of each machine are consecutive; elsewhere what needs this order does without the machines. */
typedef struct Doubling {
    Rounds rounds;
    char *mine; /* the message of this rank; then, of a range of ranks with this one in it; in the end, of all
                 */
    char *theirs; /* room for one of another range */
    Py_ssize_t most;
    bool in_order; /* combine in the order of ranks */
    /* Make `mine` the combination; `theirs` are of the range just below (or above) that of `mine`. */
    void (*combine)(struct Doubling *doubling, bool below);
    /* The message for the rank above, which sat out because the size is no power of two; NULL: `mine`. Then
     * each rank counts by itself, wherever it is. */
    char *(*for_neighbour)(struct Doubling *doubling);
    bool sat_out; /* this rank did, and `mine` is what for_neighbour has made */
    enum { MEETING, ABSORBING, SITTING_OUT, PAIRING, HANDING_BACK } phase;
    const Placement *placement; /* whose machines are the units below; NULL: these are ranks */
    Level here;                 /* the ranks of this unit */
    int units, unit;            /* how many, and that of this rank */
    int power;                  /* of two: the units that take part */
    int child;                  /* the ranks that have given their messages away to this one */
    int distance;               /* to the partner of the next round, among the units that take part */
    bool below;                 /* the last partner is below this rank */
} Doubling;
/* For `combine`: exchange the two messages; combine answers of all ranks, which are in Head.kind. */
static inline void swap_messages(Doubling *doubling) {
    char *mine = doubling->mine;
    doubling->mine = doubling->theirs;
    doubling->theirs = mine;
}
void combine_answers(Doubling *doubling, bool below);
/* Where its messages, `combine` and `for_neighbour` are given. */
void doubling_open(Doubling *doubling, Collective *collective);
/* The same, blocking: 0 or -1. */
int doubling_run(Doubling *doubling, Collective *collective);

/* Whether this rank may call a blocking collective of the library. Not where ranks share processors and the
 * library does not yield: it spins, and the one that is waited for does not run (16 MB to 3 ranks on 2
 * processors: 4.5 s with MPICH, 0.05 s otherwise). */
bool can_block(const Collective *collective);
/* All ranks are asked whether each can go on (`able`; if not, its exception is deferred) and may block,
 * before a collective of the library: a phase of its call. */
typedef struct {
    Doubling doubling;
    Head *answers; /* of this rank; room for that of another one follows */
} Agreement;
/* 0, or -1 with MemoryError. */
int agreement_open(Agreement *agreement, Collective *collective, bool able);
/* When its rounds are over: 0, and `*blocking` is the same at all; -1 with an exception when a rank cannot.
 */
int agreement_end(Agreement *agreement, bool *blocking);
/* After agreement_open, in any case. */
void agreement_close(Agreement *agreement);

#endif
