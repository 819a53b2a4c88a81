/* From all ranks: gather and allgather (MPI 5.0, sections 6.5 and 6.7). */
#include <stdlib.h>

#include "collectives/apart.h"
#include "collectives/collectives.h"
#include "collectives/pieces.h"
#include "collectives/readings.h"

enum { X, GATHER_ROOT, GATHER_INTO, GATHER_TIMEOUT };
Signature gather_signature = {"gather", 2, 1, 4, {"x", "root", "into", "timeout"}, {NULL}};
enum { ALLGATHER_INTO = 1, ALLGATHER_TIMEOUT };
Signature allgather_signature = {"allgather", 1, 1, 3, {"x", "into", "timeout"}, {NULL}};

/* The pieces of all ranks at this one: slots in the order of positions in a tree; the pieces have their
 * places in the order of ranks. */
enum { FEW_RANKS = 64 }; /* whose slots are listed on the stack */

static PyObject *gathered_pieces(Collective *collective, const Branch *branch, const char *slots,
                                 Departure *departures, PyObject *own, const Target *into) {
    int size = collective->comm->size, here = collective->comm->rank;
    const char *few[FEW_RANKS], **of_rank = size <= FEW_RANKS ? few : malloc((size_t)size * sizeof *of_rank);
    if (!of_rank)
        return PyErr_NoMemory();
    for (int position = 0; position < size; position++) {
        of_rank[branch_rank(branch, position)] = slots;
        slots += slot_bytes(slots);
    }
    Arrivals arrivals;
    PyObject *result = NULL;
    if (arrivals_open(&arrivals, collective, departures, into) == 0) {
        for (int rank = 0; rank < size; rank++)
            if (rank == here)
                arrivals_own(&arrivals, own);
            else
                arrivals_slot(&arrivals, of_rank[rank], rank);
        result = arrivals_close(&arrivals, false);
    }
    if (of_rank != few)
        free(of_rank);
    return result;
}

/* What this rank gives, apart from the target, in which the pieces of others arrive first. NULL when that has
 * failed, which is deferred. */
static PyObject *own_piece(Collective *collective, PyObject *value, const Target *into) {
    PyObject *own = apart_from(into, value, &collective->call);
    if (!own)
        collective_defer(collective);
    return own;
}

/* ---- gather ---- */

/* `slots` begins with this rank's own, of `used` bytes; those of its part of the tree follow, in the order of
 * positions. */
typedef struct {
    Rounds rounds;
    const Branch *branch;
    char *slots;
    Py_ssize_t used;
    int child;  /* the next one that gives this rank its slots */
    bool given; /* to the parent */
} Collecting;

/* Collect slots up the tree, those of its smallest part first. */
static int collect_slots(Rounds *rounds) {
    Collecting *collecting = (Collecting *)rounds;
    const Branch *branch = collecting->branch;
    collecting->used += rounds->come;
    if (collecting->child < branch->children) {
        int begin = branch_child(branch, collecting->child), end = branch_child(branch, ++collecting->child);
        return round_receive(rounds, collecting->slots + collecting->used,
                             slots_room(end - begin, branch->size), branch_rank(branch, begin));
    }
    if (branch->parent == NOBODY || collecting->given)
        return 0;
    collecting->given = true;
    return round_send(rounds, collecting->slots, collecting->used, branch->parent);
}

/* The bytes of the slots that are here then, or -1. */
static Py_ssize_t collect(Collective *collective, const Branch *branch, char *slots, Py_ssize_t used) {
    Collecting collecting;
    rounds_open(&collecting.rounds, collective, collect_slots);
    collecting.branch = branch;
    collecting.slots = slots;
    collecting.used = used;
    collecting.child = 0;
    collecting.given = false;
    return rounds_run(&collecting.rounds) < 0 ? -1 : collecting.used;
}

static PyObject *run_gather(Collective *collective, PyObject *value, int root, const Target *into) {
    Branch branch;
    branch_open(&branch, collective, root);
    char *slots = collective_memory(collective, slots_room(branch.part, branch.size));
    if (!slots)
        return NULL;
    bool is_root = branch.parent == NOBODY;
    Departure *departures = NULL;
    Py_ssize_t used = is_root ? slot_write_empty(collective, slots)
                              : slot_write(collective, slots, value, root, &departures);
    bool failed =
        collect(collective, &branch, slots, used) < 0 || departures_start(collective, departures) < 0;
    if (departures_close(collective, departures, failed) < 0)
        return NULL;
    return is_root ? gathered_pieces(collective, &branch, slots, NULL, value, into) : Py_NewRef(Py_None);
}

PyObject *communicator_gather(Communicator *self, PyObject *const *args, Py_ssize_t nargs,
                              PyObject *kwnames) {
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
    if (into)
        target_close(&target);
    if (collective_close(&collective) < 0)
        Py_CLEAR(result);
    return result;
}

/* ---- allgather ---- */

/* `slots` begins with those of this unit, of `used` bytes; in the end those of the units after it follow, the
 * last one's after the first's. */
typedef struct {
    Rounds rounds;
    const Branch *branch; /* from this unit on */
    char *slots;
    Py_ssize_t used;
    int held; /* of so many units, after the next round of twice as many */
} Exchanging;

/* Bring all slots here (Bruck and others 1997). */
static int spread_slots(Rounds *rounds) {
    Exchanging *exchanging = (Exchanging *)rounds;
    const Branch *branch = exchanging->branch;
    int units = branch->units, held = exchanging->held;
    exchanging->used += rounds->come;
    if (held >= units)
        return 0;
    int more = units - held < held ? units - held : held;
    int before = branch_unit(branch, units - held), after = branch_unit(branch, held);
    Py_ssize_t nbytes = 0;
    for (int given = branch_unit(branch, more); given > 0; given--)
        nbytes += slot_bytes(exchanging->slots + nbytes);
    exchanging->held <<= 1;
    return round_exchange(
        rounds, exchanging->slots, nbytes, branch_rank(branch, before), exchanging->slots + exchanging->used,
        slots_room(branch_unit(branch, held + more) - after, branch->size), branch_rank(branch, after));
}

/* The bytes of all slots, or -1. */
static Py_ssize_t exchange(Collective *collective, const Branch *branch, char *slots, Py_ssize_t used) {
    Exchanging exchanging;
    rounds_open(&exchanging.rounds, collective, spread_slots);
    exchanging.branch = branch;
    exchanging.slots = slots;
    exchanging.used = used;
    exchanging.held = 1;
    return rounds_run(&exchanging.rounds) < 0 ? -1 : exchanging.used;
}

/* Between machines their first ranks alone exchange slots. 0 or -1. */
static int exchange_on_machines(Collective *collective, const Branch *branch, char *slots, Py_ssize_t used) {
    Py_ssize_t room = slots_room(branch->size, branch->size);
    used = collect(collective, branch, slots, used);
    if (used >= 0 && branch->parent == NOBODY)
        room = used = exchange(collective, branch, slots, used);
    return used < 0 ? -1 : spread_along(collective, branch, slots, room);
}

static bool any_strided(const Departure *departure) {
    for (int i = 0; departure && i < departure->out.stream.part_count; i++)
        if (departure->out.stream.parts[i].strided)
            return true;
    return false;
}

/* Write the slot of a value (NULL: there is none, for a reason that is deferred), with a departure to every
 * other rank where it needs them. `*packed` is what is sent instead
 * of a value of strided arrays, so that they are packed once; a new reference or NULL. The bytes of the slot.
 */
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
    Branch branch;
    if (comm->placement)
        branch_open_on_machine(&branch, collective);
    else
        branch_open(&branch, collective, comm->rank);
    char *slots = collective_memory(collective, slots_room(branch.size, branch.size));
    if (!slots)
        return NULL;
    Departure *departures = NULL;
    PyObject *packed, *result = NULL;
    Py_ssize_t used = offer(collective, slots, value, &departures, &packed);
    bool failed = (comm->placement ? exchange_on_machines(collective, &branch, slots, used) < 0
                                   : exchange(collective, &branch, slots, used) < 0) ||
                  departures_start(collective, departures) < 0;
    if (!failed)
        result = gathered_pieces(collective, &branch, slots, departures, value, into);
    failed |= PyErr_Occurred() != NULL;
    if (departures_close(collective, departures, failed) < 0)
        Py_CLEAR(result);
    Py_XDECREF(packed);
    return result;
}

PyObject *communicator_allgather(Communicator *self, PyObject *const *args, Py_ssize_t nargs,
                                 PyObject *kwnames) {
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
    if (into)
        target_close(&target);
    if (collective_close(&collective) < 0)
        Py_CLEAR(result);
    return result;
}
