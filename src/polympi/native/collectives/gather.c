/* From all ranks: gather and allgather (MPI 5.0, sections 6.5 and 6.7). */
#include <stdlib.h>

#include "collectives/alias_copy.h"
#include "collectives/async_pieces.h"
#include "collectives/collectives.h"
#include "collectives/pieces.h"

enum { X, GATHER_ROOT, GATHER_INTO, GATHER_TIMEOUT };
Signature gather_signature = {"gather", 2, 1, 4, {"x", "root", "into", "timeout"}, {NULL}};
enum { ALLGATHER_INTO = 1, ALLGATHER_TIMEOUT };
Signature allgather_signature = {"allgather", 1, 1, 3, {"x", "into", "timeout"}, {NULL}};

enum { FEW_RANKS = 64 }; /* their slots are listed on the stack */

/* List by rank the slots of all ranks, which are in the order of positions in a tree. */
static void list_slots(const TreePosition *tree, const char *slots, const char **of_rank) {
    for (int position = 0; position < tree->size; position++) {
        of_rank[tree_position_rank(tree, position)] = slots;
        slots += slot_bytes(slots);
    }
}

/* The pieces of all ranks at this one. */
static PyObject *gathered_pieces(Collective *collective, const TreePosition *tree, const char *slots,
                                 Departure *departures, PyObject *own, const Target *into) {
    int size = collective->comm->size, here = collective->comm->rank;
    const char *few[FEW_RANKS], **of_rank = size <= FEW_RANKS ? few : malloc((size_t)size * sizeof *of_rank);
    if (!of_rank)
        return PyErr_NoMemory();
    list_slots(tree, slots, of_rank);
    PieceReceive receiving;
    PyObject *result = NULL;
    if (piece_receive_open(&receiving, collective, departures, into) == 0) {
        for (int rank = 0; rank < size; rank++)
            if (rank == here)
                piece_receive_own(&receiving, own);
            else
                piece_receive_slot(&receiving, of_rank[rank], rank);
        result = piece_receive_close(&receiving, false);
    }
    if (of_rank != few)
        free(of_rank);
    return result;
}

/* What this rank gives, or a copy if receiving might change it. NULL with a deferred exception. */
static PyObject *own_piece(Collective *collective, PyObject *value, const Target *into) {
    PyObject *own = copy_without_alias(into, value, &collective->call);
    if (!own)
        collective_defer(collective);
    return own;
}

/* ---- gather ---- */

/* Send slots up the tree: the bytes of those that are here then, or -1. */
static Py_ssize_t collect(Collective *collective, const TreePosition *tree, char *slots, Py_ssize_t used) {
    Collecting collecting;
    collecting_open(&collecting, collective, tree, slots, used);
    return rounds_run(&collecting.rounds) < 0 ? -1 : collecting.used;
}

static PyObject *run_gather(Collective *collective, PyObject *value, int root, const Target *into) {
    TreePosition tree;
    tree_position_open(&tree, collective, root);
    char *slots = collective_memory(collective, slots_room(tree.part, tree.size));
    if (!slots)
        return NULL;
    bool is_root = tree.parent == NOBODY;
    Departure *departures = NULL;
    Py_ssize_t used = is_root ? slot_write_empty(collective, slots)
                              : slot_write(collective, slots, value, root, &departures);
    bool failed = collect(collective, &tree, slots, used) < 0 || departures_start(collective, departures) < 0;
    if (departures_close(collective, departures, failed) < 0)
        return NULL;
    return is_root ? gathered_pieces(collective, &tree, slots, NULL, value, into) : Py_NewRef(Py_None);
}

PyObject *communicator_gather(Communicator *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Collective collective;
    Target target;
    int root;
    if (signature_parse(&gather_signature, args, nargs, kwnames, values) < 0 ||
        parse_root(self, values[GATHER_ROOT], "gather", &root) < 0 ||
        collective_open(&collective, self, GATHER, root, values[GATHER_TIMEOUT]) < 0)
        return NULL;
    const Target *into =
        self->rank == root ? collective_target(&collective, &target, values[GATHER_INTO]) : NULL;
    PyObject *own = own_piece(&collective, values[X], into);
    PyObject *result = run_gather(&collective, own, root, into);
    Py_XDECREF(own);
    return collective_end(&collective, into ? &target : NULL, result);
}

/* All slots are here. 1 or -1. */
static int expect_all(AsyncPieces *pieces) {
    const char **of_rank = malloc((size_t)pieces->tree.size * sizeof *of_rank);
    if (of_rank)
        list_slots(&pieces->tree, pieces->slots, of_rank);
    return pieces_expect(pieces, of_rank, pieces->given);
}

static int next_of_gather(AsyncPieces *pieces) {
    return pieces->tree.parent == NOBODY ? expect_all(pieces) : pieces_pass(pieces);
}

static PyObject *finish_gather(AsyncPieces *pieces) {
    return pieces->tree.parent == NOBODY ? pieces_result(pieces) : Py_NewRef(Py_None);
}

static int open_gather(AsyncPieces *pieces, PyObject *value) {
    Collective *collective = &pieces->async.collective;
    const TreePosition *tree = &pieces->tree;
    tree_position_open(&pieces->tree, collective, collective->root);
    pieces->given = own_piece(collective, value, pieces->into);
    pieces->slots = collective_memory(collective, slots_room(tree->part, tree->size));
    if (!pieces->slots)
        return -1;
    Py_ssize_t used = tree->parent == NOBODY ? slot_write_empty(collective, pieces->slots)
                                             : slot_write(collective, pieces->slots, pieces->given,
                                                          collective->root, &pieces->departures);
    collecting_open(&pieces->collecting, collective, tree, pieces->slots, used);
    pieces_rounds(pieces, SLOTS_HERE);
    return 0;
}

AsyncCollective *gather_start(Communicator *comm, PyObject *value, int root, PyObject *into) {
    static const PiecesKind kind = {GATHER, open_gather, next_of_gather, finish_gather};
    return pieces_begin(&kind, comm, root, value, NULL, comm->rank == root ? into : NULL);
}

/* ---- allgather ---- */

/* The bytes of the slots of all units, or -1. */
static Py_ssize_t exchange(Collective *collective, const TreePosition *tree, char *slots, Py_ssize_t used) {
    Exchanging exchanging;
    exchanging_open(&exchanging, collective, tree, slots, used);
    return rounds_run(&exchanging.rounds) < 0 ? -1 : exchanging.used;
}

/* Between machines their first ranks alone exchange slots. 0 or -1. */
static int exchange_on_machines(Collective *collective, const TreePosition *tree, char *slots,
                                Py_ssize_t used) {
    Py_ssize_t room = slots_room(tree->size, tree->size);
    used = collect(collective, tree, slots, used);
    if (used >= 0 && tree->parent == NOBODY)
        room = used = exchange(collective, tree, slots, used);
    return used < 0 ? -1 : spread_along(collective, tree, slots, room);
}

static bool any_strided(const Departure *departure) {
    for (int i = 0; departure && i < departure->out.stream.part_count; i++)
        if (departure->out.stream.parts[i].strided)
            return true;
    return false;
}

/* Write the slot of a value (NULL: none, with a deferred exception), with a departure to every other rank if
 * it needs them. `*packed` is a contiguous copy that is sent instead of strided arrays, to pack them only
 * once; a new reference or NULL. The bytes of the slot. */
static Py_ssize_t offer(Collective *collective, char *slot, PyObject *value, Departure **departures,
                        PyObject **packed) {
    int size = collective->comm->size, rank = collective->comm->rank;
    *packed = NULL;
    if (size == 1)
        return slot_write_empty(collective, slot);
    if (!value)
        return slot_write_failed(collective, slot);
    Py_ssize_t used = slot_write(collective, slot, value, (rank + 1) % size, departures);
    if (any_strided(*departures) && (*packed = deliver_own(value, NULL, &collective->call))) {
        departures_close(collective, *departures, true);
        *departures = NULL;
        used = slot_write(collective, slot, *packed, (rank + 1) % size, departures);
    }
    int failed = PyErr_Occurred() ? -1 : 0;
    if (*departures && (*departures)->on_board) {
        (*departures)->dest = EVERYBODY;
        return used;
    }
    for (int distance = 2; *departures && !failed && distance < size; distance++)
        failed = departures_repeat(collective, departures, (rank + distance) % size);
    if (!failed)
        return used;
    collective_defer(collective);
    departures_close(collective, *departures, true);
    *departures = NULL;
    return slot_write_failed(collective, slot);
}

static PyObject *run_allgather(Collective *collective, PyObject *value, const Target *into) {
    const Communicator *comm = collective->comm;
    TreePosition tree;
    if (comm->placement)
        tree_position_open_on_machine(&tree, collective);
    else
        tree_position_open(&tree, collective, comm->rank);
    char *slots = collective_memory(collective, slots_room(tree.size, tree.size));
    if (!slots)
        return NULL;
    Departure *departures = NULL;
    PyObject *packed, *result = NULL;
    Py_ssize_t used = offer(collective, slots, value, &departures, &packed);
    bool failed = (comm->placement ? exchange_on_machines(collective, &tree, slots, used) < 0
                                   : exchange(collective, &tree, slots, used) < 0) ||
                  departures_start(collective, departures) < 0;
    if (!failed)
        result = gathered_pieces(collective, &tree, slots, departures, value, into);
    failed |= PyErr_Occurred() != NULL;
    if (departures_close(collective, departures, failed) < 0)
        Py_CLEAR(result);
    Py_XDECREF(packed);
    return result;
}

PyObject *communicator_allgather(Communicator *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Collective collective;
    Target target;
    if (signature_parse(&allgather_signature, args, nargs, kwnames, values) < 0 ||
        collective_open(&collective, self, ALLGATHER, 0, values[ALLGATHER_TIMEOUT]) < 0)
        return NULL;
    const Target *into = collective_target(&collective, &target, values[ALLGATHER_INTO]);
    PyObject *own = own_piece(&collective, values[X], into);
    PyObject *result = run_allgather(&collective, own, into);
    Py_XDECREF(own);
    return collective_end(&collective, into ? &target : NULL, result);
}

/* Send all slots from this machine's first rank to its other ranks. 1. */
static int spread_all(AsyncPieces *pieces, Py_ssize_t room) {
    spread_open_along(&pieces->spread, &pieces->async.collective, &pieces->tree, pieces->slots, room);
    return pieces_rounds(pieces, SLOTS_HERE);
}

static int next_of_allgather(AsyncPieces *pieces) {
    Collective *collective = &pieces->async.collective;
    const TreePosition *tree = &pieces->tree;
    if (pieces->next == SLOTS_HERE)
        return expect_all(pieces);
    if (pieces->next == SLOTS_EXCHANGED)
        return spread_all(pieces, pieces->exchanging.used);
    if (tree->parent != NOBODY)
        return spread_all(pieces, slots_room(tree->size, tree->size));
    exchanging_open(&pieces->exchanging, collective, tree, pieces->slots, pieces->collecting.used);
    return pieces_rounds(pieces, SLOTS_EXCHANGED);
}

static int open_allgather(AsyncPieces *pieces, PyObject *value) {
    Collective *collective = &pieces->async.collective;
    const TreePosition *tree = &pieces->tree;
    bool on_machines = collective->comm->placement != NULL;
    if (on_machines)
        tree_position_open_on_machine(&pieces->tree, collective);
    else
        tree_position_open(&pieces->tree, collective, collective->comm->rank);
    pieces->given = own_piece(collective, value, pieces->into);
    pieces->slots = collective_memory(collective, slots_room(tree->size, tree->size));
    if (!pieces->slots)
        return -1;
    Py_ssize_t used = offer(collective, pieces->slots, pieces->given, &pieces->departures, &pieces->packed);
    if (on_machines)
        collecting_open(&pieces->collecting, collective, tree, pieces->slots, used);
    else
        exchanging_open(&pieces->exchanging, collective, tree, pieces->slots, used);
    pieces_rounds(pieces, on_machines ? SLOTS_COLLECTED : SLOTS_HERE);
    return 0;
}

AsyncCollective *allgather_start(Communicator *comm, PyObject *value, PyObject *into) {
    static const PiecesKind kind = {ALLGATHER, open_allgather, next_of_allgather, NULL};
    return pieces_begin(&kind, comm, 0, value, NULL, into);
}

AsyncCollective *agreement_start(Communicator *comm, PyObject *value) {
    static const PiecesKind kind = {PLAN, open_allgather, next_of_allgather, NULL};
    return pieces_begin(&kind, comm, 0, value, NULL, NULL);
}
