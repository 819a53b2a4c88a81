/* From all ranks: gather and allgather (MPI 5.0, sections 6.5 and 6.7). */
#include "collectives/apart.h"
#include "collectives/collectives.h"
#include "collectives/pieces.h"
#include "collectives/readings.h"

enum { X, GATHER_ROOT, GATHER_INTO, GATHER_TIMEOUT };
Signature gather_signature = {"gather", 2, 1, 4, {"x", "root", "into", "timeout"}, {NULL}};
enum { ALLGATHER_INTO = 1, ALLGATHER_TIMEOUT };
Signature allgather_signature = {"allgather", 1, 1, 3, {"x", "into", "timeout"}, {NULL}};

/* The pieces of all ranks at this one: slots from its own on, in which pieces have their places in the order
 * of ranks.
 */
static PyObject *gathered_pieces(Collective *collective, const char *slots, Departure *departures,
                                 PyObject *own, const Target *into) {
    int size = collective->comm->size, here = collective->comm->rank;
    Arrivals arrivals;
    if (arrivals_open(&arrivals, collective, departures, into) < 0)
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

/* What this rank gives, apart from the target, in which the pieces of others arrive first. NULL when that has
 * failed, which is deferred. */
static PyObject *own_piece(Collective *collective, PyObject *value, const Target *into) {
    PyObject *own = apart_from(into, value, &collective->call);
    if (!own)
        collective_defer(collective);
    return own;
}

/* ---- gather ---- */

/* `slots` begins with this rank's own, of `used` bytes; those of the ranks after it follow, in their order
 * from the root on. */
typedef struct {
    Rounds rounds;
    char *slots;
    Py_ssize_t used;
    int root, own; /* this rank, counted from the root */
    int distance;  /* to the next rank that gives this one its slots */
    bool given;    /* to the root, or the parent */
} Collecting;

static int give_slots(Collecting *collecting, int above) {
    int size = collecting->rounds.collective->comm->size;
    collecting->given = true;
    return round_send(&collecting->rounds, collecting->slots, collecting->used,
                      (collecting->own - above + collecting->root) % size);
}

static int take_slots(Collecting *collecting, int below, int ranks) {
    int size = collecting->rounds.collective->comm->size;
    return round_receive(&collecting->rounds, collecting->slots + collecting->used, slots_room(ranks, size),
                         (collecting->own + below + collecting->root) % size);
}

/* Bring the slots of all ranks to the root at once, where there is no tree. */
static int collect_from_all(Rounds *rounds) {
    Collecting *collecting = (Collecting *)rounds;
    collecting->used += rounds->come;
    if (collecting->own)
        return collecting->given ? 0 : give_slots(collecting, collecting->own);
    int distance = collecting->distance++;
    return distance < rounds->collective->comm->size ? take_slots(collecting, distance, 1) : 0;
}

/* Collect them along a binomial tree. */
static int collect_slots(Rounds *rounds) {
    Collecting *collecting = (Collecting *)rounds;
    int size = rounds->collective->comm->size, own = collecting->own;
    collecting->used += rounds->come;
    while (!collecting->given && collecting->distance < size) {
        int distance = collecting->distance, left = size - own - distance;
        if (own & distance)
            return give_slots(collecting, distance);
        collecting->distance <<= 1;
        if (left > 0)
            return take_slots(collecting, distance, left < distance ? left : distance);
    }
    return 0;
}

static void collecting_open(Collecting *collecting, Collective *collective, char *slots, Py_ssize_t used,
                            int root) {
    const Communicator *comm = collective->comm;
    rounds_open(&collecting->rounds, collective, without_tree(collective) ? collect_from_all : collect_slots);
    collecting->slots = slots;
    collecting->used = used;
    collecting->root = root;
    collecting->own = (comm->rank - root + comm->size) % comm->size;
    collecting->distance = 1;
    collecting->given = false;
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
    Collecting collecting;
    collecting_open(&collecting, collective, slots, used, root);
    bool failed = rounds_run(&collecting.rounds) < 0 || departures_start(collective, departures) < 0;
    if (departures_close(collective, departures, failed) < 0)
        return NULL;
    return own ? Py_NewRef(Py_None) : gathered_pieces(collective, slots, NULL, value, into);
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

/* `slots` begins with this rank's own, of `used` bytes; in the end those of the ranks after it follow, the
 * last one's after the first's. */
typedef struct {
    Rounds rounds;
    char *slots;
    Py_ssize_t used;
    int held; /* of so many ranks, after the next round of twice as many */
} Exchanging;

/* Bring all slots here (Bruck and others 1997). */
static int spread_slots(Rounds *rounds) {
    Exchanging *exchanging = (Exchanging *)rounds;
    int size = rounds->collective->comm->size, rank = rounds->collective->comm->rank, held = exchanging->held;
    exchanging->used += rounds->come;
    if (held >= size)
        return 0;
    int more = size - held < held ? size - held : held;
    Py_ssize_t nbytes = 0;
    for (int i = 0; i < more; i++)
        nbytes += slot_bytes(exchanging->slots + nbytes);
    exchanging->held <<= 1;
    return round_exchange(rounds, exchanging->slots, nbytes, (rank - held + size) % size,
                          exchanging->slots + exchanging->used, slots_room(more, size), (rank + held) % size);
}

static void exchanging_open(Exchanging *exchanging, Collective *collective, char *slots, Py_ssize_t used) {
    rounds_open(&exchanging->rounds, collective, spread_slots);
    exchanging->slots = slots;
    exchanging->used = used;
    exchanging->held = 1;
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
    char *slots = collective_memory(collective, slots_room(collective->comm->size, collective->comm->size));
    if (!slots)
        return NULL;
    Departure *departures = NULL;
    PyObject *packed, *result = NULL;
    Py_ssize_t used = offer(collective, slots, value, &departures, &packed);
    Exchanging exchanging;
    exchanging_open(&exchanging, collective, slots, used);
    bool failed = rounds_run(&exchanging.rounds) < 0 || departures_start(collective, departures) < 0;
    if (!failed)
        result = gathered_pieces(collective, slots, departures, value, into);
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
