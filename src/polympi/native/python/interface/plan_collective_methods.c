/* The methods that add a collective to a plan (MPI 5.0, section 6.13). */
#include "python/interface/plan.h"

#include "base/arguments.h"
#include "base/errors.h"

/* A method, and which of its arguments is what. */
enum { NO_ARGUMENT = -1 };
typedef struct {
    const Signature *signature;
    enum verb verb;
    int given, root, op, counts, into;
} Kind;

#define KIND(name, verb, positional, required, total, given, root, op, counts, into, ...)                    \
    static Signature plan_##name##_signature = {"plan." #name, positional,    required,                      \
                                                total,         {__VA_ARGS__}, {NULL}};                       \
    static const Kind name##_kind = {&plan_##name##_signature, verb, given, root, op, counts, into}
#define NONE NO_ARGUMENT
KIND(barrier, BARRIER, 0, 0, 0, NONE, NONE, NONE, NONE, NONE, NULL);
KIND(bcast, BCAST, 2, 1, 2, 0, 1, NONE, NONE, 0, "array", "root");
KIND(gather, GATHER, 2, 1, 3, 0, 1, NONE, NONE, 2, "array", "root", "into");
KIND(scatter, SCATTER, 2, 0, 4, 0, 1, NONE, 2, 3, "array", "root", "counts", "into");
KIND(allgather, ALLGATHER, 1, 1, 2, 0, NONE, NONE, NONE, 1, "array", "into");
KIND(alltoall, ALLTOALL, 1, 1, 3, 0, NONE, NONE, 1, 2, "array", "counts", "into");
KIND(reduce, REDUCE, 3, 1, 4, 0, 2, 1, NONE, 3, "array", "op", "root", "into");
KIND(allreduce, ALLREDUCE, 2, 1, 3, 0, NONE, 1, NONE, 2, "array", "op", "into");
KIND(reduce_scatter, REDUCE_SCATTER, 2, 1, 3, 0, NONE, 1, NONE, 2, "array", "op", "into");
KIND(scan, SCAN, 2, 1, 3, 0, NONE, 1, NONE, 2, "array", "op", "into");
KIND(exscan, EXSCAN, 2, 1, 3, 0, NONE, 1, NONE, 2, "array", "op", "into");
#undef NONE

/* ---- which memory this rank needs ---- */

static bool at_root(const PlanCollective *part) { return part->call.rank == part->root; }

static bool gives(const PlanCollective *part) {
    return (part->verb != BCAST && part->verb != SCATTER) || at_root(part);
}

static bool gets(const PlanCollective *part) {
    return part->verb == BCAST                            ? !at_root(part)
           : part->verb == GATHER || part->verb == REDUCE ? at_root(part)
           : part->verb == EXSCAN                         ? part->call.rank > 0
                                                          : true;
}

static int refuse(const PlanCollective *part, const char *sentence) {
    return raise_error("MismatchError", &part->call, "%s", sentence);
}

static int open_given(PlanCollective *part, PyObject *object) {
    if (!object || object == Py_None)
        return refuse(part, "the root gives an array: a plan has fixed memory");
    Call call = part->call;
    call.sends = true;
    if (target_open(&part->given, object, &call) < 0)
        return -1;
    if (part->op && !(ndarray_type && PyObject_TypeCheck(object, ndarray_type)))
        return refuse(part, "a reduction in a plan combines NumPy's arrays: give one over this memory");
    return 0;
}

static int open_into(PlanCollective *part, PyObject *object) {
    if (!object || object == Py_None)
        return refuse(part, "this rank needs `into`: a plan has fixed memory");
    return target_open(&part->into, object, &part->call);
}

static PyObject *type_of_both(const PlanCollective *part) {
    PyObject *given = target_type(&part->given), *into = given ? target_type(&part->into) : NULL;
    int same = into ? PyObject_RichCompareBool(given, into, Py_EQ) : -1;
    if (same == 0)
        raise_error("MismatchError", &part->call, "the elements of the array are %U, and those of `into` %U",
                    given, into);
    Py_XDECREF(into);
    if (same != 1)
        Py_CLEAR(given);
    return given;
}

/* Whether what is given fits into `into`, as far as this rank alone knows. */
static int check_both(const PlanCollective *part) {
    PyObject *type = type_of_both(part);
    Py_XDECREF(type);
    if (!type)
        return -1;
    if (!part->op || part->verb == REDUCE_SCATTER || part->given.layout.count == part->into.layout.count)
        return 0;
    return raise_error("MismatchError", &part->call, "the array has %zd elements, and `into` %zd",
                       part->given.layout.count, part->into.layout.count);
}

static int open_memory(PlanCollective *part, PyObject *given, PyObject *into) {
    if (part->verb == BARRIER)
        return 0;
    if ((gives(part) && open_given(part, given) < 0) || (gets(part) && open_into(part, into) < 0))
        return -1;
    return part->given.object && part->into.object ? check_both(part) : 0;
}

/* ---- adding one ---- */

static PyObject *value_at(PyObject *const *values, int place) {
    return place == NO_ARGUMENT ? NULL : values[place];
}

/* What is not memory. */
static int parse_rest(PlanCollective *part, const Kind *kind, PyObject *const *values, Communicator *comm) {
    if (parse_root(comm, value_at(values, kind->root), part->call.operation, &part->root) < 0)
        return -1;
    if (kind->op != NO_ARGUMENT) {
        part->op = parse_op(values[kind->op], part->call.operation);
        if (!part->op)
            return -1;
        Py_INCREF(part->op);
    }
    PyObject *counts = value_at(values, kind->counts);
    if (!counts || counts == Py_None || !gives(part))
        return 0;
    part->counts = PySequence_Tuple(counts);
    return part->counts ? 0 : -1;
}

/* Whether the rest of the plan has other memory. */
static int check_others(const Plan *plan, const PlanCollective *part) {
    Call call = part->call;
    for (int sends = 0; sends <= 1; sends++) {
        const Target *memory = sends ? &part->given : &part->into;
        call.sends = sends;
        if (memory->object && (plan_transfers_check(plan->transfers, memory, &call) < 0 ||
                               plan_collectives_check(plan->collectives, memory, &call) < 0))
            return -1;
    }
    return 0;
}

static int fill(Plan *plan, PlanCollective *part, const Kind *kind, PyObject *const *values) {
    if (parse_rest(part, kind, values, plan->transfers->comm) < 0 ||
        open_memory(part, value_at(values, kind->given), value_at(values, kind->into)) < 0)
        return -1;
    if (!plan->collectives && !(plan->collectives = plan_collectives_new()))
        return -1;
    if (plan->collectives->agreement)
        return raise_error(
            "StateError", &part->call,
            "the ranks still agree on the collectives that were added before: call agree() first");
    return check_others(plan, part) < 0 ? -1 : plan_collectives_add(plan->collectives, part);
}

static PyObject *add(Plan *plan, const Kind *kind, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    if (signature_parse(kind->signature, args, nargs, kwnames, values) < 0 || plan_check_growing(plan) < 0)
        return NULL;
    PlanCollective *part = PyMem_RawCalloc(1, sizeof *part);
    if (!part)
        return PyErr_NoMemory();
    part->verb = kind->verb;
    part->call = (Call){.operation = kind->signature->function,
                        .rank = plan->transfers->comm->rank,
                        .peer = NO_PEER,
                        .tag = NO_TAG,
                        .comm = plan->transfers->comm};
    plan->busy = true; /* opening memory may run Python code */
    int failed = fill(plan, part, kind, values);
    if (failed) {
        PyObject *error = take_exception();
        plan_collective_free(part);
        restore_exception(error);
    } else
        plan->ready = false;
    plan->busy = false;
    return failed ? NULL : Py_NewRef(Py_None);
}

/* ---- the tables ---- */

#define COLLECTIVES(X)                                                                                       \
    X(barrier)                                                                                               \
    X(bcast)                                                                                                 \
    X(gather) X(scatter) X(allgather) X(alltoall) X(reduce) X(allreduce) X(reduce_scatter) X(scan) X(exscan)

#define FUNCTION(name)                                                                                       \
    static PyObject *plan_##name(Plan *self, FASTCALL_ARGS) {                                                \
        return add(self, &name##_kind, args, nargs, kwnames);                                                \
    }
COLLECTIVES(FUNCTION)

#define METHOD(name, parameters, summary, arguments, section)                                                \
    KEYWORD_METHOD(                                                                                          \
        #name, plan_##name,                                                                                  \
        #name "($self" parameters ")\n--\n\n"                                                                \
              "Add " summary ". All ranks add the same collectives in the same order.\n\n" arguments         \
              "Raises:\n"                                                                                    \
              "    MismatchError: the memory doesn't fit, or overlaps with that of another part.\n"          \
              "    RankError: there is no such root.\n" PART_STATE_ERROR "\nMPI 5.0, section " section ".")
#define ARRAY "    array: what this rank gives at each start; an array, strided if you like.\n"
#define OP "    op: SUM, ..., or a result of polympi.op.\n"

PyMethodDef plan_collective_methods[] = {
    METHOD(barrier, ", /", "a barrier: finish waits until all ranks have started the plan", "", "6.13.1"),
    METHOD(bcast, ", array, root=0", "a bcast into the same array of all ranks",
           "Args:\n    array: at root, what is sent at each start; elsewhere, what it is received into.\n"
           "    root: the rank that sends.\n\n",
           "6.13.2"),
    METHOD(gather, ", array, root=0, *, into=None", "a gather of the arrays of all ranks",
           "Args:\n" ARRAY "    root: the rank that gets them.\n"
           "    into: the array that takes all, at root; ignored elsewhere.\n\n",
           "6.13.3"),
    METHOD(scatter, ", array=None, root=0, *, counts=None, into", "a scatter of the root's array",
           "Args:\n    array: at root, what is cut along its first axis; ignored elsewhere.\n"
           "    root: the rank that has it.\n    counts: rows for each rank, at root; None: evenly.\n"
           "    into: the array that takes this rank's piece.\n\n",
           "6.13.4"),
    METHOD(allgather, ", array, *, into", "an allgather of the arrays of all ranks",
           "Args:\n" ARRAY "    into: the array that takes all.\n\n", "6.13.5"),
    METHOD(alltoall, ", array, *, counts=None, into", "an alltoall of the pieces of all arrays",
           "Args:\n    array: what is cut along its first axis, a piece for each rank.\n"
           "    counts: rows for each rank; None: evenly.\n    into: the array that takes the pieces.\n\n",
           "6.13.6"),
    METHOD(reduce, ", array, op=None, root=0, *, into=None", "a reduce of the arrays of all ranks",
           "Args:\n" ARRAY OP "    root: the rank that gets the result.\n"
           "    into: the array that takes it, at root; it may be array itself. Ignored elsewhere.\n\n",
           "6.13.7"),
    METHOD(allreduce, ", array, op=None, *, into", "an allreduce of the arrays of all ranks",
           "Args:\n" ARRAY OP "    into: the array that takes the result; it may be array itself.\n\n",
           "6.13.8"),
    METHOD(reduce_scatter, ", array, op=None, *, into",
           "a reduce_scatter: each rank gets its piece of the result, cut along the first axis",
           "Args:\n" ARRAY OP "    into: the array that takes the piece.\n\n", "6.13.10"),
    METHOD(scan, ", array, op=None, *, into", "a scan over the ranks up to this one",
           "Args:\n" ARRAY OP "    into: the array that takes the result; it may be array itself.\n\n",
           "6.13.11"),
    METHOD(exscan, ", array, op=None, *, into=None", "an exscan over the ranks below this one",
           "Args:\n" ARRAY OP "    into: the array that takes the result; ignored on rank 0.\n\n", "6.13.12"),
    {NULL, NULL, 0, NULL},
};

#define SIGNATURE(name) &plan_##name##_signature,
int plan_collectives_prepare(void) {
    Signature *const all[] = {COLLECTIVES(SIGNATURE) NULL};
    return signatures_prepare(all);
}
