/* Functions that wait for several requests, or look for those that are complete. */
#include "base/arguments.h"
#include "base/errors.h"
#include "python/interface/request.h"
#include "transport/network_watch.h"

/* The requests in a new tuple: while they are waited for, other threads, signal handlers and destructors may
 * change the given sequence. NULL with TypeError. */
static PyObject *tuple_of_requests(PyObject *given, const char *function) {
    PyObject *requests = PySequence_Tuple(given);
    for (Py_ssize_t i = 0; requests && i < PyTuple_GET_SIZE(requests); i++) {
        PyObject *item = PyTuple_GET_ITEM(requests, i);
        if (Py_TYPE(item) != &Request_Type) {
            PyErr_Format(PyExc_TypeError, "%s(): item %zd is a %.100s, not a Request", function, i,
                         Py_TYPE(item)->tp_name);
            Py_CLEAR(requests);
        }
    }
    return requests;
}

static inline Request *request_at(PyObject *requests, Py_ssize_t i) {
    return (Request *)PyTuple_GET_ITEM(requests, i);
}

static Signature wait_all_signature = {"wait_all", 1, 1, 2, {"requests", "timeout"}, {NULL}};
static Signature wait_any_signature = {"wait_any", 1, 1, 2, {"requests", "timeout"}, {NULL}};

/* All receives make progress while the first is waited for. */
static void list_receives(PyObject *requests) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(requests); i++) {
        Request *request = request_at(requests, i);
        if (request->kind == RECEIVING && !request->busy)
            incoming_list(request->in);
    }
}

/* Let a Timeout name the time for all requests instead of the time left for this one. */
static void name_whole_time(const Request *request, double seconds) {
    if (request->kind == COMPLETE || request->kind == IN_EXCHANGE ||
        !PyErr_ExceptionMatches(PyExc_TimeoutError))
        return;
    /* a copy: raising runs Python code, in which another thread may complete the request */
    const Call call = *request_call(request);
    PyErr_Clear();
    raise_timeout(&call, seconds);
}

/* Wait for all. */
static int finish_all(PyObject *requests, double timeout) {
    double limit = timeout == DEFAULT_TIMEOUT ? state.timeout : timeout, end = limit > 0 ? now() + limit : 0;
    list_receives(requests);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(requests); i++) {
        double left = limit > 0 ? end - now() : timeout;
        if (limit > 0 && left <= 0)
            left = 1e-9; /* what is complete is still delivered */
        if (request_finish(request_at(requests, i), left) < 0) {
            if (limit > 0 && now() >= end)
                name_whole_time(request_at(requests, i), limit);
            return -1;
        }
    }
    return 0;
}

/* The values of requests that are complete. */
static PyObject *list_of_values(PyObject *requests) {
    PyObject *values = PyList_New(PyTuple_GET_SIZE(requests));
    for (Py_ssize_t i = 0; values && i < PyTuple_GET_SIZE(requests); i++)
        PyList_SET_ITEM(values, i, Py_NewRef(request_at(requests, i)->value));
    return values;
}

static PyObject *make_progress(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    if (state.phase == RUNNING)
        progress();
    Py_RETURN_NONE;
}

static PyObject *wait_all(PyObject *Py_UNUSED(module), FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS], *requests;
    double timeout;
    if (signature_parse(&wait_all_signature, args, nargs, kwnames, values) < 0 ||
        parse_timeout(values[1], &timeout, "wait_all") < 0 ||
        !(requests = tuple_of_requests(values[0], "wait_all")))
        return NULL;
    PyObject *result = finish_all(requests, timeout) < 0 ? NULL : list_of_values(requests);
    Py_DECREF(requests);
    return result;
}

struct any {
    PyObject *requests;
    Py_ssize_t complete;
};

static int poll_any(void *context) {
    struct any *any = context;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(any->requests); i++) {
        int complete = request_look(request_at(any->requests, i));
        if (complete) {
            any->complete = i;
            return complete;
        }
    }
    return 0;
}

static PyObject *wait_any(PyObject *Py_UNUSED(module), FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS], *result = NULL;
    const Call call = {.operation = "wait_any", .rank = state.world_rank, .peer = NO_PEER, .tag = NO_TAG};
    double timeout;
    struct any any;
    if (signature_parse(&wait_any_signature, args, nargs, kwnames, values) < 0 ||
        parse_timeout(values[1], &timeout, "wait_any") < 0 || !is_running())
        return NULL;
    if (!(any.requests = tuple_of_requests(values[0], "wait_any")))
        return NULL;
    if (PyTuple_GET_SIZE(any.requests) == 0)
        PyErr_SetString(PyExc_ValueError, "wait_any(): there are no requests to wait for");
    else if (wait_poll(poll_any, &any, &call, timeout) > 0) {
        Request *request = request_at(any.requests, any.complete);
        if (request->value)
            result = Py_BuildValue("nO", any.complete, request->value);
        else
            request_finish(request, timeout); /* raises its error */
    }
    Py_DECREF(any.requests);
    return result;
}

static PyObject *test_all(PyObject *Py_UNUSED(module), PyObject *given) {
    PyObject *requests = tuple_of_requests(given, "test_all");
    if (!requests)
        return NULL;
    int all = 1;
    for (Py_ssize_t i = 0; all >= 0 && i < PyTuple_GET_SIZE(requests); i++) {
        int complete = request_look(request_at(requests, i));
        all = complete < 0 ? -1 : all && complete;
    }
    Py_DECREF(requests);
    return all < 0 ? NULL : PyBool_FromLong(all);
}

/* ---- those that are ready ---- */

/* How those that may be very many are tested: a few at a time, in turn. */
struct search {
    PyObject *requests; /* a list, with None in the places of those that were taken out */
    Py_ssize_t next, most;
    PyObject *found;  /* the places of those that are ready */
    bool refuses;     /* those for which another thread waits */
    bool collectives; /* only these, which make progress between two looks */
};

/* Test the request in this place, if there is one: 0, or -1 with an exception. */
static int look_at(struct search *search, Py_ssize_t place) {
    PyObject *item = PyList_GET_ITEM(search->requests, place);
    if (item == Py_None)
        return 0;
    if (Py_TYPE(item) != &Request_Type)
        return PyErr_SetString(PyExc_TypeError, "the list has items that aren't requests"), -1;
    if (search->collectives && ((Request *)item)->kind != IN_COLLECTIVE)
        return 0;
    Request *request = (Request *)Py_NewRef(item); /* its step may run Python code */
    int ready = search->refuses && request->busy ? request_look(request) : request_ready(request);
    Py_DECREF((PyObject *)request);
    if (ready <= 0)
        return ready;
    PyObject *number = PyLong_FromSsize_t(place);
    int failed = number ? PyList_Append(search->found, number) : -1;
    Py_XDECREF(number);
    return failed;
}

/* Test the next ones: 1 if some are ready, 0, or -1. */
static int look_at_next(void *context) {
    struct search *search = context;
    for (Py_ssize_t n = 0; n < search->most && n < PyList_GET_SIZE(search->requests); n++) {
        if (search->next >= PyList_GET_SIZE(search->requests))
            search->next = 0;
        if (look_at(search, search->next++) < 0)
            return -1;
    }
    return PyList_GET_SIZE(search->found) > 0;
}

static PyObject *find_ready(PyObject *Py_UNUSED(module), PyObject *args) {
    struct search search = {0};
    if (!PyArg_ParseTuple(args, "O!nn", &PyList_Type, &search.requests, &search.next, &search.most) ||
        !(search.found = PyList_New(0)))
        return NULL;
    const Py_ssize_t first = search.next;
    int found = look_at_next(&search);
    for (; found == 0 && tests_after_rest > 1; search.next = first, found = look_at_next(&search))
        tests_after_rest -= (int)Py_MIN(Py_MAX(PyList_GET_SIZE(search.requests), 1), tests_after_rest);
    if (found == 0 && state.phase == RUNNING && anything_pending()) {
        progress_some();
        search.next = first;
        search.collectives = true;
        found = look_at_next(&search);
    }
    if (found > 0 && state.several_machines)
        network_watch_found(false);
    if (found < 0)
        Py_CLEAR(search.found);
    return search.found;
}

static PyObject *wait_ready(PyObject *Py_UNUSED(module), PyObject *args) {
    struct search search = {.refuses = true};
    Call call = {.rank = state.world_rank, .peer = NO_PEER, .tag = NO_TAG};
    PyObject *seconds;
    double timeout;
    if (!PyArg_ParseTuple(args, "O!nnsO", &PyList_Type, &search.requests, &search.next, &search.most,
                          &call.operation, &seconds) ||
        parse_timeout(seconds, &timeout, call.operation) < 0 || !is_running() ||
        !(search.found = PyList_New(0)))
        return NULL;
    if (wait_poll(look_at_next, &search, &call, timeout) < 0)
        Py_CLEAR(search.found);
    return search.found;
}

PyMethodDef request_functions[] = {
    {"find_ready", find_ready, METH_VARARGS,
     "find_ready($module, requests, first, most, /)\n--\n\n"
     "The places in a list of those of its next ``most`` requests, from ``first`` on and round its end, that "
     "are complete. None stands for no request. Makes progress."},
    {"wait_ready", wait_ready, METH_VARARGS,
     "wait_ready($module, requests, first, most, operation, timeout, /)\n--\n\n"
     "Wait until find_ready, called again and again for the next ones, finds some."},
    {"request_of_exchange", request_of_exchange, METH_O,
     "request_of_exchange($module, exchange, /)\n--\n\n"
     "A request that is complete when an Exchange is."},
    {"progress", make_progress, METH_NOARGS,
     "progress($module, /)\n--\n\n"
     "Make progress on all requests that this rank has begun, without waiting for any.\n\n"
     "For long computations, in which nothing else calls polympi. See also progress_thread."},
    {"wait_all", (PyCFunction)(void (*)(void))wait_all, METH_FASTCALL | METH_KEYWORDS,
     "wait_all($module, requests, *, timeout=None)\n--\n\n"
     "Wait until all requests are complete; the list of their values, in their order.\n\n"
     "Args:\n"
     "    requests: any iterable of Request.\n"
     "    timeout: seconds for all of them together; None means POLYMPI_TIMEOUT, or no limit.\n\n"
     "Raises:\n"
     "    Timeout: one was not complete in time; those that are keep their values.\n\n"
     "MPI 5.0, section 3.7.5 (MPI_Waitall)."},
    {"wait_any", (PyCFunction)(void (*)(void))wait_any, METH_FASTCALL | METH_KEYWORDS,
     "wait_any($module, requests, *, timeout=None)\n--\n\n"
     "Wait until one request is complete; its index and its value. The first in order, if several are.\n\n"
     "Args:\n"
     "    requests: a sequence of Request; one that was complete before counts, so take it out.\n"
     "    timeout: seconds; None means POLYMPI_TIMEOUT, or no limit.\n\n"
     "Raises:\n"
     "    Timeout: none was complete in time.\n"
     "    ValueError: there are no requests.\n\n"
     "MPI 5.0, section 3.7.5 (MPI_Waitany)."},
    {"test_all", test_all, METH_O,
     "test_all($module, requests, /)\n--\n\n"
     "Whether all requests are complete; makes progress, and never waits (MPI 5.0, section 3.7.5)."},
    {NULL, NULL, 0, NULL},
};

int several_requests_prepare(void) { return PREPARE_SIGNATURES(&wait_all_signature, &wait_any_signature); }
