#include "collectives/slot_rounds.h"

#include "collectives/letters.h"

/* ---- up a tree ---- */

/* From the child with the smallest part of the tree first. */
static int collect_slots(Rounds *rounds) {
    Collecting *collecting = (Collecting *)rounds;
    const TreePosition *tree = collecting->tree;
    collecting->used += rounds->come;
    if (collecting->child < tree->children) {
        int begin = tree_position_child(tree, collecting->child),
            end = tree_position_child(tree, ++collecting->child);
        return round_receive(rounds, collecting->slots + collecting->used,
                             slots_room(end - begin, tree->size), tree_position_rank(tree, begin));
    }
    if (tree->parent == NOBODY || collecting->given)
        return 0;
    collecting->given = true;
    return round_send(rounds, collecting->slots, collecting->used, tree->parent);
}

void collecting_open(Collecting *collecting, Collective *collective, const TreePosition *tree, char *slots,
                     Py_ssize_t used) {
    rounds_open(&collecting->rounds, collective, collect_slots);
    collecting->tree = tree;
    collecting->slots = slots;
    collecting->used = used;
    collecting->child = 0;
    collecting->given = false;
}

/* ---- among all units ---- */

/* Bruck's algorithm (Bruck and others 1997). */
static int spread_slots(Rounds *rounds) {
    Exchanging *exchanging = (Exchanging *)rounds;
    const TreePosition *tree = exchanging->tree;
    int units = tree->units, held = exchanging->held;
    exchanging->used += rounds->come;
    if (held >= units)
        return 0;
    int more = units - held < held ? units - held : held;
    int before = tree_position_unit(tree, units - held), after = tree_position_unit(tree, held);
    Py_ssize_t nbytes = 0;
    for (int given = tree_position_unit(tree, more); given > 0; given--)
        nbytes += slot_bytes(exchanging->slots + nbytes);
    exchanging->held <<= 1;
    return round_exchange(rounds, exchanging->slots, nbytes, tree_position_rank(tree, before),
                          exchanging->slots + exchanging->used,
                          slots_room(tree_position_unit(tree, held + more) - after, tree->size),
                          tree_position_rank(tree, after));
}

void exchanging_open(Exchanging *exchanging, Collective *collective, const TreePosition *tree, char *slots,
                     Py_ssize_t used) {
    rounds_open(&exchanging->rounds, collective, spread_slots);
    exchanging->tree = tree;
    exchanging->slots = slots;
    exchanging->used = used;
    exchanging->held = 1;
}

/* ---- down a tree ---- */

/* The bytes of several slots. */
static Py_ssize_t slots_bytes(const char *slots, int count) {
    Py_ssize_t nbytes = 0;
    while (count-- > 0)
        nbytes += slot_bytes(slots + nbytes);
    return nbytes;
}

/* To the child with the largest part of the tree first. */
static int hand_down(Rounds *rounds) {
    Handing *handing = (Handing *)rounds;
    const TreePosition *tree = handing->tree;
    if (handing->awaits) {
        handing->awaits = false;
        return round_receive(rounds, handing->slots, slots_room(tree->part, tree->size), tree->parent);
    }
    if (!handing->child)
        return 0;
    int end = tree_position_child(tree, handing->child), begin = tree_position_child(tree, --handing->child);
    const char *first = handing->slots + slots_bytes(handing->slots, begin - tree->own);
    return round_send(rounds, first, slots_bytes(first, end - begin), tree_position_rank(tree, begin));
}

void handing_open(Handing *handing, Collective *collective, const TreePosition *tree, char *slots) {
    rounds_open(&handing->rounds, collective, hand_down);
    handing->tree = tree;
    handing->slots = slots;
    handing->child = tree->children;
    handing->awaits = tree->own != 0;
}

/* ---- to and from all others ---- */

static int before(const Swapping *swapping, int distance) {
    const Communicator *comm = swapping->rounds.collective->comm;
    return (comm->rank + comm->size - distance) % comm->size;
}

static int after(const Swapping *swapping, int distance) {
    const Communicator *comm = swapping->rounds.collective->comm;
    return (comm->rank + distance) % comm->size;
}

/* Write the slot for a rank; its bytes. */
static Py_ssize_t write_slot(Swapping *swapping, char *slot, int dest) {
    Collective *collective = swapping->rounds.collective;
    return swapping->pieces ? slot_write(collective, slot, PyTuple_GET_ITEM(swapping->pieces, dest), dest,
                                         &swapping->departures)
                            : slot_write_failed(collective, slot);
}

void swapping_write(Swapping *swapping) {
    char *slot = swapping->slot;
    for (int distance = 1; distance < swapping->rounds.collective->comm->size; distance++)
        slot += write_slot(swapping, slot, after(swapping, distance));
    swapping->written = true;
}

/* The slot for the next rank; its bytes. */
static Py_ssize_t next_slot(Swapping *swapping, int *dest) {
    *dest = after(swapping, ++swapping->given);
    return swapping->written ? slot_bytes(swapping->slot) : write_slot(swapping, swapping->slot, *dest);
}

/* Begin to receive from all, and send to all. 0 or -1. */
static int begin_all(Swapping *swapping) {
    Collective *collective = swapping->rounds.collective;
    int others = collective->comm->size - 1, dest;
    for (int distance = 1; distance <= others; distance++) {
        int source = before(swapping, distance);
        if (start_receive(collective, swapping->memory + source * swapping->room, swapping->room, source,
                          &swapping->receives[distance - 1]) < 0)
            return -1;
    }
    while (swapping->given < others) {
        Py_ssize_t nbytes = next_slot(swapping, &dest);
        if (round_send_along(&swapping->rounds, swapping->slot, nbytes, dest) < 0)
            return -1;
        swapping->slot += nbytes;
    }
    return 0;
}

static int exchange_slots(Rounds *rounds) {
    Swapping *swapping = (Swapping *)rounds;
    int others = rounds->collective->comm->size - 1;
    if (swapping->given < others && begin_all(swapping) < 0)
        return -1;
    if (swapping->taken == others)
        return 0;
    MPI_Request *receive = &swapping->receives[swapping->taken++], begun = *receive;
    *receive = MPI_REQUEST_NULL;
    int source = before(swapping, swapping->taken);
    return round_await(rounds, begun, swapping->memory + source * swapping->room, source);
}

/* The same through mailboxes, if oversubscribed: a rank has written everything before it first waits. */
static int mail_slots(Rounds *rounds) {
    Swapping *swapping = (Swapping *)rounds;
    int others = rounds->collective->comm->size - 1, dest;
    if (swapping->given < others) {
        Py_ssize_t nbytes = next_slot(swapping, &dest);
        const char *slot = swapping->slot;
        swapping->slot += nbytes;
        return round_send(rounds, slot, nbytes, dest);
    }
    if (swapping->taken == others)
        return 0;
    int source = before(swapping, ++swapping->taken);
    return round_receive(rounds, swapping->memory + source * swapping->room, swapping->room, source);
}

void swapping_open(Swapping *swapping, Collective *collective, PyObject *pieces, char *memory,
                   MPI_Request *requests) {
    int size = collective->comm->size;
    rounds_open(&swapping->rounds, collective, without_tree(collective) ? mail_slots : exchange_slots);
    for (int i = 0; i < 2 * size; i++)
        requests[i] = MPI_REQUEST_NULL;
    swapping->rounds.requests = requests;
    swapping->rounds.receivers = NULL; /* each also sends something, which is waited for before */
    swapping->rounds.sends_stay = true;
    swapping->receives = requests + size;
    swapping->pieces = pieces;
    swapping->memory = memory;
    swapping->slot = memory + slots_room(size, size);
    swapping->room = slot_room(size);
    swapping->written = false;
    swapping->given = swapping->taken = 0;
    swapping->departures = NULL;
}

void swapping_give_up(Swapping *swapping) {
    Collective *collective = swapping->rounds.collective;
    give_up(collective, swapping->receives, collective->comm->size, 0);
}

static int step_swapping(void *state) { return rounds_step(state); }

static void give_up_phase(void *state) {
    rounds_phase.give_up(state);
    swapping_give_up(state);
}

const PhaseKind swapping_phase = {.step = step_swapping, .give_up = give_up_phase};
