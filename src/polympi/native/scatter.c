/* A piece for each rank: scatter and alltoall (MPI 5.0, sections 6.6 and 6.8). */
#include <stdlib.h>

#include "collectives.h"
#include "pieces.h"

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

/* Hand slots down a binomial tree: `slots` are the root's, for all ranks from it on; elsewhere this rank's
 * own comes to lie there, and those of its subtree. 0 or -1. */
static int hand_down(Collective *collective, char *slots, int root) {
    int size = collective->comm->size, own = (collective->comm->rank - root + size) % size, distance = 1;
    while (distance < size && !(own & distance))
        distance <<= 1;
    int ranks = own + distance > size ? size - own : distance;
    if (own && exchange(collective, NULL, 0, NOBODY, slots, slots_room(ranks, size),
                        (own - distance + root) % size) < 0)
        return -1;
    for (distance >>= 1; distance; distance >>= 1) {
        if (distance >= ranks)
            continue;
        char *first = slots;
        for (int i = 0; i < distance; i++)
            first += slot_bytes(first);
        Py_ssize_t nbytes = 0;
        for (int i = distance; i < ranks; i++)
            nbytes += slot_bytes(first + nbytes);
        if (exchange(collective, first, nbytes, (own + distance + root) % size, NULL, 0, NOBODY) < 0)
            return -1;
        ranks = distance;
    }
    return 0;
}

static PyObject *scatter_from_here(Collective *collective, char *slots, PyObject *pieces,
                                   const Target *into) {
    int root = collective->comm->rank;
    Departure *departures = NULL;
    write_slots(collective, slots, pieces, &departures);
    bool failed = hand_down(collective, slots, root) < 0 || departures_start(collective, departures) < 0;
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
        collective_open(&collective, self, SCATTER, values[SCATTER_TIMEOUT]) < 0)
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
    else if (slots && hand_down(&collective, slots, root) == 0)
        result = receive_piece(&collective, slots, root, into);
    Py_XDECREF(pieces);
    if (into)
        target_close(&target);
    if (collective_close(&collective) < 0)
        Py_CLEAR(result);
    return result;
}

/* ---- alltoall ---- */

/* Exchange slots with all other ranks: those to send follow each other, those that come have `room` each, by
 * rank. 0 or -1. */
static int exchange_slots(Collective *collective, PyObject *pieces, char *memory, MPI_Request *requests,
                          MPI_Status *statuses, Departure **departures) {
    int size = collective->comm->size, rank = collective->comm->rank, others = size - 1;
    Py_ssize_t room = slot_room(size);
    char *out = memory + slots_room(size, size);
    for (int i = 0; i < others; i++)
        requests[i] = requests[others + i] = MPI_REQUEST_NULL;
    int failed = 0;
    for (int i = 0; i < others && !failed; i++) {
        int source = (rank + size - 1 - i) % size;
        failed = start_receive(collective, memory + source * room, room, source, &requests[i]);
    }
    for (int i = 0; i < others && !failed; i++) {
        int dest = (rank + 1 + i) % size;
        Py_ssize_t nbytes =
            pieces ? slot_write(collective, out, PyTuple_GET_ITEM(pieces, dest), dest, departures)
                   : slot_write_failed(collective, out);
        failed = start_send(collective, out, nbytes, dest, &requests[others + i]);
        out += nbytes;
    }
    if (failed || collective_wait(collective, requests, others, others, statuses) < 0)
        return -1;
    for (int i = 0; i < others; i++)
        if (examine(collective, memory + (rank + size - 1 - i) % size * room, &statuses[i]) < 0)
            return -1;
    return 0;
}

/* The pieces of all ranks, from their slots. */
static PyObject *assemble(Collective *collective, const char *memory, PyObject *pieces, const Target *into) {
    int size = collective->comm->size, here = collective->comm->rank;
    Arrivals arrivals;
    if (arrivals_open(&arrivals, collective, into) < 0)
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
    MPI_Status *statuses = malloc(2 * (size_t)size * sizeof *statuses);
    Departure *departures = NULL;
    PyObject *result = NULL;
    bool failed = !memory || !requests || !statuses;
    if (failed)
        PyErr_NoMemory();
    else
        failed = exchange_slots(collective, pieces, memory, requests, statuses, &departures) < 0 ||
                 departures_start(collective, departures) < 0;
    free(requests);
    free(statuses);
    if (!failed)
        result = assemble(collective, memory, pieces, into);
    if (departures_close(collective, departures, failed) < 0)
        Py_CLEAR(result);
    return result;
}

PyObject *communicator_alltoall(Communicator *self, PyObject *const *args, Py_ssize_t nargs,
                                PyObject *kwnames) {
    PyObject *values[MOST_ARGUMENTS];
    Collective collective;
    Target target;
    if (signature_parse(&alltoall_signature, args, nargs, kwnames, values) < 0 ||
        collective_open(&collective, self, ALLTOALL, values[ALLTOALL_TIMEOUT]) < 0)
        return NULL;
    const Target *into = collective_target(&collective, &target, values[ALLTOALL_INTO]);
    PyObject *counts = values[ALLTOALL_COUNTS] == Py_None ? NULL : values[ALLTOALL_COUNTS];
    PyObject *pieces = cut_pieces(&collective, values[PIECES], counts);
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
