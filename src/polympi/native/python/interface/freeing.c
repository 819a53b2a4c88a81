/* The method of communicators that frees them. */
#include "python/interface/communicator.h"

#include "base/errors.h"
#include "collectives/call_log.h"
#include "collectives/creation.h"
#include "collectives/mailbox.h"
#include "collectives/subset_notes.h"
#include "python/interface/request.h"
#include "python/last_report.h"
#include "python/raw/raw.h"
#include "transfer/open_communicators.h"
#include "transfer/plan/channel_handshake.h"
#include "transfer/plan/plan_transfers.h"
#include "transfer/progress/ended.h"
#include "transfer/progress/progress_list.h"
#include "transfer/transfer.h"
#include "transfer/undelivered.h"

/* What is outstanding on a communicator when all ranks free it, from bad to worse. */
enum { NOTHING, SENDS, DATA };

struct freeing {
    Communicator *comm;
    Communicator *whole;     /* of an intercommunicator all its ranks, else itself */
    bool sends, patient;     /* whether this rank's sends are pending, and whether it waits for them */
    int state;               /* the worst of all ranks */
    Undelivered undelivered; /* user messages */
};

/* Pending collectives are waited for, as before any collective call, and their receives with them. A
 * message's data couldn't be received after the communicator was freed. */
static int end_receives(Communicator *self, const Call *call) {
    progress();
    if (check_not_below(self, FREE) < 0 || wait_poll(progress_list_over, self, call, DEFAULT_TIMEOUT) < 0)
        return -1;
    if (plan_transfers_under_way(self))
        return raise_error("StateError", call, "a plan is started: finish it first");
    const Call *receive = receive_under_way(self);
    if (!receive)
        return wait_poll(give_up_abandoned, self, call, DEFAULT_TIMEOUT) < 0 ? -1 : 0;
    PyObject *text = describe_call(receive);
    if (text)
        raise_error("StateError", call, "%U is pending: wait for it, or cancel it, first", text);
    Py_XDECREF(text);
    return -1;
}

/* Receive what nobody else will, and agree on the worst state; also after an error, since others wait.
 * Messages on the shadow are not reported: these are data of undelivered messages, and messages of
 * collectives that this rank has left by an exception. */
static int look(void *context) {
    struct freeing *freeing = context;
    Communicator *comm = freeing->comm;
    Undelivered nobodys = {0};
    int mine = freeing->sends ? (freeing->patient ? SENDS : DATA) : NOTHING;
    int code = undelivered_take(comm->shadow, &nobodys);
    if (code == MPI_SUCCESS)
        code = undelivered_take(comm->comm, &freeing->undelivered);
    if (code != MPI_SUCCESS || nobodys.large || freeing->undelivered.large)
        mine = DATA;
    int agreed = MPI_Allreduce(&mine, &freeing->state, 1, MPI_INT, MPI_MAX, freeing->whole->shadow);
    return code == MPI_SUCCESS ? agreed : code;
}

static int end_calls(void *comm) { return calls_end(comm); }

static int give_back(void *context) {
    Communicator *self = context;
    open_communicators_remove(self->comm);
    int code = MPI_Comm_free(&self->shadow);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_free(&self->comm);
    return code == MPI_SUCCESS && self->circle ? circle_free(self->circle) : code;
}

/* Make a step without the GIL, if MPI still runs: another thread may have ended it since the last one. */
static int make(int (*step)(void *context), void *context, const Call *call) {
    if (still_running(call) < 0)
        return -1;
    int code = creation_make(step, context);
    return code == MPI_SUCCESS ? 0 : raise_mpi(code, call);
}

/* A probe that finds nothing may have processed only one message in the library's queue, of another
 * communicator. The agreement after it processes all that were before its own. */
enum { LOOKS = 2 };

/* Free the communicator, unless there are data on it that nobody will receive: then both stay. 0 or -1. */
static int give_back_if_unused(struct freeing *freeing, const Call *call) {
    double end = now() + GRACE_SECONDS;
    if (make(end_calls, freeing->comm, call) < 0)
        return -1;
    int looks = 0;
    do {
        orphans_progress(PY_SSIZE_T_MAX);
        freeing->patient = now() < end;
        freeing->sends = orphans_on(freeing->comm) || requests_send_on(freeing->comm);
        if (make(look, freeing, call) < 0)
            return -1;
    } while (++looks < LOOKS || freeing->state == SENDS);
    if (freeing->state != NOTHING)
        return 0;
    if (freeing->comm->circle)
        circle_close(freeing->comm->circle);
    return make(give_back, freeing->comm, call);
}

static PyObject *communicator_free(Communicator *self, PyObject *Py_UNUSED(unused)) {
    Call call = {.operation = "free", .rank = self->rank, .peer = NO_PEER, .tag = NO_TAG};
    Creation creation;
    Communicator *whole = self->whole ? self->whole : self;
    if (!is_usable(self) || end_receives(self, &call) < 0 || creation_begin(&creation, whole, FREE) < 0)
        return NULL;
    self->size = 0;
    if (self->raw && self->named == self->comm)
        ((Raw *)self->raw)->size = 0;
    handshakes_close(self);
    subset_notes_close(self);
    mailboxes_close(self->mailboxes);
    self->mailboxes = NULL;
    struct freeing freeing = {.comm = self, .whole = whole};
    int failed = give_back_if_unused(&freeing, &call);
    creation_end(&creation);
    write_undelivered(&call, &freeing.undelivered);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}

PyMethodDef freeing_methods[] = {
    {"free", (PyCFunction)communicator_free, METH_NOARGS,
     "free($self, /)\n--\n\nFree the communicator. All ranks call it."},
    {NULL, NULL, 0, NULL},
};
