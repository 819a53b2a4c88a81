/* From one rank to all: down the tree. */
#include <string.h>

#include "collectives/rounds.h"

/* From the parent, then to the children, those with the largest parts of the tree first. */
static int next_branch(Rounds *rounds) {
    Spread *spread = (Spread *)rounds;
    if (spread->phase == TO_COME) {
        spread->phase = COMING;
        return round_receive(rounds, spread->message, spread->nbytes, spread->branch.parent);
    }
    if (spread->phase == COMING) {
        spread->phase = HERE;
        spread->nbytes = rounds->come;
    }
    if (!spread->child)
        return 0;
    int position = branch_child(&spread->branch, --spread->child);
    return round_send(rounds, spread->message, spread->nbytes, branch_rank(&spread->branch, position));
}

/* Along `spread->branch`. */
static void open_along(Spread *spread, Collective *collective, char *message, Py_ssize_t nbytes) {
    rounds_open(&spread->rounds, collective, next_branch);
    spread->rounds.requests = spread->requests;
    spread->rounds.sends_stay = true;
    spread->child = spread->branch.children;
    spread->phase = spread->branch.parent == NOBODY ? HERE : TO_COME;
    spread->message = message;
    spread->nbytes = nbytes;
}

void spread_open(Spread *spread, Collective *collective, void *message, Py_ssize_t most, int root) {
    branch_open(&spread->branch, collective, root);
    open_along(spread, collective, message, most);
    if (spread->phase == HERE) {
        Head head;
        memcpy(&head, message, sizeof head);
        spread->nbytes = head.nbytes;
    }
}

void spread_open_data(Spread *spread, Collective *collective, char *data, Py_ssize_t nbytes, int root) {
    branch_open(&spread->branch, collective, root);
    open_along(spread, collective, data, nbytes);
    spread->rounds.by_library = true;
}

int spread(Collective *collective, void *message, Py_ssize_t most, int root) {
    Spread spread;
    spread_open(&spread, collective, message, most, root);
    return rounds_run(&spread.rounds);
}

void spread_open_along(Spread *spread, Collective *collective, const Branch *branch, void *slots,
                       Py_ssize_t nbytes) {
    spread->branch = *branch;
    open_along(spread, collective, slots, nbytes);
}

int spread_along(Collective *collective, const Branch *branch, void *slots, Py_ssize_t nbytes) {
    Spread spread;
    spread_open_along(&spread, collective, branch, slots, nbytes);
    return rounds_run(&spread.rounds);
}
