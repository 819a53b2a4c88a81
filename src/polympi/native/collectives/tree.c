/* From one rank to all: down a binomial tree. */
#include <string.h>

#include "collectives/mailbox.h"
#include "collectives/rounds.h"

bool without_tree(const Collective *collective) {
    return state.crowded && collective->comm->together && collective->comm->size <= MOST_IN_A_CROWD;
}

static Branch branch_of(const Collective *collective, int root) {
    int size = collective->comm->size, own = (collective->comm->rank - root + size) % size;
    Branch branch = {.size = size, .root = root, .own = own, .reach = 1, .flat = without_tree(collective)};
    if (branch.flat)
        branch.reach = own ? own : size;
    while (!branch.flat && branch.reach < size && !(own & branch.reach))
        branch.reach <<= 1;
    return branch;
}

static int parent_of(const Branch *branch) {
    return (branch->own - branch->reach + branch->root + branch->size) % branch->size;
}

/* The next child, with the largest part of the tree first; NOBODY when there are no more. `*distance` is
 * where the last one was, at first `reach`. */
static int next_child(const Branch *branch, int *distance) {
    if (branch->flat)
        return branch->own || --*distance == 0 ? NOBODY : (branch->root + *distance) % branch->size;
    while (*distance >>= 1)
        if (branch->own + *distance < branch->size)
            return (branch->own + *distance + branch->root) % branch->size;
    return NOBODY;
}

/* From the parent, then to the children. */
static int next_branch(Rounds *rounds) {
    Spread *spread = (Spread *)rounds;
    if (spread->phase == TO_COME) {
        spread->phase = COMING;
        return round_receive(rounds, spread->message, spread->nbytes, parent_of(&spread->branch));
    }
    if (spread->phase == COMING) {
        spread->phase = HERE;
        spread->nbytes = rounds->come;
    }
    int child = next_child(&spread->branch, &spread->distance);
    return child == NOBODY ? 0 : round_send(rounds, spread->message, spread->nbytes, child);
}

static void open_branch(Spread *spread, Collective *collective, char *message, Py_ssize_t nbytes, int root) {
    rounds_open(&spread->rounds, collective, next_branch);
    spread->rounds.requests = spread->requests;
    spread->rounds.sends_stay = true;
    spread->branch = branch_of(collective, root);
    spread->distance = spread->branch.reach;
    spread->phase = spread->branch.own ? TO_COME : HERE;
    spread->message = message;
    spread->nbytes = nbytes;
}

void spread_open(Spread *spread, Collective *collective, void *message, Py_ssize_t most, int root) {
    open_branch(spread, collective, message, most, root);
    if (spread->phase == HERE) {
        Head head;
        memcpy(&head, message, sizeof head);
        spread->nbytes = head.nbytes;
    }
}

void spread_open_data(Spread *spread, Collective *collective, char *data, Py_ssize_t nbytes, int root) {
    open_branch(spread, collective, data, nbytes, root);
    spread->rounds.by_library = true;
}

int spread(Collective *collective, void *message, Py_ssize_t most, int root) {
    Spread spread;
    spread_open(&spread, collective, message, most, root);
    return rounds_run(&spread.rounds);
}

int spread_data(Collective *collective, char *data, Py_ssize_t nbytes, int root) {
    Spread spread;
    spread_open_data(&spread, collective, data, nbytes, root);
    return rounds_run(&spread.rounds) < 0 ? -1 : (int)spread.nbytes;
}
