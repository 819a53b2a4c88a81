/* Reductions: reduce, allreduce, scan, exscan, reduce_scatter (MPI 5.0, sections 6.9 to 6.11).
 *
 * Small contributions are combined in rounds of recursive doubling, after which all ranks know the result, or
 * how they continue together: large arrays with the library's collective, everything else in Python
 * (polympi.reductions).
 */
#include "base/arguments.h"
#include "base/errors.h"
#include "collectives/letters.h"
#include "reductions/contribution.h"
#include "reductions/large_reduction.h"
#include "reductions/objects.h"
#include "reductions/reductions.h"

/* Of what blocking and nonblocking calls have in common: each call of a function costs a small allreduce 3 %
 * of its instructions. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

typedef struct {
    Doubling doubling; /* first, so that its address is that of the reduction */
    Collective *collective;
    Op *op;
    int root;
    PyObject *value;
    PyObject
        *from_device; /* strong: the name and the host copy of a value on a device, which is `value` then */
    bool wanted;      /* this rank gets a result */
    bool prefixes;    /* scan, exscan, which use: */
    Contribution *own, *prefix;
    bool has_prefix;
    const Target *into;
    bool goes_on; /* a ReductionCall has taken over the collective and the target */
} Reduction;

static inline Contribution *total_of(const Reduction *reduction) {
    return (Contribution *)reduction->doubling.mine;
}

/* ---- rounds ---- */

/* The prefix combines the contributions of the ranks below this one. */
static void extend_prefix(Reduction *reduction, const Contribution *below) {
    if (reduction->has_prefix && alike(below, reduction->prefix))
        combine_data(below, reduction->prefix);
    else
        memcpy(reduction->prefix, below, below->head.nbytes);
    reduction->has_prefix = true;
}

static void combine(Doubling *doubling, bool below) {
    Reduction *reduction = (Reduction *)doubling;
    const Contribution *theirs = (const Contribution *)doubling->theirs;
    if (below) {
        if (reduction->prefixes)
            extend_prefix(reduction, theirs);
        combine_contributions(theirs, (Contribution *)doubling->mine);
    } else {
        combine_contributions((Contribution *)doubling->mine, (Contribution *)doubling->theirs);
        swap_messages(doubling);
    }
}

/* The result of a scan, with this rank's own contribution; written to `data`. */
static void inclusive(const Reduction *reduction, Contribution *data) {
    memcpy(data, reduction->own, reduction->own->head.nbytes);
    if (reduction->has_prefix && total_of(reduction)->head.kind <= ARRAY)
        combine_data(reduction->prefix, data);
}

/* For the rank above, which sat out: the head of the total, with the data of its prefix. */
static char *prefix_of_neighbour(Doubling *doubling) {
    Reduction *reduction = (Reduction *)doubling;
    Contribution *message = (Contribution *)doubling->theirs;
    inclusive(reduction, message);
    memcpy(message, doubling->mine, CONTRIBUTION_HEAD);
    return (char *)message;
}

/* ---- results ---- */

static PyObject *none(void) { Py_RETURN_NONE; }

/* The rows of an array that reduce_scatter gives this rank; of other calls, all. */
static void own_rows(const Reduction *reduction, Py_ssize_t *first, Py_ssize_t *rows) {
    *first = 0;
    *rows = -1;
    if (reduction->collective->verb == REDUCE_SCATTER) {
        const Communicator *comm = reduction->collective->comm;
        Layout layout;
        array_layout(reduction->value, &layout);
        split_rows(layout.shape[0], comm->size, comm->rank, first, rows);
    }
}

/* Put combined elements of an array into the target, from the row `first` on, `rows` of them (< 0: all). */
static PyObject *fill_target(const Reduction *reduction, const Contribution *result, Py_ssize_t first,
                             Py_ssize_t rows) {
    Layout layout;
    array_layout(reduction->value, &layout);
    Py_ssize_t row_bytes = layout.ndim && layout.shape[0] ? layout.nbytes / layout.shape[0] : layout.nbytes;
    Elements elements = {.type = result->head.type, .itemsize = layout.itemsize, .ndim = layout.ndim};
    for (int axis = 0; axis < layout.ndim; axis++)
        elements.shape[axis] = layout.shape[axis];
    elements.nbytes = layout.nbytes;
    elements.data = result->data;
    if (rows >= 0) {
        elements.shape[0] = rows;
        elements.nbytes = rows * row_bytes;
        elements.data += first * row_bytes;
    }
    elements.count = elements.nbytes / layout.itemsize;
    if (target_accepts(reduction->into, &elements, &reduction->collective->call) < 0)
        return NULL;
    target_fill(reduction->into, &elements, elements.data);
    return target_result(reduction->into, elements.count);
}

/* The elements are combined. */
static ALWAYS_INLINE PyObject *finish_here(Reduction *reduction) {
    Contribution *result = total_of(reduction);
    Py_ssize_t first, rows;
    if (!reduction->wanted || reduction->collective->error)
        return none();
    if (reduction->prefixes) {
        if (reduction->doubling.sat_out) { /* the received message is the prefix */
            memcpy(reduction->prefix, result, result->head.nbytes);
            reduction->has_prefix = true;
        }
        if (reduction->collective->verb == SCAN)
            inclusive(reduction, result);
        else
            result = reduction->prefix;
    }
    own_rows(reduction, &first, &rows);
    if (reduction->into && result->head.kind == ARRAY)
        return fill_target(reduction, result, first, rows);
    PyObject *value = contribution_result(result, reduction->value, first, rows);
    if (!value || !reduction->into)
        return value;
    PyObject *filled = deliver_own(value, reduction->into, &reduction->collective->call);
    Py_DECREF(value);
    return filled;
}

/* What Python has combined (stolen; NULL with an exception). */
static PyObject *finish_combined(const Reduction *reduction, PyObject *result) {
    const Collective *collective = reduction->collective;
    if (!result || !reduction->wanted || collective->error ||
        (result != reduction->value && !reduction->into))
        return result;
    PyObject *delivered = deliver_own(result, reduction->into, &collective->call);
    Py_DECREF(result);
    return delivered;
}

/* Python combines objects, in separate messages. */
static PyObject *finish_in_python(const Reduction *reduction) {
    ObjectReduction objects;
    PyObject *result = NULL;
    if (objects_open(&objects, reduction->collective, reduction->value, reduction->op, reduction->root) == 0)
        result = objects_run(&objects);
    objects_close(&objects);
    return finish_combined(reduction, result);
}

/* Whether the ranks' calls agree, and all can do their part. 0, or -1 with an exception. */
static int check_agreement(const Reduction *reduction) {
    const Collective *collective = reduction->collective;
    const Contribution *total = total_of(reduction);
    if (likely(total->head.failed == INT32_MAX && total->head.op < DIFFERENT_OPS &&
               total->head.root != DIFFERENT_ROOTS))
        return 0;
    if (total->head.op == DIFFERENT_OPS)
        return raise_error("MismatchError", &collective->call, "the ranks name different operations");
    if (total->head.root == DIFFERENT_ROOTS)
        return raise_error("MismatchError", &collective->call, "the ranks name different roots");
    char failed[RANK_TEXT];
    if (collective->error)
        return -1;
    raise_error("Error", &collective->call, "%s could not do its part; its own exception says why",
                rank_text(failed, &collective->call, (int)total->head.failed));
    return raised_by_another();
}

/* ---- the call ---- */

/* If the result is an array like the contribution, its elements must fit the target: checked early. */
static int check_target(Reduction *reduction) {
    Layout layout;
    Py_ssize_t first, rows;
    array_layout(reduction->value, &layout);
    own_rows(reduction, &first, &rows);
    Elements elements = {.type = total_of(reduction)->head.type,
                         .itemsize = layout.itemsize,
                         .count = layout.count,
                         .ndim = layout.ndim};
    memcpy(elements.shape, layout.shape, (size_t)layout.ndim * sizeof *layout.shape);
    if (rows >= 0) {
        elements.count = layout.shape[0] ? layout.count / layout.shape[0] * rows : 0;
        elements.shape[0] = rows;
    }
    elements.nbytes = elements.count * elements.itemsize;
    return target_accepts(reduction->into, &elements, &reduction->collective->call);
}

/* Find what reduce_scatter cannot cut before the others wait for this rank. */
static int check_pieces(const Reduction *reduction) {
    enum contribution_kind kind = (enum contribution_kind)total_of(reduction)->head.kind;
    if ((kind == ARRAY || kind == LARGE_ARRAY) && PyObject_Size(reduction->value) >= 0)
        return 0;
    PyErr_Clear();
    PyObject *pieces = cut_pieces(reduction->collective, reduction->value, NULL);
    int failed = pieces ? 0 : -1;
    for (Py_ssize_t i = 0; !failed && i < PyTuple_GET_SIZE(pieces); i++)
        failed = check_bits(reduction->collective, PyTuple_GET_ITEM(pieces, i), reduction->op->code);
    Py_XDECREF(pieces);
    return failed;
}

/* Combine a value on a device as its host copy. Whether this rank can contribute it; `able`: what it is. */
static bool contribute_from_device(Reduction *reduction, Contribution *own, bool able) {
    PyObject *refused = able ? NULL : take_exception();
    PyObject *copy = on_device(reduction->value);
    if (!copy && !PyErr_Occurred()) {
        restore_exception(refused);
        return able;
    }
    Py_XDECREF(refused);
    if (!copy)
        return false;
    reduction->from_device = copy;
    reduction->value = PyTuple_GET_ITEM(copy, 1);
    return contribute(reduction->collective, own, reduction->value, reduction->op->code) == 0;
}

/* The result of a call (stolen; NULL with an exception): for a value on a device, on one, too. */
static PyObject *as_given(const Reduction *reduction, PyObject *result) {
    if (likely(!reduction->from_device) || !result || result == Py_None || reduction->into)
        return result;
    PyObject *made = device_array(PyTuple_GET_ITEM(reduction->from_device, 0), result);
    Py_DECREF(result);
    return made;
}

/* This rank's contribution; if that fails, the exception is deferred, and reported to the others. */
static ALWAYS_INLINE void write_contribution(Reduction *reduction, Contribution *own) {
    Collective *collective = reduction->collective;
    bool able = contribute(collective, own, reduction->value, reduction->op->code) == 0;
    if (own->head.kind == OBJECT)
        able = contribute_from_device(reduction, own, able);
    if (able && collective->verb == REDUCE_SCATTER)
        able = check_pieces(reduction) == 0;
    if (!able) {
        collective_defer(collective);
        own->head.failed = collective->comm->rank;
    }
    bool is_array = own->head.kind == ARRAY || own->head.kind == LARGE_ARRAY;
    if (able && is_array && reduction->into && check_target(reduction) < 0) {
        collective_defer(collective);
        reduction->into = NULL;
    }
}

static inline void begin_rounds(Reduction *reduction) {
    if (reduction->prefixes)
        memcpy(reduction->own, reduction->doubling.mine, total_of(reduction)->head.nbytes);
}

static int run_rounds(Reduction *reduction) {
    begin_rounds(reduction);
    return unlikely(doubling_run(&reduction->doubling, reduction->collective) < 0)
               ? -1
               : check_agreement(reduction);
}

/* ---- phase by phase ---- */

/* A call on the heap: of a rank that contributes a large array, or a nonblocking one. In the rounds, its
 * first phase, a rank with a large array promises to reduce with the others, so the call goes on if the rank
 * leaves it. */
typedef struct {
    AsyncCollective async; /* first, so that its address is that of the call */
    bool has_large;        /* `large` is open: the contribution is a large array */
    enum { IN_ROUNDS, LARGE, OBJECTS } stage;
    Reduction reduction;
    LargeReduction large;
    ObjectReduction objects;
    Target target; /* open where it has an object */
} ReductionCall;

/* The ranks agree on reducing large arrays. */
static int begin_large(ReductionCall *call) {
    const Contribution *total = total_of(&call->reduction);
    call->stage = LARGE;
    int more = large_begin(&call->large, total->consent & MAY_BLOCK, total->consent & IN_PLACE,
                           total->consent & IN_SEGMENTS);
    call->async.phase = call->large.phase;
    return more;
}

/* Python combines, at once or in a phase of a nonblocking call. */
static int begin_objects(ReductionCall *call) {
    AsyncCollective *async = &call->async;
    const Reduction *reduction = &call->reduction;
    if (async->left) /* then nobody waits for this rank */
        return raise_left(&async->collective, async->collective.comm->rank);
    if (!async->collective.in_flight)
        return 0;
    if (state.without_python)
        return -1;
    call->stage = OBJECTS;
    async->phase = (PhaseOp){&objects_phase, &call->objects};
    return objects_open(&call->objects, &async->collective, reduction->value, reduction->op,
                        reduction->root) < 0
               ? -1
               : 1;
}

static int next_phase(AsyncCollective *async) {
    ReductionCall *call = (ReductionCall *)async;
    const Contribution *total = total_of(&call->reduction);
    if (call->stage == LARGE) {
        int more = large_next(&call->large);
        async->phase = call->large.phase;
        return more;
    }
    if (call->stage == OBJECTS)
        return 0;
    if (check_agreement(&call->reduction) < 0)
        return -1;
    if (is_result(total))
        return 0;
    return total->head.kind == LARGE_ARRAY ? begin_large(call) : begin_objects(call);
}

static PyObject *finish_call(AsyncCollective *async) {
    ReductionCall *call = (ReductionCall *)async;
    Reduction *reduction = &call->reduction;
    PyObject *result = call->stage == LARGE     ? large_result(&call->large)
                       : call->stage == OBJECTS ? finish_combined(reduction, objects_result(&call->objects))
                       : is_result(total_of(reduction)) ? finish_here(reduction)
                                                        : finish_in_python(reduction);
    return as_given(reduction, result);
}

static void leave_call(AsyncCollective *async) {
    ReductionCall *call = (ReductionCall *)async;
    if (call->stage != IN_ROUNDS || !large_detach(&call->large))
        return;
    if (call->target.object)
        target_close(&call->target);
    if (call->large.source != call->large.layout.data) /* a copy of it */
        Py_CLEAR(call->reduction.value);
}

static void close_call(AsyncCollective *async) {
    ReductionCall *call = (ReductionCall *)async;
    if (call->has_large)
        large_close(&call->large);
    if (call->stage == OBJECTS)
        objects_close(&call->objects);
    if (async->collective.lost)
        return; /* MPI may use the memory for as long as the process lives */
    if (call->target.object)
        target_close(&call->target);
    Py_XDECREF(call->reduction.value);
    Py_XDECREF(call->reduction.from_device);
    Py_DECREF(call->reduction.op);
}

/* The call has its own reduction and its collective: allocate memory for a large array before reporting to
 * the others what this rank can do, and open the rounds. */
static void open_call(ReductionCall *call) {
    Reduction *reduction = &call->reduction;
    Collective *collective = reduction->collective;
    Contribution *own = total_of(reduction);
    call->has_large = own->head.kind == LARGE_ARRAY;
    if (call->has_large) {
        bool blocks = !collective->in_flight && can_block(collective);
        if (large_open(&call->large, collective, reduction->value, reduction->op->code, reduction->root,
                       reduction->wanted, reduction->into) < 0) {
            collective_defer(collective);
            own->head.failed = collective->comm->rank;
        }
        own->consent = (blocks ? MAY_BLOCK : 0) | (call->large.in_place ? IN_PLACE : 0) |
                       (call->large.segments ? IN_SEGMENTS : 0);
    }
    begin_rounds(reduction);
    doubling_open(&reduction->doubling, collective);
    call->async.phase =
        (PhaseOp){collective->in_flight ? &rounds_phase : &promise_phase, &reduction->doubling.rounds};
    call->async.next = next_phase;
    call->async.finish = finish_call;
    call->async.leave = leave_call;
}

/* A large array: the call moves to the heap. */
static PyObject *run_large(Reduction *reduction) {
    ReductionCall *call = (ReductionCall *)async_new(sizeof *call, offsetof(ReductionCall, reduction));
    if (!call)
        return NULL;
    const Target *into = reduction->into;
    call->reduction = *reduction;
    call->reduction.collective = &call->async.collective;
    Py_INCREF(call->reduction.value);
    reduction->from_device = NULL; /* moved */
    Py_INCREF(call->reduction.op);
    call->target.object = NULL;
    if (into) {
        target_move(&call->target, into);
        call->reduction.into = &call->target;
    }
    reduction->goes_on = true;
    call->async.collective = *reduction->collective;
    call->async.close = close_call;
    open_call(call);
    return async_run(&call->async);
}

/* ---- any ---- */

/* What the verb, the root and the operation say. */
static ALWAYS_INLINE void set_call(Reduction *reduction, Collective *collective, const Communicator *comm,
                                   enum verb verb, int root, PyObject *value, Op *op) {
    reduction->collective = collective;
    reduction->op = op;
    reduction->root = root;
    reduction->value = value;
    reduction->wanted = verb == REDUCE ? comm->rank == root : verb != EXSCAN || comm->rank > 0;
    reduction->prefixes = verb == SCAN || verb == EXSCAN;
    reduction->has_prefix = false;
    reduction->goes_on = false;
    reduction->into = NULL;
    reduction->from_device = NULL;
}

/* Write this rank's contribution into memory for the rounds. 0, or -1 with MemoryError. */
static ALWAYS_INLINE int open_contribution(Reduction *reduction) {
    char *memory = collective_memory(reduction->collective, 4 * CONTRIBUTION_BYTES);
    if (unlikely(!memory))
        return -1;
    reduction->doubling.mine = memory; /* one by one: clearing the rounds first takes 5 ns */
    reduction->doubling.theirs = memory + CONTRIBUTION_BYTES;
    reduction->doubling.most = CONTRIBUTION_BYTES;
    reduction->doubling.in_order = true;
    reduction->doubling.combine = combine;
    reduction->doubling.for_neighbour = reduction->prefixes ? prefix_of_neighbour : NULL;
    reduction->own = (Contribution *)(memory + 2 * CONTRIBUTION_BYTES);
    reduction->prefix = (Contribution *)(memory + 3 * CONTRIBUTION_BYTES);
    write_contribution(reduction, (Contribution *)memory);
    return 0;
}

static PyObject *run(Reduction *reduction) {
    if (unlikely(open_contribution(reduction) < 0))
        return NULL;
    if (total_of(reduction)->head.kind == LARGE_ARRAY)
        return run_large(reduction);
    if (unlikely(run_rounds(reduction) < 0))
        return NULL;
    return as_given(reduction, likely(is_result(total_of(reduction))) ? finish_here(reduction)
                                                                      : finish_in_python(reduction));
}

static PyObject *reduce_with(Communicator *self, enum verb verb, PyObject *value, PyObject *op, int root,
                             PyObject *into, PyObject *timeout) {
    Reduction reduction;
    Collective collective;
    Target target;
    Op *parsed = parse_op(op, verb_names[verb]);
    if (unlikely(!parsed || collective_open(&collective, self, verb, root, timeout) < 0))
        return NULL;
    set_call(&reduction, &collective, self, verb, root, value, parsed);
    if (unlikely(into != NULL) && reduction.wanted)
        reduction.into = collective_target(&collective, &target, into);
    bool opened = reduction.into;
    PyObject *result = run(&reduction);
    if (unlikely(reduction.goes_on))
        opened &= !reduction.into; /* which ReductionCall has then */
    if (opened)
        target_close(&target);
    if (likely(!reduction.goes_on) && unlikely(collective_close(&collective) < 0))
        Py_CLEAR(result);
    Py_XDECREF(reduction.from_device);
    return result;
}

AsyncCollective *reduction_start(Communicator *comm, enum verb verb, PyObject *value, Op *op, int root,
                                 PyObject *into) {
    ReductionCall *call = (ReductionCall *)async_new(sizeof *call, offsetof(ReductionCall, reduction));
    if (!call || async_begin(&call->async, comm, verb, root) < 0)
        return NULL;
    Reduction *reduction = &call->reduction;
    Collective *collective = &call->async.collective;
    set_call(reduction, collective, comm, verb, root, Py_NewRef(value), (Op *)Py_NewRef((PyObject *)op));
    call->async.close = close_call;
    if (reduction->wanted)
        reduction->into = collective_target(collective, &call->target, into);
    if (!reduction->into)
        call->target.object = NULL;
    bool failed = open_contribution(reduction) < 0;
    if (reduction->value != value) { /* a copy of it */
        Py_INCREF(reduction->value);
        Py_DECREF(value);
    }
    if (!failed)
        open_call(call);
    async_start(&call->async, failed);
    return &call->async;
}

/* ---- methods ---- */

enum { X, OP, REDUCE_ROOT, REDUCE_INTO, REDUCE_TIMEOUT };
Signature reduce_signature = {"reduce", 3, 1, 5, {"x", "op", "root", "into", "timeout"}, {NULL}};

PyObject *communicator_reduce(Communicator *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    int root;
    if (signature_parse(&reduce_signature, args, nargs, kwnames, values) < 0 ||
        parse_root(self, values[REDUCE_ROOT], "reduce", &root) < 0)
        return NULL;
    return reduce_with(self, REDUCE, values[X], values[OP], root, values[REDUCE_INTO],
                       values[REDUCE_TIMEOUT]);
}

enum { INTO = 2, TIMEOUT };

static inline PyObject *reduce_everywhere(Communicator *self, enum verb verb, const Signature *signature,
                                          FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    if (unlikely(signature_parse(signature, args, nargs, kwnames, values) < 0))
        return NULL;
    return reduce_with(self, verb, values[X], values[OP], 0, values[INTO], values[TIMEOUT]);
}

#define REDUCTION(name, verb)                                                                                \
    Signature name##_signature = {#name, 2, 1, 4, {"x", "op", "into", "timeout"}, {NULL}};                   \
    PyObject *communicator_##name(Communicator *self, FASTCALL_ARGS) {                                       \
        return reduce_everywhere(self, verb, &name##_signature, args, nargs, kwnames);                       \
    }
REDUCTION(allreduce, ALLREDUCE)
REDUCTION(scan, SCAN)
REDUCTION(exscan, EXSCAN)
REDUCTION(reduce_scatter, REDUCE_SCATTER)
