/* A piece for each rank: scatter and alltoall (MPI 5.0, sections 6.6 and 6.8). */
#include <stdlib.h>

#include "codec/overlap.h"
#include "collectives/alias_copy.h"
#include "collectives/async_pieces.h"
#include "collectives/collectives.h"

enum { PIECES, SCATTER_ROOT, COUNTS, SCATTER_INTO, SCATTER_TIMEOUT };
Signature scatter_signature = {"scatter", 2, 0, 5, {"pieces", "root", "counts", "into", "timeout"}, {NULL}};
enum { ALLTOALL_COUNTS = 1, ALLTOALL_INTO, ALLTOALL_TIMEOUT };
Signature alltoall_signature = {"alltoall", 1, 1, 4, {"pieces", "counts", "into", "timeout"}, {NULL}};

/* ---- scatter ---- */

/* The root's slots, in the order of positions in the tree; without pieces, the deferred exception for all. */
static void write_slots(Collective *collective, const TreePosition *tree, char *slots, PyObject *pieces,
                        Departure **departures) {
    slots += slot_write_empty(collective, slots);
    for (int position = 1; position < tree->size; position++) {
        int rank = tree_position_rank(tree, position);
        slots += pieces ? slot_write(collective, slots, PyTuple_GET_ITEM(pieces, rank), rank, departures)
                        : slot_write_failed(collective, slots);
    }
}

/* 0 or -1. */
static int hand_out(Collective *collective, const TreePosition *tree, char *slots) {
    Handing handing;
    handing_open(&handing, collective, tree, slots);
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
static PyObject *scatter_from_here(Collective *collective, const TreePosition *tree, char *slots,
                                   PyObject *pieces, const Target *into) {
    Departure *departures = NULL;
    PyObject *own = NULL;
    write_slots(collective, tree, slots, pieces, &departures);
    bool failed = hand_out(collective, tree, slots) < 0 || departures_start(collective, departures) < 0;
    bool at_once = !failed && !collective->error && !departs_from(departures, into);
    if (at_once && !(own = deliver_own(PyTuple_GET_ITEM(pieces, tree->root), into, &collective->call)))
        collective_defer(collective);
    if (departures_close(collective, departures, failed) < 0 || collective->error) {
        Py_XDECREF(own);
        return NULL;
    }
    return at_once ? own : deliver_own(PyTuple_GET_ITEM(pieces, tree->root), into, &collective->call);
}

PyObject *communicator_scatter(Communicator *self, FASTCALL_ARGS) {
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
    TreePosition tree;
    tree_position_open(&tree, &collective, root);
    char *slots = collective_memory(&collective, slots_room(self->size, self->size));
    if (slots && self->rank == root)
        result = scatter_from_here(&collective, &tree, slots, pieces, into);
    else if (slots && hand_out(&collective, &tree, slots) == 0)
        result = receive_piece(&collective, slots, root, into);
    Py_XDECREF(pieces);
    return collective_end(&collective, into ? &target : NULL, result);
}

static int next_of_scatter(AsyncPieces *pieces) {
    bool single = pieces->tree.parent != NOBODY && slot_is_direct(pieces->slots);
    return single && pieces_expect_single(pieces) < 0 ? -1 : pieces_pass(pieces);
}

static PyObject *finish_scatter(AsyncPieces *pieces) {
    Collective *collective = &pieces->async.collective;
    if (pieces->single)
        return pieces_result(pieces);
    if (pieces->tree.parent != NOBODY)
        return receive_piece(collective, pieces->slots, collective->root, pieces->into);
    if (collective->error)
        return NULL;
    return deliver_own(PyTuple_GET_ITEM(pieces->given, collective->root), pieces->into, &collective->call);
}

static int open_scatter(AsyncPieces *pieces, PyObject *value) {
    Collective *collective = &pieces->async.collective;
    tree_position_open(&pieces->tree, collective, collective->root);
    bool is_root = pieces->tree.parent == NOBODY;
    if (is_root && !(pieces->given = cut_pieces(collective, value, pieces->counts)))
        collective_defer(collective);
    pieces->slots = collective_memory(collective, slots_room(pieces->tree.size, pieces->tree.size));
    if (!pieces->slots)
        return -1;
    if (is_root)
        write_slots(collective, &pieces->tree, pieces->slots, pieces->given, &pieces->departures);
    handing_open(&pieces->handing, collective, &pieces->tree, pieces->slots);
    pieces_rounds(pieces, SLOTS_HERE);
    return 0;
}

AsyncCollective *scatter_start(Communicator *comm, PyObject *value, int root, PyObject *counts,
                               PyObject *into) {
    static const PiecesKind kind = {SCATTER, open_scatter, next_of_scatter, finish_scatter};
    return pieces_begin(&kind, comm, root, value, counts, into);
}

/* ---- alltoall ---- */

/* The pieces of all ranks, from their slots. */
static PyObject *exchanged_pieces(Collective *collective, const char *memory, PyObject *pieces,
                                  const Target *into) {
    int size = collective->comm->size, here = collective->comm->rank;
    PieceReceive receiving;
    if (piece_receive_open(&receiving, collective, NULL, into) < 0)
        return NULL;
    for (int rank = 0; rank < size; rank++)
        if (rank != here)
            piece_receive_slot(&receiving, memory + rank * slot_room(size), rank);
        else if (pieces)
            piece_receive_own(&receiving, PyTuple_GET_ITEM(pieces, here));
    return piece_receive_close(&receiving, false);
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
        swapping_give_up(&swapping);
    free(requests);
    failed = failed || departures_start(collective, swapping.departures) < 0;
    if (!failed)
        result = exchanged_pieces(collective, memory, pieces, into);
    if (departures_close(collective, swapping.departures, failed) < 0)
        Py_CLEAR(result);
    return result;
}

PyObject *communicator_alltoall(Communicator *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Collective collective;
    Target target;
    if (signature_parse(&alltoall_signature, args, nargs, kwnames, values) < 0 ||
        collective_open(&collective, self, ALLTOALL, 0, values[ALLTOALL_TIMEOUT]) < 0)
        return NULL;
    const Target *into = collective_target(&collective, &target, values[ALLTOALL_INTO]);
    PyObject *counts = values[ALLTOALL_COUNTS] == Py_None ? NULL : values[ALLTOALL_COUNTS];
    PyObject *pieces =
        copy_items_without_alias(into, cut_pieces(&collective, values[PIECES], counts), &collective.call);
    if (!pieces)
        collective_defer(&collective);
    PyObject *result = run_alltoall(&collective, pieces, into);
    Py_XDECREF(pieces);
    return collective_end(&collective, into ? &target : NULL, result);
}

static int next_of_alltoall(AsyncPieces *pieces) {
    const Communicator *comm = pieces->async.collective.comm;
    const char **of_rank = malloc((size_t)comm->size * sizeof *of_rank);
    for (int rank = 0; of_rank && rank < comm->size; rank++)
        of_rank[rank] = pieces->slots + rank * slot_room(comm->size);
    return pieces_expect(pieces, of_rank, pieces->given ? PyTuple_GET_ITEM(pieces->given, comm->rank) : NULL);
}

static int open_alltoall(AsyncPieces *pieces, PyObject *value) {
    Collective *collective = &pieces->async.collective;
    int size = collective->comm->size;
    PyObject *cut = cut_pieces(collective, value, pieces->counts);
    if (!(pieces->given = copy_items_without_alias(pieces->into, cut, &collective->call)))
        collective_defer(collective);
    pieces->slots = collective_memory(collective, 2 * slots_room(size, size));
    pieces->requests = malloc(2 * (size_t)size * sizeof *pieces->requests);
    if (!pieces->slots || !pieces->requests)
        return no_memory();
    swapping_open(&pieces->swapping, collective, pieces->given, pieces->slots, pieces->requests);
    swapping_write(&pieces->swapping);
    pieces->departures = pieces->swapping.departures;
    pieces_rounds(pieces, SLOTS_HERE);
    pieces->async.phase.kind = &swapping_phase;
    return 0;
}

AsyncCollective *alltoall_start(Communicator *comm, PyObject *value, PyObject *counts, PyObject *into) {
    static const PiecesKind kind = {ALLTOALL, open_alltoall, next_of_alltoall, NULL};
    return pieces_begin(&kind, comm, 0, value, counts, into);
}
