/* Collectives that return a request at once (MPI 5.0, section 6.12). */
#include "collectives/async_collective.h"
#include "collectives/collectives.h"
#include "python/interface/communicator.h"
#include "python/interface/request.h"
#include "reductions/reductions.h"

static PyObject *or_none(PyObject *value) { return value ? value : Py_None; }

static Signature ibarrier_signature = {"ibarrier", 0, 0, 0, {NULL}, {NULL}};

static PyObject *ibarrier(Communicator *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    if (signature_parse(&ibarrier_signature, args, nargs, kwnames, values) < 0 || !is_usable(self))
        return NULL;
    return request_of_collective(barrier_start(self));
}

enum { OBJ, BCAST_ROOT, BCAST_INTO };
static Signature ibcast_signature = {"ibcast", 2, 0, 3, {"obj", "root", "into"}, {NULL}};

static PyObject *ibcast(Communicator *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    int root;
    if (signature_parse(&ibcast_signature, args, nargs, kwnames, values) < 0 ||
        parse_root(self, values[BCAST_ROOT], "ibcast", &root) < 0)
        return NULL;
    return request_of_collective(bcast_start(self, or_none(values[OBJ]), root, values[BCAST_INTO]));
}

enum { X, GATHER_ROOT, GATHER_INTO };
static Signature igather_signature = {"igather", 2, 1, 3, {"x", "root", "into"}, {NULL}};

static PyObject *igather(Communicator *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    int root;
    if (signature_parse(&igather_signature, args, nargs, kwnames, values) < 0 ||
        parse_root(self, values[GATHER_ROOT], "igather", &root) < 0)
        return NULL;
    return request_of_collective(gather_start(self, values[X], root, values[GATHER_INTO]));
}

enum { PIECES, SCATTER_ROOT, SCATTER_COUNTS, SCATTER_INTO };
static Signature iscatter_signature = {"iscatter", 2, 0, 4, {"pieces", "root", "counts", "into"}, {NULL}};

static PyObject *iscatter(Communicator *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    int root;
    if (signature_parse(&iscatter_signature, args, nargs, kwnames, values) < 0 ||
        parse_root(self, values[SCATTER_ROOT], "iscatter", &root) < 0)
        return NULL;
    return request_of_collective(
        scatter_start(self, or_none(values[PIECES]), root, values[SCATTER_COUNTS], values[SCATTER_INTO]));
}

enum { ALLGATHER_INTO = 1 };
static Signature iallgather_signature = {"iallgather", 1, 1, 2, {"x", "into"}, {NULL}};

static PyObject *iallgather(Communicator *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    if (signature_parse(&iallgather_signature, args, nargs, kwnames, values) < 0 || !is_usable(self))
        return NULL;
    return request_of_collective(allgather_start(self, values[X], values[ALLGATHER_INTO]));
}

enum { ALLTOALL_COUNTS = 1, ALLTOALL_INTO };
static Signature ialltoall_signature = {"ialltoall", 1, 1, 3, {"pieces", "counts", "into"}, {NULL}};

static PyObject *ialltoall(Communicator *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    if (signature_parse(&ialltoall_signature, args, nargs, kwnames, values) < 0 || !is_usable(self))
        return NULL;
    return request_of_collective(
        alltoall_start(self, values[PIECES], values[ALLTOALL_COUNTS], values[ALLTOALL_INTO]));
}

enum { OP = 1, REDUCE_ROOT, REDUCE_INTO };
static Signature ireduce_signature = {"ireduce", 3, 1, 4, {"x", "op", "root", "into"}, {NULL}};

static PyObject *ireduce(Communicator *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Op *op;
    int root;
    if (signature_parse(&ireduce_signature, args, nargs, kwnames, values) < 0 ||
        parse_root(self, values[REDUCE_ROOT], "ireduce", &root) < 0 ||
        !(op = parse_op(values[OP], "ireduce")))
        return NULL;
    return request_of_collective(reduction_start(self, REDUCE, values[X], op, root, values[REDUCE_INTO]));
}

enum { REDUCTION_INTO = 2 };
#define REDUCTION(name, verb)                                                                                \
    static Signature name##_signature = {#name, 2, 1, 3, {"x", "op", "into"}, {NULL}};                       \
    static PyObject *name(Communicator *self, FASTCALL_ARGS) {                                               \
        PyObject *values[MOST_ARGUMENTS];                                                                    \
        Op *op;                                                                                              \
        if (signature_parse(&name##_signature, args, nargs, kwnames, values) < 0 || !is_usable(self) ||      \
            !(op = parse_op(values[OP], #name)))                                                             \
            return NULL;                                                                                     \
        return request_of_collective(reduction_start(self, verb, values[X], op, 0, values[REDUCTION_INTO])); \
    }
REDUCTION(iallreduce, ALLREDUCE)
REDUCTION(iscan, SCAN)
REDUCTION(iexscan, EXSCAN)
REDUCTION(ireduce_scatter, REDUCE_SCATTER)

#define BEGIN(name, parameters, section)                                                                     \
    KEYWORD_METHOD(                                                                                          \
        "i" #name, i##name,                                                                                  \
        "i" #name "($self" parameters ")\n--\n\n"                                                            \
        "Begin a " #name ", which goes on while this rank does something else; a Request.\n\n"               \
        "All ranks begin the collectives of a communicator in the same order; one rank may begin "           \
        "a call that another makes with ``" #name "``, and several may be pending. Arguments as "            \
        "those of ``" #name "``: they must not change before the request is complete.\n\n"                   \
        "Returns:\n"                                                                                         \
        "    A request, whose ``wait`` returns what ``" #name "`` returns, and raises what it "              \
        "raises. The call makes progress in any call of polympi, and goes on if the request is "             \
        "dropped.\n\n"                                                                                       \
        "MPI 5.0, section " section ".")

PyMethodDef nonblocking_collective_methods[] = {
    BEGIN(barrier, ", /", "6.12.1"),
    BEGIN(bcast, ", obj=None, root=0, *, into=None", "6.12.2"),
    BEGIN(gather, ", x, root=0, *, into=None", "6.12.3"),
    BEGIN(scatter, ", pieces=None, root=0, *, counts=None, into=None", "6.12.4"),
    BEGIN(allgather, ", x, *, into=None", "6.12.5"),
    BEGIN(alltoall, ", pieces, *, counts=None, into=None", "6.12.6"),
    BEGIN(reduce, ", x, op=None, root=0, *, into=None", "6.12.7"),
    BEGIN(allreduce, ", x, op=None, *, into=None", "6.12.8"),
    BEGIN(reduce_scatter, ", x, op=None, *, into=None", "6.12.10"),
    BEGIN(scan, ", x, op=None, *, into=None", "6.12.11"),
    BEGIN(exscan, ", x, op=None, *, into=None", "6.12.12"),
    {NULL, NULL, 0, NULL},
};

int nonblocking_collectives_prepare(void) {
    return PREPARE_SIGNATURES(&ibarrier_signature, &ibcast_signature, &igather_signature, &iscatter_signature,
                              &iallgather_signature, &ialltoall_signature, &ireduce_signature,
                              &iallreduce_signature, &iscan_signature, &iexscan_signature,
                              &ireduce_scatter_signature);
}
