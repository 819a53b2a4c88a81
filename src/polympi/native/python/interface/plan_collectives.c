#include "python/interface/plan_collectives.h"

#include "base/errors.h"
#include "collectives/call_log.h"

/* ---- making them ---- */

PlanCollectives *plan_collectives_new(void) {
    PlanCollectives *collectives = PyMem_RawCalloc(1, sizeof *collectives);
    return collectives ? collectives : (void *)PyErr_NoMemory();
}

int plan_collectives_add(PlanCollectives *collectives, PlanCollective *part) {
    if (collectives->count == collectives->capacity) {
        Py_ssize_t capacity = 2 * collectives->capacity + 4;
        PlanCollective **more = PyMem_RawRealloc(collectives->parts, (size_t)capacity * sizeof *more);
        if (!more)
            return no_memory();
        collectives->parts = more;
        collectives->capacity = capacity;
    }
    collectives->parts[collectives->count++] = part;
    return 0;
}

int plan_collectives_check(const PlanCollectives *collectives, const Target *memory, const Call *call) {
    for (Py_ssize_t i = 0; i < collectives->count; i++) {
        const PlanCollective *part = collectives->parts[i];
        Call gives = part->call;
        gives.sends = true;
        if (part->given.object && check_apart(memory, call, &part->given, &gives) < 0)
            return -1;
        if (part->into.object && check_apart(memory, call, &part->into, &part->call) < 0)
            return -1;
    }
    return 0;
}

/* ---- giving back ---- */

void plan_collective_free(PlanCollective *part) {
    Target given, into;
    given.object = into.object = NULL;
    if (part->given.object)
        target_move(&given, &part->given);
    if (part->into.object)
        target_move(&into, &part->into);
    PyObject *counts = part->counts;
    Op *op = part->op;
    if (part->run && state.phase == RUNNING) /* otherwise MPI may still use its memory */
        async_leave(part->run);
    PyMem_RawFree(part);
    if (given.object)
        target_close(&given);
    if (into.object)
        target_close(&into);
    Py_XDECREF(counts);
    Py_XDECREF(op);
}

/* Free all but the first ones. May run Python code. */
static void free_from(PlanCollectives *collectives, Py_ssize_t kept) {
    while (collectives->count > kept)
        plan_collective_free(collectives->parts[--collectives->count]);
}

void plan_collectives_drop(PlanCollectives *collectives) {
    free_from(collectives, 0);
    if (collectives->agreement && state.phase == RUNNING)
        async_leave(collectives->agreement);
    PyObject *error = collectives->error;
    PyMem_RawFree(collectives->parts);
    PyMem_RawFree(collectives);
    Py_XDECREF(error);
}

static int traverse_target(const Target *target, visitproc visit, void *arg) {
    if (target->object)
        Py_VISIT(target->object);
    if (target->object)
        Py_VISIT(target->array);
    return 0;
}

int plan_collectives_traverse(const PlanCollectives *collectives, visitproc visit, void *arg) {
    for (Py_ssize_t i = 0; i < collectives->count; i++) {
        const PlanCollective *part = collectives->parts[i];
        int stopped = traverse_target(&part->given, visit, arg);
        if (!stopped)
            stopped = traverse_target(&part->into, visit, arg);
        if (stopped)
            return stopped;
        Py_VISIT(part->op);
        Py_VISIT(part->counts);
    }
    Py_VISIT(collectives->error);
    return 0;
}

/* ---- agreement ---- */

/* "float64", or "100 float64" where all ranks must have as many. */
static PyObject *elements_text(const PlanCollective *part) {
    const Target *memory = part->given.object ? &part->given : &part->into;
    PyObject *type = target_type(memory), *text = NULL;
    if (type && (part->verb == BCAST || part->op))
        text = PyUnicode_FromFormat("%zd %U", memory->layout.count, type);
    else
        text = Py_XNewRef(type);
    Py_XDECREF(type);
    return text;
}

/* What all ranks must have alike, as "reduce(SUM, root=1) of 100 float64". */
static PyObject *description(const PlanCollective *part) {
    const char *name = verb_names[part->verb];
    if (part->verb == BARRIER)
        return PyUnicode_FromFormat("%s()", name);
    PyObject *elements = elements_text(part), *text = NULL;
    if (elements && part->verb == REDUCE)
        text = PyUnicode_FromFormat("%s(%U, root=%d) of %U", name, part->op->name, part->root, elements);
    else if (elements && part->op)
        text = PyUnicode_FromFormat("%s(%U) of %U", name, part->op->name, elements);
    else if (elements && (part->verb == ALLGATHER || part->verb == ALLTOALL))
        text = PyUnicode_FromFormat("%s() of %U", name, elements);
    else if (elements)
        text = PyUnicode_FromFormat("%s(root=%d) of %U", name, part->root, elements);
    Py_XDECREF(elements);
    return text;
}

static int begin_agreement(PlanCollectives *collectives, Communicator *comm) {
    PyObject *mine = PyList_New(collectives->count - collectives->agreed);
    for (Py_ssize_t i = collectives->agreed; mine && i < collectives->count; i++) {
        PyObject *text = description(collectives->parts[i]);
        if (text)
            PyList_SET_ITEM(mine, i - collectives->agreed, text);
        else
            Py_CLEAR(mine);
    }
    if (mine)
        collectives->agreement = agreement_start(comm, mine);
    Py_XDECREF(mine);
    return collectives->agreement ? 0 : -1;
}

/* Wait for a call that was begun: its result; NULL with its exception, or with one of the wait, after which
 * it goes on. Otherwise the call is freed. */
static PyObject *result_of(AsyncCollective **run, TimeLimit time) {
    PyObject *value = async_wait(*run, time_left(time));
    if (value || async_is_taken(*run)) {
        async_leave(*run);
        *run = NULL;
    } else if (time.limit > 0 && now() >= time.end && is_timeout())
        name_late(&(*run)->collective, time.limit);
    return value;
}

static int compare(PyObject *comm, PyObject *all) {
    PyObject *module = PyImport_ImportModule("polympi.plan_agreement");
    PyObject *none = module ? PyObject_CallMethod(module, "check", "OO", comm, all) : NULL;
    Py_XDECREF(module);
    Py_XDECREF(none);
    return none ? 0 : -1;
}

int plan_collectives_agree(PlanCollectives *collectives, Communicator *comm, TimeLimit time) {
    if (collectives->agreed == collectives->count)
        return 0;
    if (!collectives->agreement && begin_agreement(collectives, comm) < 0)
        return -1;
    PyObject *all = result_of(&collectives->agreement, time);
    if (!all)
        return -1;
    int failed = compare((PyObject *)comm, all);
    Py_DECREF(all);
    if (failed) {
        PyObject *error = take_exception();
        free_from(collectives, collectives->agreed);
        restore_exception(error);
        return -1;
    }
    collectives->agreed = collectives->count;
    return 0;
}

/* ---- each time ---- */

static AsyncCollective *begin(const PlanCollective *part, Communicator *comm) {
    PyObject *given = part->given.object, *into = part->into.object, *or_none = given ? given : Py_None;
    switch (part->verb) {
    case BARRIER:
        return barrier_start(comm);
    case BCAST:
        return bcast_start(comm, or_none, part->root, into);
    case GATHER:
        return gather_start(comm, given, part->root, into);
    case SCATTER:
        return scatter_start(comm, or_none, part->root, part->counts, into);
    case ALLGATHER:
        return allgather_start(comm, given, into);
    case ALLTOALL:
        return alltoall_start(comm, given, part->counts, into);
    default:
        return reduction_start(comm, part->verb, given, part->op, part->root, into);
    }
}

static void keep_first_error(PlanCollectives *collectives) {
    PyObject *error = take_exception();
    if (collectives->error)
        Py_XDECREF(error);
    else
        collectives->error = error;
}

void plan_collectives_start(PlanCollectives *collectives, Communicator *comm) {
    for (Py_ssize_t i = 0; i < collectives->agreed; i++) {
        PlanCollective *part = collectives->parts[i];
        part->run = begin(part, comm);
        if (!part->run)
            keep_first_error(collectives);
    }
}

int plan_collectives_finish(PlanCollectives *collectives, TimeLimit time) {
    for (Py_ssize_t i = 0; i < collectives->agreed; i++) {
        PlanCollective *part = collectives->parts[i];
        PyObject *value = part->run ? result_of(&part->run, time) : NULL;
        if (part->run)
            return -1;
        if (PyErr_Occurred())
            keep_first_error(collectives);
        Py_XDECREF(value);
    }
    return 0;
}

int plan_collectives_end(PlanCollectives *collectives) {
    PyObject *error = collectives->error;
    collectives->error = NULL;
    restore_exception(error);
    return error ? -1 : 0;
}

bool plan_collectives_test(const PlanCollectives *collectives) {
    for (Py_ssize_t i = 0; i < collectives->agreed; i++) {
        const PlanCollective *part = collectives->parts[i];
        if (part->run && !async_test(part->run))
            return false;
    }
    return true;
}
