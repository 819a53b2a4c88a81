#include "request.h"

#include "arguments.h"
#include "errors.h"

Request *request_new(Communicator *comm) {
    (void)comm;
    Request *request = PyObject_New(Request, &Request_Type);
    if (unlikely(!request))
        return NULL;
    request->kind = COMPLETE;
    request->busy = false;
    request->in = NULL;
    request->value = Py_NewRef(Py_None);
    request->status = (Status){.source = PROC_NULL, .tag = ANY_TAG};
    return request;
}

/* ---- sends under way ---- */

static Request *sending;

void request_sends(Request *request) {
    request->kind = SENDING;
    request->next = sending;
    request->previous = NULL;
    if (sending)
        sending->previous = request;
    sending = request;
}

/* The message is complete, or nobody will wait for it. */
static void close_send(Request *request) {
    *(request->previous ? &request->previous->next : &sending) = request->next;
    if (request->next)
        request->next->previous = request->previous;
    request->kind = COMPLETE;
    outgoing_close(&request->out);
}

void abandon_sends(void) {
    for (Request *request = sending, *next; request; request = next) {
        next = request->next;
        if (!request->busy) {
            close_send(request);
            next = sending; /* dropping what was sent may have run code that changed the list */
        }
    }
}

static void request_dealloc(Request *request) {
    if (state.phase == RUNNING) {
        if (request->kind == SENDING)
            close_send(request);
        else if (request->kind == RECEIVING)
            incoming_abandon(request->in);
    }
    Py_XDECREF(request->value);
    PyObject_Free(request);
}

/* Whether this thread may work on the request, which is under way: 0, or -1 with StateError. */
static int check_free(const Request *request) {
    if (unlikely(request->kind != COMPLETE && !is_running()))
        return -1;
    if (unlikely(request->busy || (request->kind == RECEIVING && incoming_waited_for(request->in))))
        return raise_error("StateError", NULL, "another thread waits for this request: one at a time may");
    return 0;
}

static int complete_receive(Request *request) {
    Incoming *in = request->in;
    request->in = NULL;
    request->kind = COMPLETE;
    PyObject *value = incoming_deliver(in, &request->status);
    Py_XSETREF(request->value, value); /* NULL when it failed: every later wait says so */
    return value ? 0 : -1;
}

/* Wait until complete: 0 or -1. After a time-out the request is as before. */
static int finish(Request *request, double timeout) {
    if (check_free(request) < 0)
        return -1;
    if (request->kind == SENDING) {
        Outgoing *out = &request->out;
        request->busy = true;
        int failed = wait_for(out->requests, out->request_count, MPI_STATUSES_IGNORE, &out->call, timeout);
        request->busy = false;
        if (!failed)
            close_send(request);
        return failed;
    }
    if (request->kind == RECEIVING)
        return incoming_finish(request->in, timeout) < 0 ? -1 : complete_receive(request);
    if (!request->value)
        return raise_error("StateError", NULL, "this request has failed before: its error was raised then");
    return 0;
}

/* 1 complete, 0 not yet, -1 exception. */
static int test(Request *request) {
    if (check_free(request) < 0)
        return -1;
    int complete = request->kind == SENDING     ? outgoing_test(&request->out)
                   : request->kind == RECEIVING ? incoming_test(request->in)
                                                : 1;
    if (complete <= 0 || request->kind == COMPLETE)
        return complete;
    if (request->kind == RECEIVING)
        return complete_receive(request) < 0 ? -1 : 1;
    close_send(request);
    return 1;
}

/* ---- methods ---- */

static Signature wait_signature = {"wait", 0, 0, 2, {"status", "timeout"}, {NULL}};

static PyObject *request_wait(Request *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    PyObject *values[MOST_ARGUMENTS];
    double timeout;
    if (signature_parse(&wait_signature, args, nargs, kwnames, values) < 0 ||
        parse_timeout(values[1], &timeout, "wait") < 0 || finish(self, timeout) < 0)
        return NULL;
    return with_status(Py_NewRef(self->value), &self->status, values[0]);
}

static PyObject *request_test(Request *self, PyObject *Py_UNUSED(unused)) {
    int complete = test(self);
    if (complete == 0 && anything_pending())
        progress();
    return complete < 0 ? NULL : PyBool_FromLong(complete);
}

static PyObject *request_cancel(Request *self, PyObject *Py_UNUSED(unused)) {
    if (check_free(self) < 0)
        return NULL;
    if (self->kind != RECEIVING || !incoming_cancel(self->in))
        Py_RETURN_FALSE;
    self->in = NULL;
    self->kind = COMPLETE;
    Py_RETURN_TRUE;
}

static PyObject *request_done(Request *self, void *Py_UNUSED(unused)) {
    return PyBool_FromLong(self->kind == COMPLETE);
}

static PyMethodDef request_methods[] = {
    {"wait", (PyCFunction)(void (*)(void))request_wait, METH_FASTCALL | METH_KEYWORDS,
     "wait($self, *, status=False, timeout=None)\n--\n\n"
     "Wait until the operation is complete.\n\n"
     "May be called again, and then returns the same. After a time-out the operation is still under way.\n\n"
     "Args:\n"
     "    status: also return a Status.\n"
     "    timeout: seconds to wait; None stands for POLYMPI_TIMEOUT, or for ever.\n\n"
     "Returns:\n"
     "    What was received, or what was given as ``into``; None for a send. With status, (value, "
     "Status).\n\n"
     "Raises:\n"
     "    Timeout: it was not complete in time.\n"
     "    TruncationError: more elements came than fit ``into``.\n"
     "    MismatchError: what came does not fit ``into``.\n"
     "    StateError: another thread waits for it.\n\n"
     "MPI 5.0, section 3.7.3."},
    {"test", (PyCFunction)request_test, METH_NOARGS,
     "test($self, /)\n--\n\n"
     "Whether the operation is complete; moves it on, and never waits. ``wait`` then returns the value at "
     "once.\n\n"
     "MPI 5.0, section 3.7.3."},
    {"cancel", (PyCFunction)request_cancel, METH_NOARGS,
     "cancel($self, /)\n--\n\n"
     "Give up a receive that no message has come for; True when it was given up. Sends cannot be "
     "cancelled.\n\n"
     "MPI 5.0, section 3.8.4."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef request_attributes[] = {
    {"done", (getter)request_done, NULL, "Whether wait or test has found the operation complete.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject Request_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "polympi.Request",
    .tp_basicsize = sizeof(Request),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "A send or receive that is under way (MPI 5.0, section 3.7), from isend, irecv and the like.",
    .tp_dealloc = (destructor)request_dealloc,
    .tp_methods = request_methods,
    .tp_getset = request_attributes,
};

/* ---- several requests ---- */

/* A new tuple or list of requests only; NULL with TypeError. */
static PyObject *sequence_of_requests(PyObject *given, const char *function) {
    PyObject *sequence = PySequence_Fast(given, "a sequence of requests is needed");
    for (Py_ssize_t i = 0; sequence && i < PySequence_Fast_GET_SIZE(sequence); i++) {
        PyObject *item = PySequence_Fast_GET_ITEM(sequence, i);
        if (Py_TYPE(item) != &Request_Type) {
            PyErr_Format(PyExc_TypeError, "%s(): item %zd is no Request but %.100s", function, i,
                         Py_TYPE(item)->tp_name);
            Py_CLEAR(sequence);
        }
    }
    return sequence;
}

static Signature wait_all_signature = {"wait_all", 1, 1, 2, {"requests", "timeout"}, {NULL}};
static Signature wait_any_signature = {"wait_any", 1, 1, 2, {"requests", "timeout"}, {NULL}};

/* Receives that are not first are moved on while the first is waited for. */
static void list_receives(PyObject *sequence) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); i++) {
        Request *request = (Request *)PySequence_Fast_GET_ITEM(sequence, i);
        if (request->kind == RECEIVING)
            incoming_list(request->in);
    }
}

/* Let a Timeout name the time for all requests instead of what was left for this one. */
static void tell_whole_time(const Request *request, double seconds) {
    if (request->kind == COMPLETE || !PyErr_ExceptionMatches(PyExc_TimeoutError))
        return;
    PyErr_Clear();
    raise_timeout(request->kind == SENDING ? &request->out.call : incoming_call(request->in), seconds);
}

static PyObject *wait_all(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                          PyObject *kwnames) {
    PyObject *values[MOST_ARGUMENTS], *sequence;
    double timeout;
    if (signature_parse(&wait_all_signature, args, nargs, kwnames, values) < 0 ||
        parse_timeout(values[1], &timeout, "wait_all") < 0)
        return NULL;
    if (!(sequence = sequence_of_requests(values[0], "wait_all")))
        return NULL;
    list_receives(sequence);
    Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);
    PyObject *result = PyList_New(count);
    double limit = timeout == DEFAULT_TIMEOUT ? state.timeout : timeout, end = limit > 0 ? now() + limit : 0;
    for (Py_ssize_t i = 0; result && i < count; i++) {
        Request *request = (Request *)PySequence_Fast_GET_ITEM(sequence, i);
        double left = limit > 0 ? end - now() : timeout;
        if (limit > 0 && left <= 0)
            left = 1e-9; /* what is complete is still delivered */
        if (finish(request, left) < 0) {
            if (limit > 0 && now() >= end)
                tell_whole_time(request, limit);
            Py_CLEAR(result);
        } else
            PyList_SET_ITEM(result, i, Py_NewRef(request->value));
    }
    Py_DECREF(sequence);
    return result;
}

struct any {
    PyObject *sequence;
    Py_ssize_t complete;
};

static int poll_any(void *context) {
    struct any *any = context;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(any->sequence); i++) {
        int complete = test((Request *)PySequence_Fast_GET_ITEM(any->sequence, i));
        if (complete) {
            any->complete = i;
            return complete;
        }
    }
    return 0;
}

static PyObject *wait_any(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                          PyObject *kwnames) {
    PyObject *values[MOST_ARGUMENTS], *result = NULL;
    double timeout;
    struct any any;
    if (signature_parse(&wait_any_signature, args, nargs, kwnames, values) < 0 ||
        parse_timeout(values[1], &timeout, "wait_any") < 0 || !is_running())
        return NULL;
    if (!(any.sequence = sequence_of_requests(values[0], "wait_any")))
        return NULL;
    if (PySequence_Fast_GET_SIZE(any.sequence) == 0)
        PyErr_SetString(PyExc_ValueError, "wait_any(): there are no requests to wait for");
    else if (wait_poll(
                 poll_any, &any,
                 &(Call){.operation = "wait_any", .rank = state.world_rank, .peer = NO_PEER, .tag = NO_TAG},
                 timeout) > 0) {
        Request *request = (Request *)PySequence_Fast_GET_ITEM(any.sequence, any.complete);
        if (request->value)
            result = Py_BuildValue("nO", any.complete, request->value);
        else
            finish(request, timeout); /* raises what became of it */
    }
    Py_DECREF(any.sequence);
    return result;
}

static PyObject *test_all(PyObject *Py_UNUSED(module), PyObject *given) {
    PyObject *sequence = sequence_of_requests(given, "test_all");
    if (!sequence)
        return NULL;
    int all = 1;
    for (Py_ssize_t i = 0; all >= 0 && i < PySequence_Fast_GET_SIZE(sequence); i++) {
        int complete = test((Request *)PySequence_Fast_GET_ITEM(sequence, i));
        all = complete < 0 ? -1 : all && complete;
    }
    Py_DECREF(sequence);
    return all < 0 ? NULL : PyBool_FromLong(all);
}

PyMethodDef request_functions[] = {
    {"wait_all", (PyCFunction)(void (*)(void))wait_all, METH_FASTCALL | METH_KEYWORDS,
     "wait_all($module, requests, *, timeout=None)\n--\n\n"
     "Wait until all requests are complete; the list of their values, in their order.\n\n"
     "Args:\n"
     "    requests: a sequence of Request.\n"
     "    timeout: seconds for all of them together; None stands for POLYMPI_TIMEOUT, or for ever.\n\n"
     "Raises:\n"
     "    Timeout: one was not complete in time; those that are keep their values.\n\n"
     "MPI 5.0, section 3.7.5 (MPI_Waitall)."},
    {"wait_any", (PyCFunction)(void (*)(void))wait_any, METH_FASTCALL | METH_KEYWORDS,
     "wait_any($module, requests, *, timeout=None)\n--\n\n"
     "Wait until one request is complete; its index and its value. The first in order, if several are.\n\n"
     "Args:\n"
     "    requests: a sequence of Request; one that was complete before counts, so take it out.\n"
     "    timeout: seconds; None stands for POLYMPI_TIMEOUT, or for ever.\n\n"
     "Raises:\n"
     "    Timeout: none was complete in time.\n"
     "    ValueError: there are no requests.\n\n"
     "MPI 5.0, section 3.7.5 (MPI_Waitany)."},
    {"test_all", test_all, METH_O,
     "test_all($module, requests, /)\n--\n\n"
     "Whether all requests are complete; moves them on, and never waits (MPI 5.0, section 3.7.5)."},
    {NULL, NULL, 0, NULL},
};

int request_prepare(void) {
    return signature_prepare(&wait_signature) || signature_prepare(&wait_all_signature) ||
                   signature_prepare(&wait_any_signature) || PyType_Ready(&Request_Type) || status_prepare()
               ? -1
               : 0;
}
