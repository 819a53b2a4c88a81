/* A piece for each rank: scatter and alltoall (MPI 5.0, sections 6.6 and 6.8). */
#include <stdlib.h>

#include "codec/overlap.h"
#include "collectives/apart.h"
#include "collectives/collectives.h"
#include "collectives/letters.h"
#include "collectives/pieces.h"

enum { PIECES, SCATTER_ROOT, COUNTS, SCATTER_INTO, SCATTER_TIMEOUT };
Signature scatter_signature = {"scatter", 2, 0, 5, {"pieces", "root", "counts", "into", "timeout"}, {NULL}};
enum { ALLTOALL_COUNTS = 1, ALLTOALL_INTO, ALLTOALL_TIMEOUT };
Signature alltoall_signature = {"alltoall", 1, 1, 4, {"pieces", "counts", "into", "timeout"}, {NULL}};

/* ---- scatter ---- */

/* The root's slots, in the order of positions in the tree; when the pieces cannot be cut, the reason for
 * all. */
static void write_slots(Collective *collective, const Branch *branch, char *slots, PyObject *pieces,
                        Departure **departures) {
    slots += slot_write_empty(collective, slots);
    for (int position = 1; position < branch->size; position++) {
        int rank = branch_rank(branch, position);
        slots += pieces ? slot_write(collective, slots, PyTuple_GET_ITEM(pieces, rank), rank, departures)
                        : slot_write_failed(collective, slots);
    }
}

/* `slots` are those of this rank's part of the tree, its own first; elsewhere than at the root they come
 * there. */
typedef struct {
    Rounds rounds;
    const Branch *branch;
    char *slots;
    int child;   /* the one that got its slots last */
    bool awaits; /* the slots from above */
} Handing;

/* The bytes of so many slots. */
static Py_ssize_t slots_bytes(const char *slots, int count) {
    Py_ssize_t nbytes = 0;
    while (count-- > 0)
        nbytes += slot_bytes(slots + nbytes);
    return nbytes;
}

/* Hand slots down the tree, those of its largest part first. */
static int hand_down(Rounds *rounds) {
    Handing *handing = (Handing *)rounds;
    const Branch *branch = handing->branch;
    if (handing->awaits) {
        handing->awaits = false;
        return round_receive(rounds, handing->slots, slots_room(branch->part, branch->size), branch->parent);
    }
    if (!handing->child)
        return 0;
    int end = branch_child(branch, handing->child), begin = branch_child(branch, --handing->child);
    const char *first = handing->slots + slots_bytes(handing->slots, begin - branch->own);
    return round_send(rounds, first, slots_bytes(first, end - begin), branch_rank(branch, begin));
}

/* 0 or -1. */
static int hand_out(Collective *collective, const Branch *branch, char *slots) {
    Handing handing;
    rounds_open(&handing.rounds, collective, hand_down);
    handing.branch = branch;
    handing.slots = slots;
    handing.child = branch->children;
    handing.awaits = branch->own != 0;
    return rounds_run(&handing.rounds);
}

/* Whether the target (NULL: there is none) may lie where pieces are sent from. */
static bool departs_from(const Departure *departures, const Target *into) {
    for (; into && departures; departures = departures->next)
        if (stream_overlaps(&departures->out.stream, &into->layout))
            return true;
    return false;
}

/* The root copies its own piece while the others fetch theirs, if it may. */
static PyObject *scatter_from_here(Collective *collective, const Branch *branch, char *slots,
                                   PyObject *pieces, const Target *into) {
    Departure *departures = NULL;
    PyObject *own = NULL;
    write_slots(collective, branch, slots, pieces, &departures);
    bool failed = hand_out(collective, branch, slots) < 0 || departures_start(collective, departures) < 0;
    bool at_once = !failed && !collective->error && !departs_from(departures, into);
    if (at_once && !(own = deliver_own(PyTuple_GET_ITEM(pieces, branch->root), into, &collective->call)))
        collective_defer(collective);
    if (departures_close(collective, departures, failed) < 0 || collective->error) {
        Py_XDECREF(own);
        return NULL;
    }
    return at_once ? own : deliver_own(PyTuple_GET_ITEM(pieces, branch->root), into, &collective->call);
}

PyObject *communicator_scatter(Communicator *self, PyObject *const *args, Py_ssize_t nargs,
                               PyObject *kwnames) {
    PyObject *values[MOST_ARGUMENTS], *result = NULL, *pieces = NULL;
    Collective collective;
    Target target;
    int root;
    if (signature_parse(&scatter_signature, args, nargs, kwnames, values) < 0 ||
        parse_root(self, values[SCATTER_ROOT], "scatter", &root) < 0 ||
        collective_open(&collective, self, SCATTER, root, values[SCATTER_TIMEOUT]) < 0)
        return NULL;
    const Target *into = collective_target(&collective, &target, values[SCATTER_INTO]);
    if (self->rank == root) {
        PyObject *counts = values[COUNTS] == Py_None ? NULL : values[COUNTS];
        pieces = cut_pieces(&collective, values[PIECES] ? values[PIECES] : Py_None, counts);
        if (!pieces)
            collective_defer(&collective);
    }
    Branch branch;
    branch_open(&branch, &collective, root);
    char *slots = collective_memory(&collective, slots_room(self->size, self->size));
    if (slots && self->rank == root)
        result = scatter_from_here(&collective, &branch, slots, pieces, into);
    else if (slots && hand_out(&collective, &branch, slots) == 0)
        result = receive_piece(&collective, slots, root, into);
    Py_XDECREF(pieces);
    if (into)
        target_close(&target);
    if (collective_close(&collective) < 0)
        Py_CLEAR(result);
    return result;
}

/* ---- alltoall ---- */

/* Slots to and from all other ranks: those to send follow each other from `slot` on, those that come have
 * `room` each, by rank. */
typedef struct {
    Rounds rounds;
    PyObject *pieces; /* NULL: they could not be cut, for a reason that is deferred */
    char *memory, *slot;
    MPI_Request *receives; /* begun, of each source */
    Py_ssize_t room;
    int given, taken; /* slots so far, in order of distance */
    Departure *departures;
} Swapping;

static int before(const Swapping *swapping, int distance) {
    const Communicator *comm = swapping->rounds.collective->comm;
    return (comm->rank + comm->size - distance) % comm->size;
}

/* Write the slot for the next rank: its bytes. */
static Py_ssize_t write_next(Swapping *swapping, int *dest) {
    Collective *collective = swapping->rounds.collective;
    const Communicator *comm = collective->comm;
    *dest = (comm->rank + ++swapping->given) % comm->size;
    return swapping->pieces
               ? slot_write(collective, swapping->slot, PyTuple_GET_ITEM(swapping->pieces, *dest), *dest,
                            &swapping->departures)
               : slot_write_failed(collective, swapping->slot);
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
        Py_ssize_t nbytes = write_next(swapping, &dest);
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

/* The same through mailboxes, where ranks share processors: all that a rank gives is there when it first
 * waits. */
static int mail_slots(Rounds *rounds) {
    Swapping *swapping = (Swapping *)rounds;
    int others = rounds->collective->comm->size - 1, dest;
    if (swapping->given < others) {
        Py_ssize_t nbytes = write_next(swapping, &dest);
        const char *slot = swapping->slot;
        swapping->slot += nbytes;
        return round_send(rounds, slot, nbytes, dest);
    }
    if (swapping->taken == others)
        return 0;
    int source = before(swapping, ++swapping->taken);
    return round_receive(rounds, swapping->memory + source * swapping->room, swapping->room, source);
}

/* `requests` has room for one to and one from each rank. */
static void swapping_open(Swapping *swapping, Collective *collective, PyObject *pieces, char *memory,
                          MPI_Request *requests) {
    int size = collective->comm->size;
    rounds_open(&swapping->rounds, collective, without_tree(collective) ? mail_slots : exchange_slots);
    for (int i = 0; i < 2 * size; i++)
        requests[i] = MPI_REQUEST_NULL;
    swapping->rounds.requests = requests;
    swapping->rounds.sends_stay = true;
    swapping->receives = requests + size;
    swapping->pieces = pieces;
    swapping->memory = memory;
    swapping->slot = memory + slots_room(size, size);
    swapping->room = slot_room(size);
    swapping->given = swapping->taken = 0;
    swapping->departures = NULL;
}

/* The pieces of all ranks, from their slots. */
static PyObject *exchanged_pieces(Collective *collective, const char *memory, PyObject *pieces,
                                  const Target *into) {
    int size = collective->comm->size, here = collective->comm->rank;
    Arrivals arrivals;
    if (arrivals_open(&arrivals, collective, NULL, into) < 0)
        return NULL;
    for (int rank = 0; rank < size; rank++)
        if (rank != here)
            arrivals_slot(&arrivals, memory + rank * slot_room(size), rank);
        else if (pieces)
            arrivals_own(&arrivals, PyTuple_GET_ITEM(pieces, here));
    return arrivals_close(&arrivals, false);
}

static PyObject *run_alltoall(Collective *collective, PyObject *pieces, const Target *into) {
    int size = collective->comm->size;
    char *memory = collective_memory(collective, 2 * slots_room(size, size));
    MPI_Request *requests = malloc(2 * (size_t)size * sizeof *requests);
    Swapping swapping;
    PyObject *result = NULL;
    if (!memory || !requests) {
        free(requests);
        return PyErr_NoMemory();
    }
    swapping_open(&swapping, collective, pieces, memory, requests);
    bool failed = rounds_run(&swapping.rounds) < 0;
    if (failed)
        give_up(collective, swapping.receives, size, 0);
    free(requests);
    failed = failed || departures_start(collective, swapping.departures) < 0;
    if (!failed)
        result = exchanged_pieces(collective, memory, pieces, into);
    if (departures_close(collective, swapping.departures, failed) < 0)
        Py_CLEAR(result);
    return result;
}

PyObject *communicator_alltoall(Communicator *self, PyObject *const *args, Py_ssize_t nargs,
                                PyObject *kwnames) {
    PyObject *values[MOST_ARGUMENTS];
    Collective collective;
    Target target;
    if (signature_parse(&alltoall_signature, args, nargs, kwnames, values) < 0 ||
        collective_open(&collective, self, ALLTOALL, 0, values[ALLTOALL_TIMEOUT]) < 0)
        return NULL;
    const Target *into = collective_target(&collective, &target, values[ALLTOALL_INTO]);
    PyObject *counts = values[ALLTOALL_COUNTS] == Py_None ? NULL : values[ALLTOALL_COUNTS];
    PyObject *pieces =
        items_apart_from(into, cut_pieces(&collective, values[PIECES], counts), &collective.call);
    if (!pieces)
        collective_defer(&collective);
    PyObject *result = run_alltoall(&collective, pieces, into);
    Py_XDECREF(pieces);
    if (into)
        target_close(&target);
    if (collective_close(&collective) < 0)
        Py_CLEAR(result);
    return result;
}
