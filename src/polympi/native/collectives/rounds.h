/* The rounds of a collective call: small messages between the ranks.
 *
 * MPI doesn't match a blocking collective of one rank with a nonblocking one of another (MPI 5.0,
 * section 6.12), and only a rank itself knows whether it may block: it may have a time-out, other threads, or
 * receives that need progress. So small data are sent in messages of the core, on the shadow communicator
 * with the tag of the call, which cost as much as the messages of the library's own small collectives. With
 * them the ranks also agree on how to call the library's collectives, which send large data.
 *
 * Rounds are not a loop on the stack: `rounds_step` continues them without waiting, wherever it is called;
 * blocking calls step until they are over.
 */
#pragma once

#include "collectives/phase_op.h"
#include "collectives/tree_position.h"

/* ---- the state of rounds ---- */

enum round_stage {
    BETWEEN,    /* the next round is not set up */
    GIVING,     /* the message has not been posted */
    GETTING,    /* a letter has not arrived */
    COMPLETING, /* messages of the library are pending */
    ENDING      /* after the last round, sends are pending */
};

/* Each round sends a message (which begins with a Head) and receives another at the same time; to or from
 * NOBODY: none. Collectives put this first in a struct with the state of their `next`. */
typedef struct Rounds {
    Collective *collective;
    /* Handle what was received, and set up the next round by one of the functions below: 1; 0 if that was the
     * last one, -1 with an exception. */
    int (*next)(struct Rounds *rounds);
    enum round_stage stage;
    bool by_library; /* always by messages of the library, without heads */
    bool sends_stay; /* what is sent doesn't change, so only the end waits for the sends */
    const void *message;
    Py_ssize_t nbytes;
    int dest, source;
    void *room;
    Py_ssize_t most;
    Py_ssize_t come;       /* bytes received in the last round; 0 from NOBODY */
    MPI_Request *requests; /* one to receive, while `receiving`, then those to send */
    int *receivers;        /* of those to send, at the same indices; NULL: not recorded */
    int receiving, sends;
    MPI_Request own[2]; /* the default memory for these */
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

/* Continue without waiting: 1 when they are over, 0 if they wait for others, -1 with an exception, after
 * which they have to be given up. */
int rounds_step(Rounds *rounds);
/* Step until they are over. 0, or -1 with an exception; they are given up then. */
int rounds_run(Rounds *rounds);

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
/* The round takes over a receive that was begun before. */
static inline int round_await(Rounds *rounds, MPI_Request request, void *room, int source) {
    round_receive(rounds, room, 0, source);
    rounds->requests[0] = request;
    rounds->receiving = 1;
    rounds->stage = COMPLETING;
    return 1;
}
/* Also send a message of the library, for which the rounds wait at the end. 0 or -1. */
int round_send_along(Rounds *rounds, const void *message, Py_ssize_t nbytes, int dest);

/* Leave requests, first receives and then sends, to MPI, with their memory. -1. */
int give_up(Collective *collective, MPI_Request *requests, int receives, int sends);
/* The bytes of a received message, or -1 with MismatchError if its sender calls another collective. */
Py_ssize_t examine(const Collective *collective, const void *message, Py_ssize_t nbytes, int source);
/* Start one send or receive. 0 or -1. */
int start_send(Collective *collective, const void *message, Py_ssize_t nbytes, int dest,
               MPI_Request *request);
int start_receive(Collective *collective, void *room, Py_ssize_t most, int source, MPI_Request *request);

/* ---- from one to all: tree.c ---- */

/* The root's message is sent to all ranks. */
typedef struct {
    Rounds rounds;
    TreePosition tree;
    char *message;
    Py_ssize_t nbytes; /* room for it; after the receive, its bytes */
    int child;         /* the last one that got it; those with large parts of the tree are first */
    enum { TO_COME, COMING, HERE } phase;
    MPI_Request requests[1 + MOST_CHILDREN];
    int receivers[1 + MOST_CHILDREN];
} Spread;

void spread_open(Spread *spread, Collective *collective, void *message, Py_ssize_t most, int root);
/* The same with data whose length all ranks know, by messages of the library. A root without data may send 0
 * bytes instead; at the end, `nbytes` is what was received. */
void spread_open_data(Spread *spread, Collective *collective, char *data, Py_ssize_t nbytes, int root);
/* Up to how many bytes of data this is faster than an agreement and the library's bcast. */
Py_ssize_t most_down_the_tree(const Communicator *comm);

/* The same along a given tree, of slots: `nbytes` of them at the root, elsewhere the room. */
void spread_open_along(Spread *spread, Collective *collective, const TreePosition *tree, void *slots,
                       Py_ssize_t nbytes);

/* Both blocking: 0, or -1 with an exception. */
int spread(Collective *collective, void *message, Py_ssize_t most, int root);
int spread_along(Collective *collective, const TreePosition *tree, void *slots, Py_ssize_t nbytes);

/* ---- among all: doubling.c ---- */

/* Combine the messages of all ranks, at all of them: by recursive doubling in ceil(log2(size)) rounds, and
 * two more if the size isn't a power of two. All ranks get the same bits, since each combination has the same
 * two operands wherever it is made.
 *
 * If ranks are on several machines, the first rank of each combines those of its machine, along a tree, does
 * the doubling for them, and sends the result down. So the order of ranks is kept only if each machine has
 * consecutive ranks; otherwise operations that need this order ignore the machines. */
typedef struct Doubling {
    Rounds rounds;
    char *mine; /* the message of this rank; then of a range of ranks that includes it; at the end, of all */
    char *theirs; /* room for that of another range */
    Py_ssize_t most;
    bool in_order; /* combine in the order of ranks */
    /* Combine both into `mine`; `theirs` is of the range just below (or above) that of `mine`. */
    void (*combine)(struct Doubling *doubling, bool below);
    /* The message for the rank above, which sat out because the size isn't a power of two; NULL: `mine`. If
     * set, machines are ignored. */
    char *(*for_neighbour)(struct Doubling *doubling);
    bool sat_out; /* this rank did, and `mine` is from for_neighbour */
    enum { MEETING, ABSORBING, SITTING_OUT, PAIRING, HANDING_BACK } phase;
    const Placement *placement; /* its machines are the units below; NULL: these are ranks */
    Level here;                 /* the ranks of this unit */
    int units, unit;            /* how many, and that of this rank */
    int power;                  /* of two: the units that participate */
    int child;                  /* the ranks that have handed their messages to this one */
    int distance;               /* to the partner of the next round, among these units */
    bool below;                 /* the last partner is below this rank */
} Doubling;
/* For `combine`: exchange the two messages; combine answers of all ranks, which are in Head.kind. */
static inline void swap_messages(Doubling *doubling) {
    char *mine = doubling->mine;
    doubling->mine = doubling->theirs;
    doubling->theirs = mine;
}
void combine_answers(Doubling *doubling, bool below);
/* The messages, `combine` and `for_neighbour` are set before. */
void doubling_open(Doubling *doubling, Collective *collective);
/* The same, blocking: 0 or -1. */
int doubling_run(Doubling *doubling, Collective *collective);

/* Whether this rank may call a blocking collective of the library. Not on an oversubscribed machine if the
 * library doesn't yield: it spins, and the rank that it waits for doesn't run (16 MB to 3 ranks on 2
 * processors: 4.5 s with MPICH, 0.05 s otherwise). */
bool can_block(const Collective *collective);
/* Before a collective of the library, the ranks agree on whether each can go on (`able`; if not, its
 * exception is deferred) and may block: a phase of the call. */
typedef struct {
    Doubling doubling;
    Head *answers; /* of this rank; then room for that of another one */
} Agreement;
/* 0, or -1 with MemoryError. */
int agreement_open(Agreement *agreement, Collective *collective, bool able);
/* After its rounds: 0, and `*blocking` is the same on all ranks; -1 with an exception if a rank cannot go on.
 */
int agreement_end(Agreement *agreement, bool *blocking);
/* After agreement_open, in any case. */
void agreement_close(Agreement *agreement);
