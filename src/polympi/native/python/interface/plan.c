/* The class of plans. */
#include "python/interface/communicator.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/arguments.h"
#include "base/errors.h"
#include "python/interface/plan.h"

/* ---- checks ---- */

static int refuse(const char *sentence) { return raise_error("StateError", NULL, "%s", sentence); }

/* Whether this thread may use the plan. */
static int check_free(const Plan *plan) {
    if (unlikely(!plan->transfers))
        return refuse("this plan was freed: make another one with plan() of a communicator");
    if (unlikely(!is_usable(plan->transfers->comm)))
        return -1;
    if (unlikely(plan->busy))
        return refuse("another thread uses this plan: only one may at a time");
    return 0;
}

static int check_idle(const Plan *plan, const char *otherwise) {
    return check_free(plan) < 0 ? -1 : unlikely(plan->transfers->stage != RESTING) ? refuse(otherwise) : 0;
}

int plan_check_growing(const Plan *plan) {
    return check_idle(plan, "this plan was started: call finish() before you add to it");
}

static int check_started(const Plan *plan) {
    return check_free(plan) < 0 ? -1
           : unlikely(plan->transfers->stage == RESTING)
               ? refuse("this plan was not started: call start() first")
               : 0;
}

/* ---- adding parts ---- */

static int check_partner(const Communicator *comm, const Call *call) {
    if (call->peer == ANY_SOURCE && !call->sends)
        return raise_error("RankError", call, "a plan has fixed partners: name the rank to receive from");
    if (call->tag == ANY_TAG && !call->sends)
        return raise_error("TagError", call, "a plan has fixed tags: give the one that is sent with");
    if (check_rank(call->peer, comm->size, call->sends ? DESTINATION : SOURCE, call) < 0)
        return -1;
    return check_tag(false, call);
}

/* Whether it was added to the transfers. */
static bool join(Plan *plan, Channel *channel) {
    if (channel->call.peer == PROC_NULL ||
        (plan->collectives &&
         plan_collectives_check(plan->collectives, &channel->memory, &channel->call) < 0) ||
        plan_transfers_add(plan->transfers, channel) < 0)
        return false;
    plan->ready = false;
    return true;
}

static PyObject *add(Plan *plan, PyObject *object, const Call *call) {
    plan->busy = true; /* opening memory may run Python code */
    Channel *channel = channel_new(plan->transfers->comm, object, call);
    bool added = channel && join(plan, channel);
    plan->busy = false;
    if (channel && !added) {
        PyObject *exception = take_exception();
        channel_free(channel);
        restore_exception(exception);
        if (exception)
            return NULL;
    }
    return channel ? Py_NewRef(Py_None) : NULL;
}

static Signature send_signature = {"plan.send", 3, 2, 3, {"array", "dest", "tag"}, {NULL}};
static Signature recv_signature = {"plan.recv", 3, 2, 3, {"array", "source", "tag"}, {NULL}};

static PyObject *add_part(Plan *self, FASTCALL_ARGS, bool sends) {
    PyObject *values[MOST_ARGUMENTS];
    const Signature *signature = sends ? &send_signature : &recv_signature;
    Call call = {.operation = signature->function, .sends = sends};
    if (signature_parse(signature, args, nargs, kwnames, values) < 0 ||
        parse_int(values[1], &call.peer, call.operation, signature->texts[1]) < 0 ||
        (values[2] && parse_int(values[2], &call.tag, call.operation, "tag") < 0) ||
        plan_check_growing(self) < 0)
        return NULL;
    call.rank = self->transfers->comm->rank;
    return check_partner(self->transfers->comm, &call) < 0 ? NULL : add(self, values[0], &call);
}

static PyObject *plan_send(Plan *self, FASTCALL_ARGS) { return add_part(self, args, nargs, kwnames, true); }

static PyObject *plan_recv(Plan *self, FASTCALL_ARGS) { return add_part(self, args, nargs, kwnames, false); }

/* ---- methods ---- */

static Signature call_signature = {"plan", 0, 0, 1, {"timeout"}, {NULL}};
static Signature agree_signature = {"plan.agree", 0, 0, 1, {"timeout"}, {NULL}};
static Signature start_signature = {"plan.start", 0, 0, 1, {"timeout"}, {NULL}};
static Signature finish_signature = {"plan.finish", 0, 0, 1, {"timeout"}, {NULL}};

static int parse(const Signature *signature, FASTCALL_ARGS, double *timeout) {
    PyObject *values[MOST_ARGUMENTS];
    *timeout = DEFAULT_TIMEOUT;
    return unlikely(signature_parse(signature, args, nargs, kwnames, values) < 0) ? -1
           : likely(!values[0])                                                   ? 0
                                : parse_timeout(values[0], timeout, signature->function);
}

static const char *const twice = "this plan was started and not finished: call finish() first";

static PyObject *result(Plan *plan, int failed) {
    plan->busy = false;
    return unlikely(failed < 0) ? NULL : Py_NewRef(Py_None);
}

static int agree(Plan *plan, TimeLimit time) {
    if (plan_transfers_agree(plan->transfers, time.limit) < 0)
        return -1;
    PlanCollectives *collectives = plan->collectives;
    if (collectives && plan_collectives_agree(collectives, plan->transfers->comm, time) < 0)
        return -1;
    plan->ready = !collectives;
    return 0;
}

/* Start a plan that is not ready. */
static int agree_and_start(Plan *plan, TimeLimit time) {
    if (agree(plan, time) < 0)
        return -1;
    int failed = plan_transfers_start(plan->transfers);
    if (plan->collectives) /* after an error, too: the other ranks need this one */
        plan_collectives_start(plan->collectives, plan->transfers->comm);
    return failed;
}

static int finish_all(Plan *plan, TimeLimit time) {
    PlanCollectives *collectives = plan->collectives;
    if ((collectives && plan_collectives_finish(collectives, time) < 0) ||
        plan_transfers_finish(plan->transfers, time_left(time)) < 0)
        return -1;
    return collectives ? plan_collectives_end(collectives) : 0;
}

static int agree_start_and_finish(Plan *plan, double timeout) {
    TimeLimit time = time_limit(timeout);
    return agree_and_start(plan, time) < 0 ? -1 : finish_all(plan, time);
}

static PyObject *plan_call(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *kwnames) {
    Plan *self = (Plan *)object;
    double timeout;
    if (parse(&call_signature, args, PyVectorcall_NARGS(nargsf), kwnames, &timeout) < 0 ||
        check_idle(self, twice) < 0)
        return NULL;
    self->busy = true;
    if (unlikely(!self->ready))
        return result(self, agree_start_and_finish(self, timeout));
    int failed = plan_transfers_start(self->transfers);
    if (likely(!failed))
        failed = plan_transfers_finish(self->transfers, timeout);
    return result(self, failed);
}

/* For introspection of the arguments; calling a plan uses plan_call. */
static PyObject *plan_dunder_call(PyObject *self, FASTCALL_ARGS) {
    return plan_call(self, args, (size_t)nargs, kwnames);
}

static PyObject *plan_agree(Plan *self, FASTCALL_ARGS) {
    double timeout;
    if (parse(&agree_signature, args, nargs, kwnames, &timeout) < 0 || check_idle(self, twice) < 0)
        return NULL;
    self->busy = true;
    return result(self, agree(self, time_limit(timeout)));
}

static PyObject *plan_start(Plan *self, FASTCALL_ARGS) {
    double timeout;
    if (parse(&start_signature, args, nargs, kwnames, &timeout) < 0 || check_idle(self, twice) < 0)
        return NULL;
    self->busy = true;
    return result(self, likely(self->ready) ? plan_transfers_start(self->transfers)
                                            : agree_and_start(self, time_limit(timeout)));
}

static PyObject *plan_finish(Plan *self, FASTCALL_ARGS) {
    double timeout;
    if (parse(&finish_signature, args, nargs, kwnames, &timeout) < 0 || check_started(self) < 0)
        return NULL;
    self->busy = true;
    return result(self, unlikely(self->collectives != NULL)
                            ? finish_all(self, time_limit(timeout))
                            : plan_transfers_finish(self->transfers, timeout));
}

static PyObject *plan_test(Plan *self, PyObject *Py_UNUSED(unused)) {
    if (check_started(self) < 0)
        return NULL;
    PlanTransfers *transfers = self->transfers;
    int complete = plan_transfers_test(transfers);
    if (complete > 0 && self->collectives)
        complete = plan_collectives_test(self->collectives);
    else if (complete == 0 && anything_pending())
        progress_some();
    return complete < 0 ? NULL : PyBool_FromLong(complete);
}

/* Give back what it consists of, if it still has that; what is started continues. */
static void drop(Plan *plan) {
    PlanTransfers *transfers = plan->transfers;
    PlanCollectives *collectives = plan->collectives;
    plan->transfers = NULL;
    plan->collectives = NULL;
    if (collectives)
        plan_collectives_drop(collectives);
    if (transfers)
        plan_transfers_drop(transfers);
}

static PyObject *plan_free(Plan *self, PyObject *Py_UNUSED(unused)) {
    if (!self->transfers)
        Py_RETURN_NONE;
    if (self->busy || self->transfers->stage != RESTING) {
        refuse(self->busy ? "another thread uses this plan: only one may at a time"
                          : "this plan was started: call finish() before you free it");
        return NULL;
    }
    drop(self);
    Py_RETURN_NONE;
}

static PyObject *plan_enter(PyObject *self, PyObject *Py_UNUSED(unused)) { return Py_NewRef(self); }

static PyObject *plan_exit(Plan *self, PyObject *args) {
    PyObject *kind = Py_None;
    if (PyTuple_GET_SIZE(args))
        kind = PyTuple_GET_ITEM(args, 0);
    if (kind == Py_None || !self->transfers || self->busy)
        return plan_free(self, NULL);
    drop(self);
    Py_RETURN_NONE;
}

static Py_ssize_t plan_length(Plan *self) {
    return (self->transfers ? self->transfers->count : 0) +
           (self->collectives ? self->collectives->count : 0);
}

/* ---- the object ---- */

static int plan_traverse(Plan *self, visitproc visit, void *arg) {
    PlanTransfers *transfers = self->transfers;
    if (!transfers || transfers->stage != RESTING || self->busy) /* MPI still needs it, so it isn't garbage */
        return 0;
    Py_VISIT(transfers->comm);
    for (Py_ssize_t i = 0; i < transfers->count; i++) {
        Py_VISIT(transfers->channels[i]->memory.object);
        Py_VISIT(transfers->channels[i]->memory.array);
    }
    return self->collectives ? plan_collectives_traverse(self->collectives, visit, arg) : 0;
}

static int plan_clear(Plan *self) {
    drop(self);
    return 0;
}

static void plan_dealloc(Plan *self) {
    PyObject_GC_UnTrack(self);
    PyObject *exception = take_exception();
    plan_clear(self);
    restore_exception(exception);
    PyObject_GC_Del(self);
}

static PyObject *communicator_plan(PyObject *comm, PyObject *Py_UNUSED(unused)) {
    if (!is_usable((Communicator *)comm))
        return NULL;
    plan_transfers_free_dropped();
    PlanTransfers *transfers = plan_transfers_new((Communicator *)comm);
    Plan *plan = transfers ? PyObject_GC_New(Plan, &Plan_Type) : NULL;
    if (!plan) {
        if (transfers)
            plan_transfers_drop(transfers);
        return NULL;
    }
    plan->call = plan_call;
    plan->transfers = transfers;
    plan->collectives = NULL;
    plan->ready = true; /* nothing is to be agreed on */
    plan->busy = false;
    PyObject_GC_Track(plan);
    return (PyObject *)plan;
}

/* ---- the tables ---- */

#define METHOD(name, documentation) KEYWORD_METHOD(#name, plan_##name, documentation)

#define PART_ERRORS                                                                                          \
    "Raises:\n"                                                                                              \
    "    RankError, TagError: there is no such rank or tag.\n" PART_STATE_ERROR
#define AGREEMENT_ERRORS                                                                                     \
    "    MismatchError: a part has other elements than that of its partner, where it is raised, too; both "  \
    "are taken out.\n"

static PyMethodDef methods[] = {
    METHOD(send, "send($self, array, dest, tag=0)\n--\n\n"
                 "Add a part that sends the contents of an array at each start.\n\n"
                 "Args:\n"
                 "    array: an array, strided if you like, or another buffer.\n"
                 "    dest: rank to send to, or PROC_NULL: then nothing is added.\n"
                 "    tag: number, the same as of the receiver's part.\n\n" PART_ERRORS
                 "    MismatchError: it has no memory of plain elements, or overlaps with what is received."),
    METHOD(recv, "recv($self, array, source, tag=0)\n--\n\n"
                 "Add a part that receives into an array.\n\n"
                 "Args:\n"
                 "    array: a writable array, strided if you like, or another writable buffer.\n"
                 "    source: rank to receive from, or PROC_NULL: then nothing is added.\n"
                 "    tag: number, the same as of the sender's part.\n\n" PART_ERRORS
                 "    MismatchError: it is not writable memory of plain elements, or overlaps with another "
                 "part."),
    METHOD(agree, "agree($self, *, timeout=None)\n--\n\n"
                  "Agree with the partners on the new parts; otherwise the next start does so.\n\n"
                  "Args:\n" TIMEOUT_ARGUMENT "\n"
                  "Raises:\n"
                  "    Timeout: a partner has not agreed in time; the next call goes on.\n" AGREEMENT_ERRORS),
    METHOD(start,
           "start($self, *, timeout=None)\n--\n\n"
           "Begin to send and receive all parts. Do not touch the arrays before ``finish`` returns.\n\n"
           "Args:\n"
           "    timeout: seconds for partners to agree on new parts; None stands for POLYMPI_TIMEOUT, "
           "or no limit.\n\n"
           "Raises:\n"
           "    Timeout: a partner has not agreed in time; nothing was started.\n" AGREEMENT_ERRORS
           "    StateError: it was started before, and not finished.\n\n"
           "MPI 5.0, section 3.9 (MPI_Startall)."),
    METHOD(finish,
           "finish($self, *, timeout=None)\n--\n\n"
           "Wait until all that was received is in its arrays, and all that is sent may be changed.\n\n"
           "Args:\n" TIMEOUT_ARGUMENT "\n"
           "Raises:\n"
           "    Timeout: a part was not complete in time; a later call goes on.\n"
           "    StateError: it was not started.\n\n"
           "MPI 5.0, section 3.7.5 (MPI_Waitall)."),
    {"__call__", (PyCFunction)(void (*)(void))plan_dunder_call, METH_FASTCALL | METH_KEYWORDS | METH_COEXIST,
     "__call__($self, *, timeout=None)\n--\n\n"
     "Send and receive all parts: ``start`` and ``finish``.\n\n"
     "Args:\n"
     "    timeout: seconds for both together; None means POLYMPI_TIMEOUT, or no limit.\n\n"
     "Raises:\n"
     "    Timeout: a partner has not agreed in time, and nothing was started; or a part was not complete in "
     "time, and a later ``finish`` goes on.\n" AGREEMENT_ERRORS
     "    StateError: it was started before, and not finished."},
    {"test", (PyCFunction)plan_test, METH_NOARGS,
     "test($self, /)\n--\n\n"
     "Whether ``finish`` would return at once; makes progress, and never waits.\n\n"
     "Raises:\n"
     "    StateError: it was not started."},
    {"free", (PyCFunction)plan_free, METH_NOARGS,
     "free($self, /)\n--\n\n"
     "Give back the arrays and what was agreed on; its partners free theirs, too.\n\n"
     "Raises:\n"
     "    StateError: it is started."},
    {"__enter__", plan_enter, METH_NOARGS, "__enter__($self, /)\n--\n\nThe plan itself."},
    {"__exit__", (PyCFunction)plan_exit, METH_VARARGS,
     "__exit__($self, /, *args)\n--\n\n"
     "Free it; after an exception also if it is started: its transfers then continue."},
    {NULL, NULL, 0, NULL},
};

static PySequenceMethods sequence = {.sq_length = (lenfunc)plan_length};

PyTypeObject Plan_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "polympi.Plan",
    .tp_basicsize = sizeof(Plan),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "Sends, receives and collectives that are agreed on once and repeated, from plan() of a "
              "communicator. To call it starts and finishes it.",
    .tp_dealloc = (destructor)plan_dealloc,
    .tp_traverse = (traverseproc)plan_traverse,
    .tp_clear = (inquiry)plan_clear,
    .tp_vectorcall_offset = offsetof(Plan, call),
    .tp_call = PyVectorcall_Call,
    .tp_as_sequence = &sequence,
};

PyMethodDef plan_methods[] = {
    {"plan", communicator_plan, METH_NOARGS,
     "plan($self, /)\n--\n\n"
     "A new Plan: add sends, receives and collectives of arrays to it, and call it any number of times. Not "
     "collective."},
    {NULL, NULL, 0, NULL},
};

int plan_prepare(void) {
    PyMethodDef *const tables[] = {methods, plan_collective_methods};
    Plan_Type.tp_methods = join_methods(tables, sizeof tables / sizeof *tables);
    if (!Plan_Type.tp_methods || plan_collectives_prepare() < 0)
        return -1;
    return PREPARE_SIGNATURES(&send_signature, &recv_signature, &call_signature, &agree_signature,
                              &start_signature, &finish_signature) < 0
               ? -1
               : PyType_Ready(&Plan_Type);
}
