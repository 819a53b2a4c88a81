#include "python/interface/request.h"

#include "base/arguments.h"
#include "base/errors.h"
#include "base/list.h"
#include "collectives/async_collective.h"
#include "python/interface/window.h"
#include "python/raw/raw_receive.h"

/* A free list of requests, for windows of them: it takes 127 instructions fewer, of 324, to make and drop one
 * (docs/core.md, Free lists). */
#ifdef __SANITIZE_ADDRESS__
enum { MOST_UNUSED = 0 }; /* so that it detects requests that are used after they were freed */
#else
enum { MOST_UNUSED = 128 };
#endif
static Request *unused[MOST_UNUSED + 1];
static int unused_count;

static Request *request_memory(void) {
    if (unlikely(!unused_count))
        return PyObject_GC_New(Request, &Request_Type);
    Request *request = unused[--unused_count];
    return (Request *)PyObject_Init((PyObject *)request, &Request_Type);
}

/* Of an untracked request without references. */
static void give_memory(Request *request) {
    if (likely(unused_count < MOST_UNUSED))
        unused[unused_count++] = request;
    else
        PyObject_GC_Del(request);
}

Request *request_new(void) {
    Request *request = request_memory();
    if (unlikely(!request))
        return NULL;
    request->kind = COMPLETE;
    request->busy = request->posted = false;
    request->value = Py_NewRef(Py_None);
    request->watch = NULL;
    request->status = (Status){.source = PROC_NULL, .tag = ANY_TAG};
    return request;
}

/* ---- pending sends ---- */

static Sending *sending;
static Py_ssize_t sending_count;

Py_ssize_t sends_of_requests(void) { return sending_count; }

/* An error is left to the call that waits for the message. */
bool requests_send_on(const Communicator *comm) {
    bool any = false;
    for (Sending *send = sending; send; send = send->next) {
        int complete;
        if (!send->request->busy && sending_is_on(send, comm))
            locked_test(send->requests, send->request_count, MPI_STATUSES_IGNORE, &complete);
        any |= sending_is_on(send, comm);
    }
    return any;
}

void request_sends(Request *request, Sending *send) {
    request->kind = SENDING;
    request->send = send;
    send->request = request;
    CHAIN_PUSH(sending, send);
    sending_count++;
}

PyObject *request_of_collective(AsyncCollective *collective) {
    Request *request = collective ? request_new() : NULL;
    if (!request) {
        if (collective)
            async_leave(collective);
        return NULL;
    }
    request->kind = IN_COLLECTIVE;
    request->collective = collective;
    return (PyObject *)request;
}

PyObject *request_of_exchange(PyObject *Py_UNUSED(module), PyObject *exchange) {
    Request *request = request_new();
    if (request) {
        request->kind = IN_EXCHANGE;
        request->exchange = Py_NewRef(exchange);
        PyObject_GC_Track(request);
    }
    return (PyObject *)request;
}

void request_accesses(Request *request, Access *access) {
    request->kind = ACCESSING;
    request->access = access;
}

/* The send is complete, or no call will wait for it. Dropping the object may run Python code. */
static void close_send(Request *request) {
    Sending *send = request->send;
    CHAIN_REMOVE(sending, send);
    sending_count--;
    request->kind = COMPLETE;
    sending_close(send, 0);
}

void abandon_sends(void) {
    for (Sending *send = sending, *next; send; send = next) {
        next = send->next;
        if (!send->request->busy) {
            close_send(send->request);
            next = sending; /* that may have run code that changed the list */
        }
    }
}

/* ---- the object ---- */

static void request_dealloc(Request *request) {
    PyObject_GC_UnTrack(request);
    if (request->kind == SENDING && is_alive())
        close_send(request);
    if (state.phase == RUNNING) {                        /* else receives stay posted */
        if (request->kind == RECEIVING && python_ends()) /* no later receive can take the message */
            incoming_abandon(request->in);
        else if (request->kind == RECEIVING)
            incoming_leave(request->in);
        else if (request->kind == RECEIVING_PLAINLY)
            raw_receive_leave(request->raw);
        else if (request->kind == IN_COLLECTIVE) /* which goes on, as the other ranks depend on it */
            async_leave(request->collective);
        else if (request->kind == IN_EXCHANGE)
            Py_DECREF(request->exchange);
        else if (request->kind == ACCESSING)
            access_leave(request->access);
    }
    Py_XDECREF(request->value);
    if (unlikely(request->watch != NULL))
        PyMem_Free(request->watch);
    give_memory(request);
}

/* A received object may refer to the request. So may the objects of a pending one; but MPI needs these until
 * it is complete, so they aren't garbage. */
static int request_traverse(Request *request, visitproc visit, void *arg) {
    if (request->kind == IN_EXCHANGE)
        Py_VISIT(request->exchange);
    Py_VISIT(request->value);
    return 0;
}

static int request_clear(Request *request) {
    Py_CLEAR(request->value);
    return 0;
}

/* Only requests whose value may refer to them are tracked by the garbage collector; sends never are. */
void request_set_value(Request *request, PyObject *value) {
    PyObject *before = request->value;
    request->value = value;
    if (value && PyObject_IS_GC(value) && !PyObject_GC_IsTracked((PyObject *)request))
        PyObject_GC_Track(request);
    Py_XDECREF(before);
}

/* Whether this thread may use the request: 0, or -1 with StateError. */
static int check_free(const Request *request) {
    if (unlikely(request->kind != COMPLETE && !is_running()))
        return -1;
    if (unlikely(request->busy))
        return raise_error("StateError", NULL,
                           "another thread waits for this request: only one may at a time");
    return 0;
}

/* Its message has been delivered. */
static int take_value(Request *request, PyObject *value) {
    incoming_trim();
    request->kind = COMPLETE;
    request_set_value(request, value); /* NULL if it failed: every later wait reports that */
    return value ? 0 : -1;
}

/* Everything has arrived: deliver the object. */
static int complete_receive(Request *request) {
    return take_value(request, request->kind == RECEIVING
                                   ? incoming_deliver(request->in, &request->status)
                                   : raw_receive_deliver(request->raw, &request->status));
}

static int wait_for_object(Request *request, double timeout) {
    PyObject *array = incoming_take_array(request->in, &request->status);
    if (likely(array != NULL))
        return take_value(request, array);
    return incoming_finish(request->in, timeout) < 0 ? -1 : complete_receive(request);
}

/* It is complete, or has failed: take its result. */
static int complete_collective(Request *request, PyObject *value) {
    async_leave(request->collective);
    request->kind = COMPLETE;
    request_set_value(request, value);
    return value ? 0 : -1;
}

static int wait_for_collective(Request *request, double timeout) {
    PyObject *value = async_wait(request->collective, timeout);
    return value || async_is_taken(request->collective) ? complete_collective(request, value) : -1;
}

/* Ask an exchange: 1, 0, or -1 with an exception. */
static int ask_exchange(PyObject *exchange, const char *method) {
    PyObject *answer = PyObject_CallMethod(exchange, method, NULL);
    int yes = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    return yes;
}

/* Its own requests keep what has arrived, so a wait that was ended can be repeated until it is over. */
static int wait_for_exchange(Request *request, double timeout) {
    PyObject *exchange = request->exchange;
    PyObject *value = timeout > 0 ? PyObject_CallMethod(exchange, "wait", "d", timeout)
                                  : PyObject_CallMethod(exchange, "wait", NULL);
    PyObject *error = value ? NULL : take_exception();
    int over = value ? 1 : ask_exchange(exchange, "is_over");
    if (over > 0) {
        request->kind = COMPLETE;
        request_set_value(request, value);
        Py_DECREF(exchange);
    }
    PyErr_Clear();
    restore_exception(error);
    return value ? 0 : -1;
}

/* Its window's memory is in place. */
static int complete_access(Request *request) {
    request->kind = COMPLETE;
    PyObject *value = access_finish(request->access);
    request_set_value(request, value);
    return value ? 0 : -1;
}

static int wait_for_message(Request *request, double timeout) {
    if (request->kind == RECEIVING)
        return wait_for_object(request, timeout);
    if (request->kind == RECEIVING_PLAINLY)
        return raw_receive_wait(request->raw, timeout) < 0 ? -1 : complete_receive(request);
    if (request->kind == IN_COLLECTIVE)
        return wait_for_collective(request, timeout);
    if (request->kind == IN_EXCHANGE)
        return wait_for_exchange(request, timeout);
    if (request->kind == ACCESSING)
        return access_wait(request->access, timeout) < 0 ? -1 : complete_access(request);
    Sending *send = request->send;
    if (wait_for(send->requests, send->request_count, MPI_STATUSES_IGNORE, &send->call, timeout) < 0)
        return -1;
    close_send(request);
    return 0;
}

int request_finish(Request *request, double timeout) {
    if (check_free(request) < 0)
        return -1;
    if (request->kind != COMPLETE) {
        request->busy = true;
        int failed = wait_for_message(request, timeout);
        request->busy = false;
        return failed;
    }
    if (!request->value)
        return raise_error("StateError", NULL, "this request has failed before: its error was raised then");
    return 0;
}

static int test_collective(Request *request) {
    if (!async_test(request->collective))
        return 0;
    return wait_for_collective(request, 0) < 0 ? -1 : 1; /* it does not wait */
}

static int test_exchange(Request *request) {
    int complete = ask_exchange(request->exchange, "test");
    return complete <= 0 ? complete : wait_for_exchange(request, 0) < 0 ? -1 : 1; /* it does not wait */
}

/* Whether what is pending is complete: 1, 0, or -1 with an exception. */
static int is_ready(Request *request) {
    if (request->kind == SENDING)
        return sending_test(request->send);
    if (request->kind == RECEIVING)
        return incoming_test(request->in);
    if (request->kind == RECEIVING_PLAINLY)
        return raw_receive_test(request->raw);
    if (request->kind == ACCESSING)
        return access_test(request->access);
    return request->kind == IN_COLLECTIVE ? request->collective->over
                                          : ask_exchange(request->exchange, "is_ready");
}

static int test_message(Request *request) {
    if (request->kind == IN_COLLECTIVE)
        return test_collective(request);
    if (request->kind == IN_EXCHANGE)
        return test_exchange(request);
    int complete = is_ready(request);
    if (complete <= 0)
        return complete;
    if (request->kind == ACCESSING)
        return complete_access(request) < 0 ? -1 : 1;
    if (request->kind != SENDING)
        return complete_receive(request) < 0 ? -1 : 1;
    close_send(request);
    return 1;
}

int request_look(Request *request) {
    if (check_free(request) < 0)
        return -1;
    if (request->kind == COMPLETE)
        return 1;
    request->busy = true;
    int complete = test_message(request);
    request->busy = false;
    return complete;
}

int request_ready(Request *request) {
    if (request->kind == COMPLETE || !is_alive()) /* which wait reports */
        return 1;
    if (request->busy || state.phase == HELD)
        return 0;
    request->busy = true;
    int ready = is_ready(request);
    request->busy = false;
    return ready;
}

const Call *request_call(const Request *request) {
    return request->kind == SENDING         ? &request->send->call
           : request->kind == RECEIVING     ? incoming_call(request->in)
           : request->kind == IN_COLLECTIVE ? &request->collective->collective.call
           : request->kind == IN_EXCHANGE   ? NULL
           : request->kind == ACCESSING     ? &request->access->call
                                            : raw_receive_call(request->raw);
}

/* ---- methods ---- */

static Signature wait_signature = {"wait", 0, 0, 2, {"status", "timeout"}, {NULL}};

static PyObject *request_wait(Request *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    double timeout;
    if (signature_parse(&wait_signature, args, nargs, kwnames, values) < 0 ||
        parse_timeout(values[1], &timeout, "wait") < 0 || request_finish(self, timeout) < 0)
        return NULL;
    return with_status(Py_NewRef(self->value), &self->status, values[0]);
}

static PyObject *request_test(Request *self, PyObject *Py_UNUSED(unused)) {
    int complete = request_look(self);
    if (complete == 0 && anything_pending())
        progress_some();
    return complete < 0 ? NULL : PyBool_FromLong(complete);
}

static PyObject *request_cancel(Request *self, PyObject *Py_UNUSED(unused)) {
    if (check_free(self) < 0)
        return NULL;
    if (self->kind != RECEIVING && self->kind != RECEIVING_PLAINLY)
        Py_RETURN_FALSE;
    self->busy = true;
    int cancelled = self->kind == RECEIVING ? incoming_cancel(self->in) : raw_receive_cancel(self->raw);
    if (cancelled) {
        self->kind = COMPLETE;
        incoming_trim();
    }
    self->busy = false;
    return PyBool_FromLong(cancelled);
}

static PyObject *request_is_ready(Request *self, PyObject *Py_UNUSED(unused)) {
    int ready = request_ready(self);
    return ready < 0 ? NULL : PyBool_FromLong(ready);
}

static PyObject *request_give_up(Request *self, PyObject *unused) {
    if (self->busy || state.phase != RUNNING)
        Py_RETURN_NONE;
    if (self->kind != RECEIVING)
        return request_cancel(self, unused);
    self->kind = COMPLETE;
    incoming_leave(self->in);
    incoming_trim();
    Py_RETURN_NONE;
}

static PyObject *request_check_wait(Request *self, PyObject *Py_UNUSED(unused)) {
    if (self->kind == COMPLETE || self->busy || state.phase != RUNNING)
        Py_RETURN_NONE;
    if (self->kind == IN_EXCHANGE)
        return PyObject_CallMethod(self->exchange, "check_wait", NULL);
    double time = now();
    if (!self->watch) {
        if (!(self->watch = PyMem_Malloc(sizeof *self->watch)))
            return PyErr_NoMemory();
        *self->watch = watch_begin(time, 0);
    }
    const Call call = *request_call(self); /* raising runs Python code, which may complete it */
    if (watch_step(self->watch, &call, time) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *request_await(PyObject *self) {
    PyObject *module = PyImport_ImportModule("polympi.awaiting");
    PyObject *waiting = module ? PyObject_CallMethod(module, "wait", "O", self) : NULL;
    Py_XDECREF(module);
    return waiting;
}

static PyObject *request_done(Request *self, void *Py_UNUSED(unused)) {
    return PyBool_FromLong(self->kind == COMPLETE);
}

static PyMethodDef request_methods[] = {
    {"wait", (PyCFunction)(void (*)(void))request_wait, METH_FASTCALL | METH_KEYWORDS,
     "wait($self, *, status=False, timeout=None)\n--\n\n"
     "Wait until the operation is complete.\n\n"
     "May be called again, and then returns the same. After a time-out the operation is still pending.\n\n"
     "Args:\n"
     "    status: also return a Status.\n"
     "    timeout: seconds to wait; None means POLYMPI_TIMEOUT, or no limit.\n\n"
     "Returns:\n"
     "    What was received, or what was given as ``into``; None for a send; what the blocking call "
     "returns for a collective. With status, (value, Status).\n\n"
     "Raises:\n"
     "    Timeout: it was not complete in time.\n"
     "    TruncationError: more elements arrived than fit ``into``.\n"
     "    MismatchError: the message does not fit ``into``.\n"
     "    StateError: another thread waits for it.\n\n"
     "MPI 5.0, section 3.7.3."},
    {"test", (PyCFunction)request_test, METH_NOARGS,
     "test($self, /)\n--\n\n"
     "Whether the operation is complete; makes progress, and never waits. ``wait`` then returns the value at "
     "once.\n\n"
     "MPI 5.0, section 3.7.3."},
    {"cancel", (PyCFunction)request_cancel, METH_NOARGS,
     "cancel($self, /)\n--\n\n"
     "Cancel a receive that no message has arrived for; True if it was cancelled. Sends and collectives "
     "cannot be cancelled.\n\n"
     "MPI 5.0, section 3.8.4."},
    {"_is_ready", (PyCFunction)request_is_ready, METH_NOARGS,
     "_is_ready($self, /)\n--\n\n"
     "Whether ``wait`` would return or raise at once. Unlike ``test`` it doesn't take a message, and another "
     "thread may wait meanwhile."},
    {"_give_up", (PyCFunction)request_give_up, METH_NOARGS,
     "_give_up($self, /)\n--\n\n"
     "Cancel a receive; a message that has arrived goes to a later one, unless it is raw. Nothing else is "
     "changed."},
    {"_check_wait", (PyCFunction)request_check_wait, METH_NOARGS,
     "_check_wait($self, /)\n--\n\n"
     "Raise EndedError if it waits for a rank that has ended, once several calls have found that; each wait "
     "does so now and then."},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS,
     "``Request[T]``: one whose ``wait`` returns a T."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef request_attributes[] = {
    {"done", (getter)request_done, NULL,
     "Whether the call that began it, wait or test has found the operation complete.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyAsyncMethods request_async = {.am_await = request_await};

PyTypeObject Request_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "polympi.Request",
    .tp_basicsize = sizeof(Request),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc =
        "A pending send, receive or collective (MPI 5.0, sections 3.7 and 6.12), from isend, irecv, ibcast "
        "and the like.",
    .tp_dealloc = (destructor)request_dealloc,
    .tp_traverse = (traverseproc)request_traverse,
    .tp_clear = (inquiry)request_clear,
    .tp_as_async = &request_async,
    .tp_methods = request_methods,
    .tp_getset = request_attributes,
};

int request_prepare(void) {
    if (PREPARE_SIGNATURES(&wait_signature) < 0 || several_requests_prepare() < 0 || status_prepare() < 0)
        return -1;
    return PyType_Ready(&Request_Type);
}
