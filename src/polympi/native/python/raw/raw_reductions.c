/* The collectives that combine elements. */
#include "python/raw/raw_collective_call.h"
#include "reductions/op.h"

/* MPI's own operations alone: a partner names the same, and libraries choose how they reduce by that. */
static int take_op(Joint *joint, const Op *op) {
    if (op->code > OP_BXOR)
        return raise_error("MismatchError", &joint->call,
                           "%R is not one of MPI's operations, which partners need: use one of SUM, PROD, "
                           "MIN, MAX, LAND, LOR, "
                           "LXOR, BAND, BOR, BXOR",
                           (PyObject *)op);
    joint->op = mpi_ops[op->code];
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

static bool same_memory(const RawBuffer *one, const RawBuffer *other) {
    return !one->packed && !other->packed && one->data == other->data && one->count == other->count;
}

/* Refuse what both libraries and the standard do, with one message. */
static int match_reduction(Joint *joint, enum op op) {
    const char *elements;
    bool half = joint->from.open && joint->from.target.type == TYPE_HALF; /* numbers without an MPI type */
    if (!is_combined_by_mpi(joint->from.element, op, &elements) || half)
        return raise_error("MismatchError", &joint->call, "MPI does not combine %s by %U",
                           half ? "float16" : elements, built_in_ops[op]->name);
    if (!joint->takes)
        return 0;
    if (joint->to.type != joint->from.type)
        return raise_error("MismatchError", &joint->call, "array and into have elements of different types");
    if (joint_match(joint, &joint->to, "into", joint->from.count) < 0)
        return -1;
    joint->in_place = same_memory(&joint->from, &joint->to);
    return joint->in_place ? 0 : raw_buffer_part(&joint->from, &joint->to);
}

static PyObject *reduction(Raw *self, PyObject *const *values, const char *operation, bool rooted,
                           int (*function)(const Joint *joint)) {
    Joint *joint = joint_open(self, operation, values[rooted ? 4 : 3]);
    if (!joint)
        return NULL;
    int failed = rooted ? joint_root(joint, values[3]) : 0;
    const Op *op = failed ? NULL : parse_op(values[2], operation);
    failed = op ? take_op(joint, op) : -1;
    if (!failed)
        failed = joint_from(joint, values[0]);
    if (!failed && (!rooted || joint->root == self->rank))
        failed = joint_to(joint, values[1]);
    if (!failed)
        failed = match_reduction(joint, op->code);
    if (!failed)
        failed = joint_make(joint, function);
    return joint_end(joint, failed, values[1]);
}

static Signature reduce_signature = {"reduce", 4, 1, 5, {"array", "into", "op", "root", "timeout"}, {NULL}};
static Signature allreduce_signature = {"allreduce", 3, 2, 4, {"array", "into", "op", "timeout"}, {NULL}};
static Signature scan_signature = {"scan", 3, 2, 4, {"array", "into", "op", "timeout"}, {NULL}};
static Signature exscan_signature = {"exscan", 3, 2, 4, {"array", "into", "op", "timeout"}, {NULL}};

#define REDUCTION(name, rooted)                                                                              \
    static PyObject *raw_##name(Raw *self, FASTCALL_ARGS) {                                                  \
        PyObject *values[MOST_ARGUMENTS];                                                                    \
        if (signature_parse(&name##_signature, args, nargs, kwnames, values) < 0)                            \
            return NULL;                                                                                     \
        return reduction(self, values, "raw." #name, rooted, call_##name);                                   \
    }
REDUCTION(reduce, true)
REDUCTION(allreduce, false)
REDUCTION(scan, false)
REDUCTION(exscan, false)

#define ARGUMENTS(whose)                                                                                     \
    "Args:\n"                                                                                                \
    "    array: of as many elements on all ranks.\n"                                                         \
    "    into: of as many" whose "; it may be array itself.\n"                                               \
    "    op: one of MPI's own, as MPI computes it: SUM, PROD, MIN, MAX, LAND, LOR, LXOR, BAND, BOR, "        \
    "BXOR. None stands for SUM.\n"

PyMethodDef raw_reductions[] = {
    RAW_METHOD(reduce,
               "reduce($self, array, into=None, op=None, root=0, *, timeout=None)\n--\n\n"
               "Combine the arrays of all ranks, element by element, in into of the root.\n\n" ARGUMENTS(
                   ", at root") "    root: the rank that gets the result.\n" COLLECTIVE_TIMEOUT "\n"
                                "Raises:\n" ROOT_ERROR MEMORY_ERROR TIMEOUT_ERROR
                                "\nMPI 5.0, section 6.9.1."),
    RAW_METHOD(allreduce,
               "allreduce($self, array, into, op=None, *, timeout=None)\n--\n\n"
               "The same with the result in into of all ranks.\n\n" ARGUMENTS("") COLLECTIVE_TIMEOUT
               "\nRaises:\n" MEMORY_ERROR TIMEOUT_ERROR "\nMPI 5.0, section 6.9.6."),
    RAW_METHOD(scan, "scan($self, array, into, op=None, *, timeout=None)\n--\n\n"
                     "Combine the arrays of ranks 0 to this one.\n\n" ARGUMENTS("") COLLECTIVE_TIMEOUT
               "\nRaises:\n" MEMORY_ERROR TIMEOUT_ERROR "\nMPI 5.0, section 6.11.1."),
    RAW_METHOD(exscan,
               "exscan($self, array, into, op=None, *, timeout=None)\n--\n\n"
               "Combine the arrays of the ranks below; at rank 0 into is undefined.\n\n" ARGUMENTS("")
                   COLLECTIVE_TIMEOUT "\nRaises:\n" MEMORY_ERROR TIMEOUT_ERROR "\nMPI 5.0, section 6.11.2."),
    {NULL, NULL, 0, NULL},
};

int raw_reductions_prepare(void) {
    return PREPARE_SIGNATURES(&reduce_signature, &allreduce_signature, &scan_signature, &exscan_signature);
}
