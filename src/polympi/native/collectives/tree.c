/* Broadcasting down the tree. */
#include <string.h>

#include "collectives/rounds.h"

/* Receive from the parent, then send to the children, those with the largest parts of the tree first. */
static int next_branch(Rounds *rounds) {
    Spread *spread = (Spread *)rounds;
    if (spread->phase == TO_COME) {
        spread->phase = COMING;
        return round_receive(rounds, spread->message, spread->nbytes, spread->tree.parent);
    }
    if (spread->phase == COMING) {
        spread->phase = HERE;
        spread->nbytes = rounds->come;
    }
    if (!spread->child)
        return 0;
    int position = tree_position_child(&spread->tree, --spread->child);
    return round_send(rounds, spread->message, spread->nbytes, tree_position_rank(&spread->tree, position));
}

/* Along `spread->tree`. */
static void open_along(Spread *spread, Collective *collective, char *message, Py_ssize_t nbytes) {
    rounds_open(&spread->rounds, collective, next_branch);
    spread->rounds.requests = spread->requests;
    spread->rounds.receivers = spread->receivers;
    spread->rounds.sends_stay = true;
    spread->child = spread->tree.children;
    spread->phase = spread->tree.parent == NOBODY ? HERE : TO_COME;
    spread->message = message;
    spread->nbytes = nbytes;
}

void spread_open(Spread *spread, Collective *collective, void *message, Py_ssize_t most, int root) {
    tree_position_open(&spread->tree, collective, root);
    open_along(spread, collective, message, most);
    if (spread->phase == HERE) {
        Head head;
        memcpy(&head, message, sizeof head);
        spread->nbytes = head.nbytes;
    }
}

void spread_open_data(Spread *spread, Collective *collective, char *data, Py_ssize_t nbytes, int root) {
    tree_position_open(&spread->tree, collective, root);
    open_along(spread, collective, data, nbytes);
    spread->rounds.by_library = true;
}

/* On an oversubscribed machine, an agreement and the library's nonblocking collective take longer than the
 * data: 64 KiB to 8 ranks on 2 processors 368 us instead of 116 with MPICH 5.0, 243 instead of 161 with Open
 * MPI 5.0.
 *
 * If each rank is alone on its machine, an agreement takes two consecutive messages per level of the tree: 8
 * KiB over two hosts take 38 us with it, and 20 without. This is only for data that libraries send eagerly,
 * so that a rank that has left the call doesn't hold up its parent. In pieces of that size, more data took
 * longer than with an agreement: 64 KiB 109 us instead of 60. */
Py_ssize_t most_down_the_tree(const Communicator *comm) {
    enum { WHEN_OVERSUBSCRIBED = 1 << 20 };
    return state.oversubscribed ? WHEN_OVERSUBSCRIBED : comm->apart ? PACKET_BYTES : 0;
}

int spread(Collective *collective, void *message, Py_ssize_t most, int root) {
    Spread spread;
    spread_open(&spread, collective, message, most, root);
    return rounds_run(&spread.rounds);
}

void spread_open_along(Spread *spread, Collective *collective, const TreePosition *tree, void *slots,
                       Py_ssize_t nbytes) {
    spread->tree = *tree;
    open_along(spread, collective, slots, nbytes);
}

int spread_along(Collective *collective, const TreePosition *tree, void *slots, Py_ssize_t nbytes) {
    Spread spread;
    spread_open_along(&spread, collective, tree, slots, nbytes);
    return rounds_run(&spread.rounds);
}
