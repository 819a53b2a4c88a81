/* Collectives of plain communicators: MPI's own blocking ones, since a partner's blocking call does not match
 * a nonblocking one (MPI 5.0, section 6.12). They are made without the GIL; nothing ends them before MPI
 * does. */
#include "base/arguments.h"
#include "base/errors.h"
#include "python/plain.h"
#include "reductions/op.h"

/* ---- what all of them do ---- */

/* What one of MPI's calls is told. */
typedef struct {
    Plain *self;
    Call call;
    Bare from, to;     /* what is given, and where the result goes */
    bool gives, takes; /* whether this rank has the one and the other */
    int root;
    int *counts, *places; /* of v-forms: for each rank, of elements of MPI */
    int *counts_to, *places_to;
    MPI_Op op;
    bool in_place;
} Joint;

static int joint_open(Joint *joint, Plain *self, const char *operation) {
    *joint = (Joint){.self = self};
    joint->call = (Call){.operation = operation, .rank = self->rank, .peer = NO_PEER, .tag = NO_TAG};
    return is_plain_usable(self) ? 0 : -1;
}

static void joint_close(Joint *joint) {
    if (joint->gives)
        bare_close(&joint->from);
    if (joint->takes)
        bare_close(&joint->to);
    PyMem_Free(joint->counts);
    PyMem_Free(joint->places);
    PyMem_Free(joint->counts_to);
    PyMem_Free(joint->places_to);
}

static int take_root(Joint *joint, PyObject *root) {
    joint->root = 0;
    if (root && parse_int(root, &joint->root, joint->call.operation, "root") < 0)
        return -1;
    return check_rank(joint->root, joint->self->size, ROOT, &joint->call);
}

static int missing(const Joint *joint, const char *name) {
    PyErr_Format(PyExc_TypeError, "%s() needs '%s' on rank %d", joint->call.operation, name,
                 joint->self->rank);
    return -1;
}

static int take_from(Joint *joint, PyObject *array) {
    if (!array || array == Py_None)
        return missing(joint, "array");
    if (bare_open(&joint->from, array, TO_SEND, true, &joint->call) < 0)
        return -1;
    joint->gives = true;
    return 0;
}

static int take_to(Joint *joint, PyObject *into) {
    if (!into || into == Py_None)
        return missing(joint, "into");
    if (bare_open(&joint->to, into, TO_RECEIVE, true, &joint->call) < 0)
        return -1;
    joint->takes = true;
    return 0;
}

/* Make the call, without the GIL: 0 or -1. */
static int make(Joint *joint, int (*function)(const Joint *joint)) {
    PyThreadState *thread = go_outside();
    take_turn();
    int code = must_stop() ? MPI_SUCCESS : function(joint);
    end_turn();
    come_inside(thread);
    if (code != MPI_SUCCESS)
        return bare_raise(code, joint->takes ? &joint->to : NULL, &joint->call);
    if (joint->takes)
        bare_unpack(&joint->to, joint->to.elements * joint->to.itemsize);
    return PyErr_CheckSignals() < 0 || still_running(&joint->call) < 0 ? -1 : 0;
}

/* The end of each: what was given as `into`, None where this rank gets nothing. */
static PyObject *end(Joint *joint, int failed, PyObject *result) {
    bool takes = joint->takes;
    joint_close(joint);
    if (failed < 0)
        return NULL;
    return Py_NewRef(takes ? result : Py_None);
}

/* Whether the whole of a memory has as many pieces as there are ranks; `*piece` elements of MPI each. */
static int cut(const Joint *joint, const Bare *whole, const char *name, int *piece) {
    int size = joint->self->size;
    *piece = whole->count / size;
    if (whole->elements % size == 0)
        return 0;
    return raise_error(
        "MismatchError", &joint->call,
        "%s has %zd elements, which cannot be cut into %d equal pieces: use the form with counts", name,
        whole->elements, size);
}

static int match_count(const Joint *joint, const Bare *mine, const char *name, int piece) {
    if (mine->count == piece)
        return 0;
    return raise_error("MismatchError", &joint->call, "%s has %d elements, but the piece of a rank has %d",
                       name, mine->count, piece);
}

static bool same_memory(const Bare *one, const Bare *other) {
    return !one->packed && !other->packed && one->data == other->data && one->count == other->count;
}

/* ---- counts ---- */

/* Elements for each rank, one after the other, of memory: 0 or -1. `counts` are of its own elements. */
static int take_counts(Joint *joint, PyObject *given, const Bare *whole, const char *name, int **counts,
                       int **places) {
    int size = joint->self->size;
    if (!given || given == Py_None)
        return missing(joint, name);
    PyObject *items = PySequence_Fast(given, "counts must be a sequence of ints, one for each rank");
    if (!items)
        return -1;
    *counts = PyMem_New(int, (size_t)size);
    *places = PyMem_New(int, (size_t)size);
    int failed = *counts && *places ? 0 : (PyErr_NoMemory(), -1);
    if (!failed && PySequence_Fast_GET_SIZE(items) != size)
        failed = raise_error("MismatchError", &joint->call, "%s has %zd numbers, but there are %d ranks",
                             name, PySequence_Fast_GET_SIZE(items), size);
    Py_ssize_t in_mpi = whole->element == MPI_BYTE ? whole->itemsize : 1, place = 0;
    for (int rank = 0; rank < size && !failed; rank++) {
        int count;
        failed = parse_int(PySequence_Fast_GET_ITEM(items, rank), &count, joint->call.operation, name);
        if (!failed && (count < 0 || place + count * in_mpi > whole->count))
            failed = raise_error("MismatchError", &joint->call,
                                 "%s are more than the %zd elements of the memory, or negative", name,
                                 whole->elements);
        if (!failed) {
            (*counts)[rank] = (int)(count * in_mpi);
            (*places)[rank] = (int)place;
            place += count * in_mpi;
        }
    }
    Py_DECREF(items);
    return failed;
}

/* ---- barrier, bcast ---- */

static int call_barrier(const Joint *joint) { return MPI_Barrier(joint->self->comm); }

static PyObject *plain_barrier(Plain *self, PyObject *Py_UNUSED(unused)) {
    Joint joint;
    if (joint_open(&joint, self, "plain.barrier") < 0)
        return NULL;
    return end(&joint, make(&joint, call_barrier), Py_None);
}

static int call_bcast(const Joint *joint) {
    const Bare *bare = joint->takes ? &joint->to : &joint->from;
    return MPI_Bcast(bare->data, bare->count, bare->type, joint->root, joint->self->comm);
}

static Signature bcast_signature = {"bcast", 2, 1, 2, {"array", "root"}, {NULL}};

static PyObject *plain_bcast(Plain *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    PyObject *values[MOST_ARGUMENTS];
    Joint joint;
    if (signature_parse(&bcast_signature, args, nargs, kwnames, values) < 0 ||
        joint_open(&joint, self, "plain.bcast") < 0)
        return NULL;
    int failed = take_root(&joint, values[1]);
    if (!failed)
        failed = joint.root == self->rank ? take_from(&joint, values[0]) : take_to(&joint, values[0]);
    if (!failed)
        failed = make(&joint, call_bcast);
    joint_close(&joint);
    return failed < 0 ? NULL : Py_NewRef(values[0]);
}

/* ---- gather, scatter, and the like of all ---- */

enum shape { GATHER_ONE, SCATTER_ONE, ALL_GATHER, ALL_TO_ALL };

static int call_gather(const Joint *j) {
    return MPI_Gather(j->from.data, j->from.count, j->from.type, j->takes ? j->to.data : NULL,
                      j->takes ? j->from.count : 0, j->takes ? j->to.type : j->from.type, j->root,
                      j->self->comm);
}
static int call_scatter(const Joint *j) {
    return MPI_Scatter(j->gives ? j->from.data : NULL, j->to.count, j->gives ? j->from.type : j->to.type,
                       j->to.data, j->to.count, j->to.type, j->root, j->self->comm);
}
static int call_allgather(const Joint *j) {
    return MPI_Allgather(j->from.data, j->from.count, j->from.type, j->to.data, j->from.count, j->to.type,
                         j->self->comm);
}
static int call_alltoall(const Joint *j) {
    int piece = j->from.count / j->self->size;
    return MPI_Alltoall(j->from.data, piece, j->from.type, j->to.data, piece, j->to.type, j->self->comm);
}

/* The pieces of all ranks, which are of one size. */
static int match_pieces(Joint *joint, enum shape shape) {
    int piece = 0;
    if (shape == ALL_TO_ALL)
        return cut(joint, &joint->from, "array", &piece) < 0 ||
                       match_count(joint, &joint->to, "into", joint->from.count) < 0
                   ? -1
                   : 0;
    const Bare *whole =
        shape == SCATTER_ONE ? (joint->gives ? &joint->from : NULL) : (joint->takes ? &joint->to : NULL);
    if (!whole)
        return 0;
    const char *whole_name = shape == SCATTER_ONE ? "array" : "into",
               *own = shape == SCATTER_ONE ? "into" : "array";
    return cut(joint, whole, whole_name, &piece) < 0 ||
                   match_count(joint, shape == SCATTER_ONE ? &joint->to : &joint->from, own, piece) < 0
               ? -1
               : 0;
}

static PyObject *of_pieces(Plain *self, PyObject *const *values, const char *operation, enum shape shape,
                           int (*function)(const Joint *joint)) {
    Joint joint;
    if (joint_open(&joint, self, operation) < 0)
        return NULL;
    bool rooted = shape == GATHER_ONE || shape == SCATTER_ONE;
    int failed = rooted ? take_root(&joint, values[2]) : 0;
    bool is_root = joint.root == self->rank;
    if (!failed && (shape != SCATTER_ONE || is_root))
        failed = take_from(&joint, values[0]);
    if (!failed && (shape != GATHER_ONE || is_root))
        failed = take_to(&joint, values[1]);
    if (!failed)
        failed = match_pieces(&joint, shape);
    if (!failed && joint.gives && joint.takes)
        failed = bare_part(&joint.from, &joint.to);
    if (!failed)
        failed = make(&joint, function);
    return end(&joint, failed, values[1]);
}

static Signature gather_signature = {"gather", 3, 1, 3, {"array", "into", "root"}, {NULL}};
static Signature scatter_signature = {"scatter", 3, 0, 3, {"array", "into", "root"}, {NULL}};
static Signature allgather_signature = {"allgather", 2, 2, 2, {"array", "into"}, {NULL}};
static Signature alltoall_signature = {"alltoall", 2, 2, 2, {"array", "into"}, {NULL}};

#define OF_PIECES(name, shape)                                                                               \
    static PyObject *plain_##name(Plain *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) { \
        PyObject *values[MOST_ARGUMENTS];                                                                    \
        if (signature_parse(&name##_signature, args, nargs, kwnames, values) < 0)                            \
            return NULL;                                                                                     \
        return of_pieces(self, values, "plain." #name, shape, call_##name);                                  \
    }
OF_PIECES(gather, GATHER_ONE)
OF_PIECES(scatter, SCATTER_ONE)
OF_PIECES(allgather, ALL_GATHER)
OF_PIECES(alltoall, ALL_TO_ALL)

/* ---- the same with counts ---- */

static int call_gatherv(const Joint *j) {
    return MPI_Gatherv(j->from.data, j->from.count, j->from.type, j->takes ? j->to.data : NULL, j->counts_to,
                       j->places_to, j->takes ? j->to.type : j->from.type, j->root, j->self->comm);
}
static int call_scatterv(const Joint *j) {
    return MPI_Scatterv(j->gives ? j->from.data : NULL, j->counts, j->places,
                        j->gives ? j->from.type : j->to.type, j->to.data, j->to.count, j->to.type, j->root,
                        j->self->comm);
}
static int call_allgatherv(const Joint *j) {
    return MPI_Allgatherv(j->from.data, j->from.count, j->from.type, j->to.data, j->counts_to, j->places_to,
                          j->to.type, j->self->comm);
}
static int call_alltoallv(const Joint *j) {
    return MPI_Alltoallv(j->from.data, j->counts, j->places, j->from.type, j->to.data, j->counts_to,
                         j->places_to, j->to.type, j->self->comm);
}

/* Of one's own piece the count says the same as the memory. */
static int match_own(const Joint *joint, const Bare *mine, const char *name, const int *counts) {
    return counts ? match_count(joint, mine, name, counts[joint->self->rank]) : 0;
}

static Signature gatherv_signature = {"gatherv", 4, 1, 4, {"array", "into", "counts", "root"}, {NULL}};
static Signature scatterv_signature = {"scatterv", 4, 0, 4, {"array", "into", "counts", "root"}, {NULL}};
static Signature allgatherv_signature = {"allgatherv", 3, 3, 3, {"array", "into", "counts"}, {NULL}};
static Signature alltoallv_signature = {"alltoallv", 4, 4, 4, {"array", "into", "counts", "into_counts"},
                                        {NULL}};

static int take_all_counts(Joint *joint, PyObject *const *values, enum shape shape) {
    if (shape == SCATTER_ONE)
        return joint->gives && (take_counts(joint, values[2], &joint->from, "counts", &joint->counts,
                                            &joint->places) < 0 ||
                                match_own(joint, &joint->to, "into", joint->counts) < 0)
                   ? -1
                   : 0;
    if (shape == ALL_TO_ALL)
        return take_counts(joint, values[2], &joint->from, "counts", &joint->counts, &joint->places) < 0 ||
                       take_counts(joint, values[3], &joint->to, "into_counts", &joint->counts_to,
                                   &joint->places_to) < 0
                   ? -1
                   : 0;
    return joint->takes && (take_counts(joint, values[2], &joint->to, "counts", &joint->counts_to,
                                        &joint->places_to) < 0 ||
                            match_own(joint, &joint->from, "array", joint->counts_to) < 0)
               ? -1
               : 0;
}

static PyObject *with_counts(Plain *self, PyObject *const *values, const char *operation, enum shape shape,
                             int (*function)(const Joint *joint)) {
    Joint joint;
    if (joint_open(&joint, self, operation) < 0)
        return NULL;
    bool rooted = shape == GATHER_ONE || shape == SCATTER_ONE;
    int failed = rooted ? take_root(&joint, values[3]) : 0;
    bool is_root = joint.root == self->rank;
    if (!failed && (shape != SCATTER_ONE || is_root))
        failed = take_from(&joint, values[0]);
    if (!failed && (shape != GATHER_ONE || is_root))
        failed = take_to(&joint, values[1]);
    if (!failed)
        failed = take_all_counts(&joint, values, shape);
    if (!failed && joint.gives && joint.takes)
        failed = bare_part(&joint.from, &joint.to);
    if (!failed)
        failed = make(&joint, function);
    return end(&joint, failed, values[1]);
}

#define WITH_COUNTS(name, shape)                                                                             \
    static PyObject *plain_##name(Plain *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) { \
        PyObject *values[MOST_ARGUMENTS];                                                                    \
        if (signature_parse(&name##_signature, args, nargs, kwnames, values) < 0)                            \
            return NULL;                                                                                     \
        return with_counts(self, values, "plain." #name, shape, call_##name);                                \
    }
WITH_COUNTS(gatherv, GATHER_ONE)
WITH_COUNTS(scatterv, SCATTER_ONE)
WITH_COUNTS(allgatherv, ALL_GATHER)
WITH_COUNTS(alltoallv, ALL_TO_ALL)

/* ---- reductions ---- */

/* MPI's own operations alone: a partner names the same, and libraries choose how they reduce by that. */
static int take_op(Joint *joint, PyObject *given) {
    Op *op = parse_op(given, joint->call.operation);
    if (!op)
        return -1;
    switch (op->code) {
    case OP_SUM:
        joint->op = MPI_SUM;
        break;
    case OP_PROD:
        joint->op = MPI_PROD;
        break;
    case OP_MIN:
        joint->op = MPI_MIN;
        break;
    case OP_MAX:
        joint->op = MPI_MAX;
        break;
    case OP_LAND:
        joint->op = MPI_LAND;
        break;
    case OP_LOR:
        joint->op = MPI_LOR;
        break;
    case OP_LXOR:
        joint->op = MPI_LXOR;
        break;
    case OP_BAND:
        joint->op = MPI_BAND;
        break;
    case OP_BOR:
        joint->op = MPI_BOR;
        break;
    case OP_BXOR:
        joint->op = MPI_BXOR;
        break;
    default:
        return raise_error(
            "MismatchError", &joint->call,
            "%R is no operation that partners know: use one of SUM, PROD, MIN, MAX, LAND, LOR, "
            "LXOR, BAND, BOR, BXOR",
            (PyObject *)op);
    }
    return 0;
}

static const void *given(const Joint *j) { return j->in_place ? MPI_IN_PLACE : j->from.data; }

static int call_reduce(const Joint *j) {
    return MPI_Reduce(given(j), j->takes ? j->to.data : NULL, j->from.count, j->from.type, j->op, j->root,
                      j->self->comm);
}
static int call_allreduce(const Joint *j) {
    return MPI_Allreduce(given(j), j->to.data, j->from.count, j->from.type, j->op, j->self->comm);
}
static int call_scan(const Joint *j) {
    return MPI_Scan(given(j), j->to.data, j->from.count, j->from.type, j->op, j->self->comm);
}
static int call_exscan(const Joint *j) {
    return MPI_Exscan(given(j), j->to.data, j->from.count, j->from.type, j->op, j->self->comm);
}

static int match_reduction(Joint *joint) {
    if (joint->from.element == MPI_BYTE && joint->op != MPI_BAND && joint->op != MPI_BOR &&
        joint->op != MPI_BXOR)
        return raise_error(
            "MismatchError", &joint->call,
            "these elements are bytes for MPI, which combines them by BAND, BOR and BXOR alone");
    if (!joint->takes)
        return 0;
    if (joint->to.type != joint->from.type)
        return raise_error("MismatchError", &joint->call, "array and into have elements of different types");
    if (match_count(joint, &joint->to, "into", joint->from.count) < 0)
        return -1;
    joint->in_place = same_memory(&joint->from, &joint->to);
    return joint->in_place ? 0 : bare_part(&joint->from, &joint->to);
}

static PyObject *reduction(Plain *self, PyObject *const *values, const char *operation, PyObject *root,
                           bool rooted, int (*function)(const Joint *joint)) {
    Joint joint;
    if (joint_open(&joint, self, operation) < 0)
        return NULL;
    int failed = rooted ? take_root(&joint, root) : 0;
    if (!failed)
        failed = take_op(&joint, values[2]);
    if (!failed)
        failed = take_from(&joint, values[0]);
    if (!failed && (!rooted || joint.root == self->rank))
        failed = take_to(&joint, values[1]);
    if (!failed)
        failed = match_reduction(&joint);
    if (!failed)
        failed = make(&joint, function);
    return end(&joint, failed, values[1]);
}

static Signature reduce_signature = {"reduce", 4, 1, 4, {"array", "into", "op", "root"}, {NULL}};
static Signature allreduce_signature = {"allreduce", 3, 2, 3, {"array", "into", "op"}, {NULL}};
static Signature scan_signature = {"scan", 3, 2, 3, {"array", "into", "op"}, {NULL}};
static Signature exscan_signature = {"exscan", 3, 2, 3, {"array", "into", "op"}, {NULL}};

#define REDUCTION(name, rooted)                                                                              \
    static PyObject *plain_##name(Plain *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) { \
        PyObject *values[MOST_ARGUMENTS];                                                                    \
        if (signature_parse(&name##_signature, args, nargs, kwnames, values) < 0)                            \
            return NULL;                                                                                     \
        return reduction(self, values, "plain." #name, rooted ? values[3] : NULL, rooted, call_##name);      \
    }
REDUCTION(reduce, true)
REDUCTION(allreduce, false)
REDUCTION(scan, false)
REDUCTION(exscan, false)

/* ---- the table ---- */

#define METHOD(name, documentation)                                                                          \
    { #name, (PyCFunction)(void (*)(void))plain_##name, METH_FASTCALL | METH_KEYWORDS, documentation }

#define ROOT_ERROR "    RankError: there is no such rank as root.\n"
#define MEMORY_ERROR "    MismatchError: what is given is no memory of elements, or does not fit.\n"
#define BLOCKS "It has no time-out, and signal handlers run when it returns.\n\n"

PyMethodDef plain_collectives[] = {
    {"barrier", (PyCFunction)plain_barrier, METH_NOARGS,
     "barrier($self, /)\n--\n\nWait until all ranks have called MPI_Barrier. " BLOCKS
     "MPI 5.0, section 6.3."},
    METHOD(bcast, "bcast($self, array, root=0)\n--\n\n"
                  "Send the elements of the root's array into those of all other ranks. " BLOCKS "Args:\n"
                  "    array: of as many elements on all ranks; it is returned.\n"
                  "    root: the rank that has them.\n\n"
                  "Raises:\n" ROOT_ERROR MEMORY_ERROR "\nMPI 5.0, section 6.4."),
    METHOD(gather, "gather($self, array, into=None, root=0)\n--\n\n"
                   "Collect as many elements of each rank in into of the root, one after another. " BLOCKS
                   "Raises:\n" ROOT_ERROR MEMORY_ERROR "\nMPI 5.0, section 6.5."),
    METHOD(gatherv,
           "gatherv($self, array, into=None, counts=None, root=0)\n--\n\n"
           "The same where ranks give different numbers of elements, which the root knows. " BLOCKS "Args:\n"
           "    array: the elements of this rank.\n"
           "    into: those of all, one after another, at root.\n"
           "    counts: how many each rank gives, at root.\n"
           "    root: the rank that gets them.\n\n"
           "Raises:\n" ROOT_ERROR MEMORY_ERROR "\nMPI 5.0, section 6.5 (MPI_Gatherv)."),
    METHOD(scatter, "scatter($self, array=None, into=None, root=0)\n--\n\n"
                    "Send each rank its piece of the root's array, all of one size, into into. " BLOCKS
                    "Raises:\n" ROOT_ERROR MEMORY_ERROR "\nMPI 5.0, section 6.6."),
    METHOD(scatterv, "scatterv($self, array=None, into=None, counts=None, root=0)\n--\n\n"
                     "The same with pieces of different sizes: counts, at root, one after another. " BLOCKS
                     "Raises:\n" ROOT_ERROR MEMORY_ERROR "\nMPI 5.0, section 6.6 (MPI_Scatterv)."),
    METHOD(allgather, "allgather($self, array, into)\n--\n\n"
                      "Collect as many elements of each rank in into of all. " BLOCKS "Raises:\n" MEMORY_ERROR
                      "\nMPI 5.0, section 6.7."),
    METHOD(allgatherv, "allgatherv($self, array, into, counts)\n--\n\n"
                       "The same where ranks give different numbers of elements, which all know. " BLOCKS
                       "Raises:\n" MEMORY_ERROR "\nMPI 5.0, section 6.7 (MPI_Allgatherv)."),
    METHOD(alltoall,
           "alltoall($self, array, into)\n--\n\n"
           "Send each rank its piece of array, all of one size, and receive one of each in into. " BLOCKS
           "Raises:\n" MEMORY_ERROR "\nMPI 5.0, section 6.8."),
    METHOD(alltoallv,
           "alltoallv($self, array, into, counts, into_counts)\n--\n\n"
           "The same with pieces of different sizes: counts to, and into_counts from each rank. " BLOCKS
           "Raises:\n" MEMORY_ERROR "\nMPI 5.0, section 6.8 (MPI_Alltoallv)."),
    METHOD(reduce,
           "reduce($self, array, into=None, op=SUM, root=0)\n--\n\n"
           "Combine the arrays of all ranks, element by element, in into of the root. " BLOCKS "Args:\n"
           "    array: of as many elements on all ranks.\n"
           "    into: of as many, at root; it may be array itself.\n"
           "    op: one of MPI's own, as MPI computes it: SUM, PROD, MIN, MAX, LAND, LOR, LXOR, BAND, BOR, "
           "BXOR.\n"
           "    root: the rank that gets the result.\n\n"
           "Raises:\n" ROOT_ERROR MEMORY_ERROR "\nMPI 5.0, section 6.9.1."),
    METHOD(allreduce, "allreduce($self, array, into, op=SUM)\n--\n\n"
                      "The same with the result in into of all ranks. " BLOCKS "Raises:\n" MEMORY_ERROR
                      "\nMPI 5.0, section 6.9.6."),
    METHOD(scan, "scan($self, array, into, op=SUM)\n--\n\n"
                 "Combine the arrays of ranks 0 to this one. " BLOCKS "Raises:\n" MEMORY_ERROR
                 "\nMPI 5.0, section 6.11.1."),
    METHOD(exscan, "exscan($self, array, into, op=SUM)\n--\n\n"
                   "Combine the arrays of the ranks below; at rank 0 into is undefined. " BLOCKS
                   "Raises:\n" MEMORY_ERROR "\nMPI 5.0, section 6.11.2."),
    {NULL, NULL, 0, NULL},
};

int plain_collectives_prepare(void) {
    Signature *const all[] = {&bcast_signature,     &gather_signature,     &scatter_signature,
                              &allgather_signature, &alltoall_signature,   &gatherv_signature,
                              &scatterv_signature,  &allgatherv_signature, &alltoallv_signature,
                              &reduce_signature,    &allreduce_signature,  &scan_signature,
                              &exscan_signature};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (signature_prepare(all[i]) < 0)
            return -1;
    return 0;
}
