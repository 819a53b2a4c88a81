/* The collectives that move elements. */
#include "python/raw/raw_collective_call.h"

/* ---- counts ---- */

/* Read `given`, the number of elements per rank in a buffer: counts and displacements in elements of MPI. 0
 * or -1. */
static int take_counts(Joint *joint, PyObject *given, const RawBuffer *whole, const char *name, int **counts,
                       int **places) {
    int size = joint->self->size;
    if (!given || given == Py_None)
        return joint_missing(joint, name);
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

static Signature barrier_signature = {"barrier", 0, 0, 1, {"timeout"}, {NULL}};

static PyObject *raw_barrier(Raw *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    if (signature_parse(&barrier_signature, args, nargs, kwnames, values) < 0)
        return NULL;
    Joint *joint = joint_open(self, "raw.barrier", values[0]);
    return joint ? joint_end(joint, joint_make(joint, call_barrier), Py_None) : NULL;
}

static int call_bcast(const Joint *joint) {
    const RawBuffer *raw = joint->takes ? &joint->to : &joint->from;
    return MPI_Bcast(raw->data, raw->count, raw->type, joint->root, joint->self->comm);
}

static Signature bcast_signature = {"bcast", 2, 1, 3, {"array", "root", "timeout"}, {NULL}};

static PyObject *raw_bcast(Raw *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    if (signature_parse(&bcast_signature, args, nargs, kwnames, values) < 0)
        return NULL;
    Joint *joint = joint_open(self, "raw.bcast", values[2]);
    if (!joint)
        return NULL;
    int failed = joint_root(joint, values[1]);
    if (!failed)
        failed = joint->root == self->rank ? joint_from(joint, values[0]) : joint_to(joint, values[0]);
    if (!failed)
        failed = joint_make(joint, call_bcast);
    PyObject *result = joint_end(joint, failed, values[0]);
    if (result == Py_None)
        Py_SETREF(result, Py_NewRef(values[0])); /* at the root, too */
    return result;
}

/* ---- gather, scatter, and the like of all ---- */

/* Arguments whose places differ between calls; the root counts only where there is one. */
struct last {
    PyObject *root, *timeout;
};

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

/* All pieces have one size. */
static int match_pieces(Joint *joint, PyObject *const *Py_UNUSED(values), enum shape shape) {
    int piece = 0;
    if (shape == ALL_TO_ALL)
        return joint_cut(joint, &joint->from, "array", &piece) < 0 ||
                       joint_match(joint, &joint->to, "into", joint->from.count) < 0
                   ? -1
                   : 0;
    const RawBuffer *whole =
        shape == SCATTER_ONE ? (joint->gives ? &joint->from : NULL) : (joint->takes ? &joint->to : NULL);
    if (!whole)
        return 0;
    const char *whole_name = shape == SCATTER_ONE ? "array" : "into",
               *own = shape == SCATTER_ONE ? "into" : "array";
    return joint_cut(joint, whole, whole_name, &piece) < 0 ||
                   joint_match(joint, shape == SCATTER_ONE ? &joint->to : &joint->from, own, piece) < 0
               ? -1
               : 0;
}

/* A call with pieces; `match` checks their sizes. */
static PyObject *make_call(Raw *self, PyObject *const *values, struct last last, const char *operation,
                           enum shape shape,
                           int (*match)(Joint *joint, PyObject *const *values, enum shape shape),
                           int (*function)(const Joint *joint)) {
    Joint *joint = joint_open(self, operation, last.timeout);
    if (!joint)
        return NULL;
    bool rooted = shape == GATHER_ONE || shape == SCATTER_ONE;
    int failed = rooted ? joint_root(joint, last.root) : 0;
    bool is_root = joint->root == self->rank;
    if (!failed && (shape != SCATTER_ONE || is_root))
        failed = joint_from(joint, values[0]);
    if (!failed && (shape != GATHER_ONE || is_root))
        failed = joint_to(joint, values[1]);
    if (!failed)
        failed = match(joint, values, shape);
    if (!failed && joint->gives && joint->takes)
        failed = raw_buffer_part(&joint->from, &joint->to);
    if (!failed)
        failed = joint_make(joint, function);
    return joint_end(joint, failed, values[1]);
}

static Signature gather_signature = {"gather", 3, 1, 4, {"array", "into", "root", "timeout"}, {NULL}};
static Signature scatter_signature = {"scatter", 3, 0, 4, {"array", "into", "root", "timeout"}, {NULL}};
static Signature allgather_signature = {"allgather", 2, 2, 3, {"array", "into", "timeout"}, {NULL}};
static Signature alltoall_signature = {"alltoall", 2, 2, 3, {"array", "into", "timeout"}, {NULL}};

#define CALL_IN_PIECES(name, shape, match, root, timeout)                                                    \
    static PyObject *raw_##name(Raw *self, FASTCALL_ARGS) {                                                  \
        PyObject *values[MOST_ARGUMENTS];                                                                    \
        if (signature_parse(&name##_signature, args, nargs, kwnames, values) < 0)                            \
            return NULL;                                                                                     \
        const struct last last = {values[root], values[timeout]};                                            \
        return make_call(self, values, last, "raw." #name, shape, match, call_##name);                       \
    }
CALL_IN_PIECES(gather, GATHER_ONE, match_pieces, 2, 3)
CALL_IN_PIECES(scatter, SCATTER_ONE, match_pieces, 2, 3)
CALL_IN_PIECES(allgather, ALL_GATHER, match_pieces, 2, 2)
CALL_IN_PIECES(alltoall, ALL_TO_ALL, match_pieces, 2, 2)

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

/* This rank's own piece must have as many elements as its count says. */
static int match_own(const Joint *joint, const RawBuffer *mine, const char *name, const int *counts) {
    return counts ? joint_match(joint, mine, name, counts[joint->self->rank]) : 0;
}

static Signature gatherv_signature = {"gatherv", 4, 1, 5, {"array", "into", "counts", "root", "timeout"},
                                      {NULL}};
static Signature scatterv_signature = {"scatterv", 4, 0, 5, {"array", "into", "counts", "root", "timeout"},
                                       {NULL}};
static Signature allgatherv_signature = {"allgatherv", 3, 3, 4, {"array", "into", "counts", "timeout"},
                                         {NULL}};
static Signature alltoallv_signature = {
    "alltoallv", 4, 4, 5, {"array", "into", "counts", "into_counts", "timeout"}, {NULL}};

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

CALL_IN_PIECES(gatherv, GATHER_ONE, take_all_counts, 3, 4)
CALL_IN_PIECES(scatterv, SCATTER_ONE, take_all_counts, 3, 4)
CALL_IN_PIECES(allgatherv, ALL_GATHER, take_all_counts, 3, 3)
CALL_IN_PIECES(alltoallv, ALL_TO_ALL, take_all_counts, 4, 4)

/* ---- the table ---- */

PyMethodDef raw_collectives[] = {
    RAW_METHOD(barrier, "barrier($self, /, *, timeout=None)\n--\n\n"
                        "Wait until all ranks have called MPI_Barrier.\n\n"
                        "Args:\n" COLLECTIVE_TIMEOUT "\nRaises:\n" TIMEOUT_ERROR "\nMPI 5.0, section 6.3."),
    RAW_METHOD(bcast, "bcast($self, array, root=0, *, timeout=None)\n--\n\n"
                      "Send the elements of the root's array into those of all other ranks.\n\n"
                      "Args:\n"
                      "    array: of as many elements on all ranks; it is returned.\n"
                      "    root: the rank that has them.\n" COLLECTIVE_TIMEOUT "\n"
                      "Raises:\n" ROOT_ERROR MEMORY_ERROR TIMEOUT_ERROR "\nMPI 5.0, section 6.4."),
    RAW_METHOD(gather, "gather($self, array, into=None, root=0, *, timeout=None)\n--\n\n"
                       "Collect as many elements of each rank in into of the root, one after another.\n\n"
                       "Args:\n"
                       "    array: the elements of this rank.\n"
                       "    into: room for those of all, at root.\n"
                       "    root: the rank that gets them.\n" COLLECTIVE_TIMEOUT "\n"
                       "Raises:\n" ROOT_ERROR MEMORY_ERROR TIMEOUT_ERROR "\nMPI 5.0, section 6.5."),
    RAW_METHOD(gatherv,
               "gatherv($self, array, into=None, counts=None, root=0, *, timeout=None)\n--\n\n"
               "The same where ranks give different numbers of elements, which the root knows.\n\n"
               "Args:\n"
               "    array: the elements of this rank.\n"
               "    into: those of all, one after another, at root.\n"
               "    counts: how many each rank gives, at root.\n"
               "    root: the rank that gets them.\n" COLLECTIVE_TIMEOUT "\n"
               "Raises:\n" ROOT_ERROR MEMORY_ERROR TIMEOUT_ERROR "\nMPI 5.0, section 6.5 (MPI_Gatherv)."),
    RAW_METHOD(scatter, "scatter($self, array=None, into=None, root=0, *, timeout=None)\n--\n\n"
                        "Send each rank its piece of the root's array, all of one size, into into.\n\n"
                        "Args:\n"
                        "    array: the pieces of all, at root.\n"
                        "    into: room for that of this rank.\n"
                        "    root: the rank that has them.\n" COLLECTIVE_TIMEOUT "\n"
                        "Raises:\n" ROOT_ERROR MEMORY_ERROR TIMEOUT_ERROR "\nMPI 5.0, section 6.6."),
    RAW_METHOD(scatterv,
               "scatterv($self, array=None, into=None, counts=None, root=0, *, timeout=None)\n--\n\n"
               "The same with pieces of different sizes.\n\n"
               "Args:\n"
               "    array: the pieces of all, one after another, at root.\n"
               "    into: room for that of this rank.\n"
               "    counts: how many elements each rank gets, at root.\n"
               "    root: the rank that has them.\n" COLLECTIVE_TIMEOUT "\n"
               "Raises:\n" ROOT_ERROR MEMORY_ERROR TIMEOUT_ERROR "\nMPI 5.0, section 6.6 (MPI_Scatterv)."),
    RAW_METHOD(allgather, "allgather($self, array, into, *, timeout=None)\n--\n\n"
                          "Collect as many elements of each rank in into of all.\n\n"
                          "Args:\n"
                          "    array: the elements of this rank.\n"
                          "    into: room for those of all.\n" COLLECTIVE_TIMEOUT "\n"
                          "Raises:\n" MEMORY_ERROR TIMEOUT_ERROR "\nMPI 5.0, section 6.7."),
    RAW_METHOD(allgatherv, "allgatherv($self, array, into, counts, *, timeout=None)\n--\n\n"
                           "The same where ranks give different numbers of elements, which all know.\n\n"
                           "Args:\n"
                           "    array: the elements of this rank.\n"
                           "    into: those of all, one after another.\n"
                           "    counts: how many each rank gives.\n" COLLECTIVE_TIMEOUT "\n"
                           "Raises:\n" MEMORY_ERROR TIMEOUT_ERROR "\nMPI 5.0, section 6.7 (MPI_Allgatherv)."),
    RAW_METHOD(alltoall,
               "alltoall($self, array, into, *, timeout=None)\n--\n\n"
               "Send each rank its piece of array, all of one size, and receive one of each in into.\n\n"
               "Args:\n"
               "    array: the pieces for all.\n"
               "    into: room for those of all.\n" COLLECTIVE_TIMEOUT "\n"
               "Raises:\n" MEMORY_ERROR TIMEOUT_ERROR "\nMPI 5.0, section 6.8."),
    RAW_METHOD(alltoallv, "alltoallv($self, array, into, counts, into_counts, *, timeout=None)\n--\n\n"
                          "The same with pieces of different sizes.\n\n"
                          "Args:\n"
                          "    array: the pieces for all, one after another.\n"
                          "    into: room for those of all.\n"
                          "    counts: how many elements go to each rank.\n"
                          "    into_counts: how many come from each.\n" COLLECTIVE_TIMEOUT "\n"
                          "Raises:\n" MEMORY_ERROR TIMEOUT_ERROR "\nMPI 5.0, section 6.8 (MPI_Alltoallv)."),
    {NULL, NULL, 0, NULL},
};

int raw_collectives_prepare(void) {
    return PREPARE_SIGNATURES(&barrier_signature, &bcast_signature, &gather_signature, &scatter_signature,
                              &allgather_signature, &alltoall_signature, &gatherv_signature,
                              &scatterv_signature, &allgatherv_signature, &alltoallv_signature);
}
