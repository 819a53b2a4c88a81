/* A piece for each rank: scatter and alltoall (MPI 5.0, sections 6.6 and 6.8). */
#include <stdlib.h>

#include "collectives/apart.h"
#include "collectives/collectives.h"
#include "collectives/letters.h"
#include "collectives/pieces.h"

enum { PIECES, SCATTER_ROOT, COUNTS, SCATTER_INTO, SCATTER_TIMEOUT };
Signature scatter_signature = {"scatter", 2, 0, 5, {"pieces", "root", "counts", "into", "timeout"}, {NULL}};
enum { ALLTOALL_COUNTS = 1, ALLTOALL_INTO, ALLTOALL_TIMEOUT };
Signature alltoall_signature = {"alltoall", 1, 1, 4, {"pieces", "counts", "into", "timeout"}, {NULL}};

/* ---- scatter ---- */

/* The root's slots, its own and those of the ranks after it; when the pieces cannot be cut, the reason for
 * all. */
static void write_slots(Collective *collective, char *slots, PyObject *pieces, Departure **departures) {
    int size = collective->comm->size, root = collective->comm->rank;
    slots += slot_write_empty(collective, slots);
    for (int distance = 1; distance < size; distance++) {
        int rank = (root + distance) % size;
        slots += pieces ? slot_write(collective, slots, PyTuple_GET_ITEM(pieces, rank), rank, departures)
                        : slot_write_failed(collective, slots);
    }
}

/* `slots` are the root's, for all ranks from it on; elsewhere this rank's own comes to lie there, and those
 * of its subtree. */
typedef struct {
    Rounds rounds;
    char *slots;
    int root, own; /* this rank, counted from the root */
    int ranks;     /* whose slots are here, or come */
    int distance;  /* to the last rank that slots were handed to; without a tree, to the next */
    bool awaits;   /* the slots from above */
} Handing;

/* The bytes of so many slots. */
static Py_ssize_t slots_bytes(const char *slots, int count) {
    Py_ssize_t nbytes = 0;
    while (count-- > 0)
        nbytes += slot_bytes(slots + nbytes);
    return nbytes;
}

static int take_slots(Handing *handing, int above) {
    int size = handing->rounds.collective->comm->size;
    handing->awaits = false;
    return round_receive(&handing->rounds, handing->slots, slots_room(handing->ranks, size),
                         (handing->own - above + handing->root) % size);
}

/* Give each rank its slot at once, where there is no tree. */
static int give_to_all(Rounds *rounds) {
    Handing *handing = (Handing *)rounds;
    int size = rounds->collective->comm->size;
    if (handing->own)
        return handing->awaits ? take_slots(handing, handing->own) : 0;
    if (handing->distance == size)
        return 0;
    handing->slots += slot_bytes(handing->slots);
    return round_send(rounds, handing->slots, slot_bytes(handing->slots),
                      (handing->distance++ + handing->root) % size);
}

/* Hand slots down a binomial tree. */
static int hand_down(Rounds *rounds) {
    Handing *handing = (Handing *)rounds;
    int size = rounds->collective->comm->size;
    if (handing->awaits)
        return take_slots(handing, handing->distance);
    do
        handing->distance >>= 1;
    while (handing->distance >= handing->ranks);
    int distance = handing->distance;
    if (!distance)
        return 0;
    const char *first = handing->slots + slots_bytes(handing->slots, distance);
    Py_ssize_t nbytes = slots_bytes(first, handing->ranks - distance);
    handing->ranks = distance;
    return round_send(rounds, first, nbytes, (handing->own + distance + handing->root) % size);
}

static void handing_open(Handing *handing, Collective *collective, char *slots, int root) {
    int size = collective->comm->size, own = (collective->comm->rank - root + size) % size, distance = 1;
    bool flat = without_tree(collective);
    while (!flat && distance < size && !(own & distance))
        distance <<= 1;
    rounds_open(&handing->rounds, collective, flat ? give_to_all : hand_down);
    handing->slots = slots;
    handing->root = root;
    handing->own = own;
    handing->ranks = own + distance > size ? size - own : distance;
    handing->distance = distance;
    handing->awaits = own != 0;
}

/* 0 or -1. */
static int hand_out(Collective *collective, char *slots, int root) {
    Handing handing;
    handing_open(&handing, collective, slots, root);
    return rounds_run(&handing.rounds);
}

static PyObject *scatter_from_here(Collective *collective, char *slots, PyObject *pieces,
                                   const Target *into) {
    int root = collective->comm->rank;
    Departure *departures = NULL;
    write_slots(collective, slots, pieces, &departures);
    bool failed = hand_out(collective, slots, root) < 0 || departures_start(collective, departures) < 0;
    if (departures_close(collective, departures, failed) < 0 || collective->error)
        return NULL;
    return deliver_own(PyTuple_GET_ITEM(pieces, root), into, &collective->call);
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
    char *slots = collective_memory(&collective, slots_room(self->size, self->size));
    if (slots && self->rank == root)
        result = scatter_from_here(&collective, slots, pieces, into);
    else if (slots && hand_out(&collective, slots, root) == 0)
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
