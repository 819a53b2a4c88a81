/* From all ranks: gather and allgather (MPI 5.0, sections 6.5 and 6.7). */
#include "collectives.h"
#include "pieces.h"

enum { X, GATHER_ROOT, GATHER_INTO, GATHER_TIMEOUT };
Signature gather_signature = {"gather", 2, 1, 4, {"x", "root", "into", "timeout"}, {NULL}};
enum { ALLGATHER_INTO = 1, ALLGATHER_TIMEOUT };
Signature allgather_signature = {"allgather", 1, 1, 3, {"x", "into", "timeout"}, {NULL}};

/* The pieces of all ranks at this one: slots from its own on, in which pieces have their places in the order
 * of ranks.
 */
static PyObject *assemble(Collective *collective, const char *slots, PyObject *own, const Target *into) {
    int size = collective->comm->size, here = collective->comm->rank;
    Arrivals arrivals;
    if (arrivals_open(&arrivals, collective, into) < 0)
        return NULL;
    const char *slot = slots;
    for (int rank = here; rank < size; rank++)
        slot += slot_bytes(slot);
    for (int rank = 0; rank < size; rank++) {
        if (rank == here) {
            arrivals_own(&arrivals, own);
            slot = slots;
        } else
            arrivals_slot(&arrivals, slot, rank);
        slot += slot_bytes(slot);
    }
    return arrivals_close(&arrivals, false);
}

/* ---- gather ---- */

/* Collect the slots along a binomial tree: `slots` begins with this rank's own, of `used` bytes, and those of
 * the ranks after it follow, in their order from the root on. 0 or -1. */
static int collect_slots(Collective *collective, char *slots, Py_ssize_t used, int root) {
    int size = collective->comm->size, own = (collective->comm->rank - root + size) % size;
    for (int distance = 1; distance < size; distance <<= 1) {
        if (own & distance)
            return (int)exchange(collective, slots, used, (own - distance + root) % size, NULL, 0, NOBODY);
        if (own + distance >= size)
            continue;
        int below = size - own - distance < distance ? size - own - distance : distance;
        Py_ssize_t nbytes = exchange(collective, NULL, 0, NOBODY, slots + used, slots_room(below, size),
                                     (own + distance + root) % size);
        if (nbytes < 0)
            return -1;
        used += nbytes;
    }
    return 0;
}

/* The slots a rank sees at most: those of its subtree. */
static int subtree(int own, int size) {
    int ranks = own ? own & -own : size;
    return own + ranks > size ? size - own : ranks;
}

static PyObject *run_gather(Collective *collective, PyObject *value, int root, const Target *into) {
    int size = collective->comm->size, rank = collective->comm->rank, own = (rank - root + size) % size;
    char *slots = collective_memory(collective, slots_room(subtree(own, size), size));
    if (!slots)
        return NULL;
    Departure *departures = NULL;
    Py_ssize_t used =
        own ? slot_write(collective, slots, value, root, &departures) : slot_write_empty(collective, slots);
    bool failed =
        collect_slots(collective, slots, used, root) < 0 || departures_start(collective, departures) < 0;
    if (departures_close(collective, departures, failed) < 0)
        return NULL;
    return own ? Py_NewRef(Py_None) : assemble(collective, slots, value, into);
}

PyObject *communicator_gather(Communicator *self, PyObject *const *args, Py_ssize_t nargs,
                              PyObject *kwnames) {
    PyObject *values[MOST_ARGUMENTS];
    Collective collective;
    Target target;
    int root;
    if (signature_parse(&gather_signature, args, nargs, kwnames, values) < 0 ||
        parse_root(self, values[GATHER_ROOT], "gather", &root) < 0 ||
        collective_open(&collective, self, GATHER, values[GATHER_TIMEOUT]) < 0)
        return NULL;
    const Target *into =
        self->rank == root ? collective_target(&collective, &target, values[GATHER_INTO]) : NULL;
    PyObject *result = run_gather(&collective, values[X], root, into);
    if (into)
        target_close(&target);
    if (collective_close(&collective) < 0)
        Py_CLEAR(result);
    return result;
}

/* ---- allgather ---- */

/* Bring all slots here (Bruck and others 1997): `slots` begins with this rank's own, of `used` bytes; in the
 * end those of the ranks after it follow, the last one's after the first's. 0 or -1. */
static int spread_slots(Collective *collective, char *slots, Py_ssize_t used) {
    int size = collective->comm->size, rank = collective->comm->rank;
    for (int held = 1; held < size; held <<= 1) {
        int more = size - held < held ? size - held : held;
        Py_ssize_t nbytes = 0;
        for (int i = 0; i < more; i++)
            nbytes += slot_bytes(slots + nbytes);
        Py_ssize_t come = exchange(collective, slots, nbytes, (rank - held + size) % size, slots + used,
                                   slots_room(more, size), (rank + held) % size);
        if (come < 0)
            return -1;
        used += come;
    }
    return 0;
}

static bool any_strided(const Departure *departure) {
    for (int i = 0; departure && i < departure->out.stream.part_count; i++)
        if (departure->out.stream.parts[i].strided)
            return true;
    return false;
}

/* Write the slot, with a departure to every other rank where it needs them. `*packed` is what is sent instead
 * of a value of strided arrays, so that they are packed once; a new reference or NULL. The bytes of the slot.
 */
static Py_ssize_t offer(Collective *collective, char *slot, PyObject *value, Departure **departures,
                        PyObject **packed) {
    int size = collective->comm->size, rank = collective->comm->rank;
    *packed = NULL;
    if (size == 1)
        return slot_write_empty(collective, slot);
    Py_ssize_t used = slot_write(collective, slot, value, (rank + 1) % size, departures);
    if (any_strided(*departures) && (*packed = deliver_own(value, NULL, &collective->call))) {
        departures_close(collective, *departures, true);
        *departures = NULL;
        used = slot_write(collective, slot, *packed, (rank + 1) % size, departures);
    }
    int failed = PyErr_Occurred() ? -1 : 0;
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
    char *slots = collective_memory(collective, slots_room(collective->comm->size, collective->comm->size));
    if (!slots)
        return NULL;
    Departure *departures = NULL;
    PyObject *packed, *result = NULL;
    Py_ssize_t used = offer(collective, slots, value, &departures, &packed);
    bool failed = spread_slots(collective, slots, used) < 0 || departures_start(collective, departures) < 0;
    if (!failed)
        result = assemble(collective, slots, value, into);
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
        collective_open(&collective, self, ALLGATHER, values[ALLGATHER_TIMEOUT]) < 0)
        return NULL;
    const Target *into = collective_target(&collective, &target, values[ALLGATHER_INTO]);
    PyObject *result = run_allgather(&collective, values[X], into);
    if (into)
        target_close(&target);
    if (collective_close(&collective) < 0)
        Py_CLEAR(result);
    return result;
}
