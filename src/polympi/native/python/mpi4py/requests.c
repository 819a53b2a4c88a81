/* Requests for mpi4py programs: of objects, which are requests of the core, and of arrays, which are MPI's.
 *
 * All are of mpi4py's own class, which keeps a reference to the buffer that MPI uses until a request is
 * complete. There a request of an object has that of the core, and REQUEST_NULL as its handle. Copies of a
 * request share this reference.
 */
#include "python/mpi4py/mpi4py.h"

#ifndef POLYMPI_SERIAL

#include <string.h>
#include <strings.h>

#include "codec/numpy_api.h"

typedef PyObject *(*Method)(PyObject *self, FASTCALL_ARGS);
static Method wait_method;
static PyCFunction test_method, cancel_method;
static PyObject *no_arguments; /* () */

static Signature wait_names = {"wait", 1, 0, 1, {"status"}, {NULL}};

/* clang-format off */
#define REQUEST_METHODS(X)                                                                                   \
    X(Request, wait) X(Request, Wait) X(Request, test) X(Request, Test) X(Request, get_status)               \
    X(Request, Get_status) X(Request, cancel) X(Request, Cancel) X(Request, free) X(Request, Free)           \
    X(Request, __bool__) X(Request, __eq__) X(Request, __ne__) X(Request, __reduce__)
/* clang-format on */
enum { REQUEST_METHODS(TAKEOVER_PLACE) };

/* ---- making them ---- */

/* An object of a class of mpi4py that keeps `kept`, which is stolen. */
static PyObject *make(PyTypeObject *type, Py_ssize_t offset, PyObject *kept) {
    PyObject *made = kept ? type->tp_new(type, no_arguments, NULL) : NULL;
    if (made)
        keep_in(made, offset, kept);
    else
        Py_XDECREF(kept);
    return made;
}

PyObject *object_request(PyObject *request) {
    return make(mpi4py.request_type, mpi4py.request_kept, request);
}

PyObject *matched_message(PyObject *request) {
    return make(mpi4py.message_type, mpi4py.message_kept, request);
}

PyObject *buffer_request(MPI_Request request, PyObject *memory) {
    PyObject *made = make(mpi4py.request_type, mpi4py.request_kept, Py_NewRef(memory));
    if (made)
        *request_of(made) = request;
    return made;
}

/* ---- of objects ---- */

enum { CANCELLED = -199 }; /* source in the status of a cancelled receive */

/* The core's request, borrowed; NULL: it isn't of an object, or is complete. */
static inline PyObject *inner(PyObject *self) { return inner_of(self, mpi4py.request_kept); }

/* Fill the status of a complete request. */
static void report_status(const Request *request, MPI_Status *status) {
    const Status *known = &request->status;
    if (!status)
        return;
    if (known->source == CANCELLED)
        fill_status(status, &(Status){.source = ANY_SOURCE, .tag = ANY_TAG}, true);
    else if (known->source == PROC_NULL) /* of a send */
        empty_status(status);
    else
        fill_status(status, known, false);
}

/* Wait for the request that `self` had when the call began: its value, or NULL. Then `self` drops it, but its
 * copies may still wait for the same value. */
static PyObject *finish(PyObject *self, PyObject *waited, MPI_Status *status) {
    Request *request = (Request *)Py_NewRef(waited);
    PyObject *value = wait_method(waited, NULL, 0, NULL);
    if (value || (request->kind == COMPLETE && !request->value)) { /* or it has failed */
        if (inner(self) == waited)
            keep_in(self, mpi4py.request_kept, Py_NewRef(Py_None));
        receive_closed(request);
        report_status(request, status);
    }
    Py_DECREF(request);
    return checked_result(value);
}

/* Whether it is complete: 1, 0, or -1 with an exception. */
static int is_complete(PyObject *waited) {
    Py_INCREF(waited);
    PyObject *complete = test_method(waited, NULL);
    Py_DECREF(waited);
    if (!complete) {
        mpi4py_exception();
        return -1;
    }
    Py_DECREF(complete);
    return complete == Py_True;
}

/* The core's request and the status of a call; NULL: mpi4py handles it, or reports what is wrong. */
static inline PyObject *take_wait(PyObject *self, FASTCALL_ARGS, MPI_Status **status) {
    PyObject *values[MOST_ARGUMENTS], *found = inner(self);
    if (!found || !takes_arguments(&wait_names, args, nargs, kwnames, values) ||
        !take_status(values[0], status))
        return NULL;
    return found;
}

static PyObject *accelerated_wait(PyObject *self, FASTCALL_ARGS) {
    MPI_Status *status;
    PyObject *waited = take_wait(self, args, nargs, kwnames, &status);
    return waited ? finish(self, waited, status)
                  : call_before(&request_takeovers[AT_wait], self, args, nargs, kwnames);
}

/* Wait for an array as the core does. An exception of a signal handler leaves the request unchanged. */
static PyObject *wait_for_array(PyObject *self, MPI_Status *status) {
    const Call call = {.operation = "wait", .rank = state.world_rank, .peer = NO_PEER, .tag = NO_TAG};
    MPI_Status unwanted;
    int waited;
    if (!is_running())
        return NULL;
    MPI_Request *place = request_of(self), request = *place;
    Py_INCREF(self);
    while ((waited = wait_for(&request, 1, status ? status : &unwanted, &call, DEFAULT_TIMEOUT)) > 0)
        ; /* recalled, which concerns receives of objects only */
    *place = request;
    if (request == MPI_REQUEST_NULL)
        keep_in(self, mpi4py.request_kept, Py_NewRef(Py_None));
    Py_DECREF(self);
    return waited < 0 ? mpi4py_exception() : Py_NewRef(Py_True);
}

static inline bool is_of_array(PyObject *self) {
    PyObject *kept = *(PyObject **)((char *)self + mpi4py.request_kept);
    return kept && Py_TYPE(kept) == ndarray_type;
}

static PyObject *accelerated_Wait(PyObject *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS], *waited = inner(self);
    MPI_Status *status;
    if ((!waited && !is_of_array(self)) || !takes_arguments(&wait_names, args, nargs, kwnames, values) ||
        !take_status(values[0], &status))
        return call_before(&request_takeovers[AT_Wait], self, args, nargs, kwnames);
    if (!waited)
        return wait_for_array(self, status);
    PyObject *value = finish(self, waited, status);
    Py_XDECREF(value);
    return value ? Py_NewRef(Py_True) : NULL;
}

/* Test it, and wait for it if it is complete: 1 and its value, 0, or -1 with an exception. */
static int test(PyObject *self, PyObject *waited, MPI_Status *status, PyObject **value) {
    Py_INCREF(waited);
    int complete = is_complete(waited);
    *value = complete > 0 ? finish(self, waited, status) : NULL;
    Py_DECREF(waited);
    return complete > 0 && !*value ? -1 : complete;
}

static PyObject *accelerated_test(PyObject *self, FASTCALL_ARGS) {
    MPI_Status *status;
    PyObject *value, *waited = take_wait(self, args, nargs, kwnames, &status);
    if (!waited)
        return call_before(&request_takeovers[AT_test], self, args, nargs, kwnames);
    int complete = test(self, waited, status, &value);
    return complete < 0    ? NULL
           : complete == 0 ? PyTuple_Pack(2, Py_False, Py_None)
                           : Py_BuildValue("(ON)", Py_True, value);
}

static PyObject *accelerated_Test(PyObject *self, FASTCALL_ARGS) {
    MPI_Status *status;
    PyObject *value, *waited = take_wait(self, args, nargs, kwnames, &status);
    if (!waited)
        return call_before(&request_takeovers[AT_Test], self, args, nargs, kwnames);
    int complete = test(self, waited, status, &value);
    Py_XDECREF(value);
    return complete < 0 ? NULL : PyBool_FromLong(complete);
}

static PyObject *get_status(int which, PyObject *self, FASTCALL_ARGS) {
    MPI_Status *status;
    PyObject *waited = take_wait(self, args, nargs, kwnames, &status);
    if (!waited)
        return call_before(&request_takeovers[which], self, args, nargs, kwnames);
    Py_INCREF(waited);
    int complete = is_complete(waited);
    if (complete > 0)
        report_status((Request *)waited, status);
    Py_DECREF(waited);
    return complete < 0 ? NULL : PyBool_FromLong(complete);
}

/* Cancel a receive that no message has arrived for; it is then complete. A send goes on. */
static PyObject *cancel(int which, PyObject *self, FASTCALL_ARGS) {
    PyObject *waited = nargs || kwnames ? NULL : inner(self);
    if (!waited)
        return call_before(&request_takeovers[which], self, args, nargs, kwnames);
    Py_INCREF(waited);
    PyObject *cancelled = cancel_method(waited, NULL);
    if (cancelled == Py_True)
        ((Request *)waited)->status.source = CANCELLED;
    Py_DECREF(waited);
    Py_XDECREF(cancelled);
    return cancelled ? Py_NewRef(Py_None) : mpi4py_exception();
}

/* Drop it: a send goes on, and a receive without further copies is cancelled. */
static PyObject *free_request(int which, PyObject *self, FASTCALL_ARGS) {
    if (nargs || kwnames || !inner(self))
        return call_before(&request_takeovers[which], self, args, nargs, kwnames);
    keep_in(self, mpi4py.request_kept, Py_NewRef(Py_None));
    Py_RETURN_NONE;
}

TAKEN_BY(get_status, get_status)
TAKEN_BY(Get_status, get_status)
TAKEN_BY(cancel, cancel)
TAKEN_BY(Cancel, cancel)
TAKEN_BY(free, free_request)
TAKEN_BY(Free, free_request)

/* ---- special methods ---- */

PyObject *compare_inner(PyObject *result, PyObject *self, PyObject *const *args, PyTypeObject *type,
                        Py_ssize_t offset, bool equal) {
    if (!result || result == Py_NotImplemented || !PyObject_TypeCheck(args[0], type) ||
        inner_of(self, offset) == inner_of(args[0], offset))
        return result;
    Py_DECREF(result);
    return PyBool_FromLong(!equal);
}

PyObject *refuse_reduce(PyObject *self) {
    return PyErr_Format(PyExc_ValueError, "cannot serialize '%.100s' instance", Py_TYPE(self)->tp_name);
}

IDENTITY_METHODS(request_takeovers, mpi4py.request_type, mpi4py.request_kept)

Takeover request_takeovers[] = {REQUEST_METHODS(TAKEOVER_ROW) LAST_TAKEOVER};

/* ---- several ---- */

PyObject *is_of_object(PyObject *Py_UNUSED(module), PyObject *request) {
    return PyBool_FromLong(PyObject_TypeCheck(request, mpi4py.request_type) && inner(request));
}

PyObject *copy_status(PyObject *Py_UNUSED(module), PyObject *args) {
    PyObject *status, *found;
    if (!PyArg_ParseTuple(args, "O!O!", mpi4py.status_type, &status, mpi4py.status_type, &found))
        return NULL;
    memcpy((char *)status + mpi4py.status, (char *)found + mpi4py.status, sizeof(MPI_Status));
    Py_RETURN_NONE;
}

/* Requests of objects among several: none, all, or some of them. */
enum mixture { NONE, ALL, SOME };

/* NONE also if an item isn't a request, which mpi4py reports. */
static enum mixture mixture_of(PyObject *const *items, Py_ssize_t count) {
    Py_ssize_t objects = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!PyObject_TypeCheck(items[i], mpi4py.request_type))
            return NONE;
        objects += inner(items[i]) != NULL;
    }
    return objects == 0 ? NONE : objects == count ? ALL : SOME;
}

/* Of any sequence that mpi4py accepts. */
static enum mixture mixture_of_sequence(PyObject *given) {
    if (PyList_Check(given) || PyTuple_Check(given))
        return mixture_of(PySequence_Fast_ITEMS(given), PySequence_Fast_GET_SIZE(given));
    PyObject *list = PyObject_Size(given) < 0 ? NULL : PySequence_List(given);
    enum mixture mixture = list ? mixture_of(PySequence_Fast_ITEMS(list), PyList_GET_SIZE(list)) : NONE;
    PyErr_Clear();
    Py_XDECREF(list);
    return mixture;
}

/* Wait for requests that are all of objects: the list of their values. The list of requests may change
 * meanwhile, and contain a request twice. */
static PyObject *wait_objects(PyObject *given) {
    PyObject *requests = PySequence_Tuple(given);
    Py_ssize_t count = requests ? PyTuple_GET_SIZE(requests) : 0;
    PyObject *waited = requests ? PyTuple_New(count) : NULL, *values = waited ? PyList_New(count) : NULL;
    for (Py_ssize_t i = 0; values && i < count; i++)
        PyTuple_SET_ITEM(waited, i, Py_NewRef(inner(PyTuple_GET_ITEM(requests, i))));
    for (Py_ssize_t i = 0; values && i < count; i++) {
        PyObject *value = finish(PyTuple_GET_ITEM(requests, i), PyTuple_GET_ITEM(waited, i), NULL);
        if (value)
            PyList_SET_ITEM(values, i, value);
        else
            Py_CLEAR(values);
    }
    Py_XDECREF(waited);
    Py_XDECREF(requests);
    return values;
}

typedef struct {
    const char *name;
    PyObject *before, *mixed; /* mpi4py's; that of polympi.mpi4py.several, if some are of objects */
} Several;

/* The requests among the arguments, borrowed, or NULL. */
static PyObject *requests_among(FASTCALL_ARGS) {
    if (nargs > 0)
        return args[0];
    for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); i++)
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, i), "requests") == 0)
            return args[i];
    return NULL;
}

/* A call on several requests: mpi4py's own method where none is of objects. */
static PyObject *call_several(const Several *several, FASTCALL_ARGS) {
    PyObject *given = requests_among(args, nargs, kwnames);
    enum mixture mixture = given ? mixture_of_sequence(given) : NONE;
    if (mixture == NONE)
        return PyObject_Vectorcall(several->before, args, (size_t)nargs, kwnames);
    if (mixture == ALL && nargs == 1 && !kwnames && (PyList_Check(given) || PyTuple_Check(given)) &&
        !strcasecmp(several->name, "waitall")) {
        PyObject *values = wait_objects(given);
        if (!values || several->name[0] == 'w')
            return values;
        Py_DECREF(values);
        Py_RETURN_TRUE;
    }
    return PyObject_Vectorcall(several->mixed, args, (size_t)nargs, kwnames);
}

/* clang-format off */
#define SEVERAL_METHODS(X)                                                                                   \
    X(waitall) X(testall) X(waitany) X(testany) X(waitsome) X(testsome)                                      \
    X(Waitall) X(Testall) X(Waitany) X(Testany) X(Waitsome) X(Testsome)                                      \
    X(get_status_all) X(get_status_any) X(get_status_some)                                                   \
    X(Get_status_all) X(Get_status_any) X(Get_status_some)
/* clang-format on */

#define SEVERAL(method)                                                                                      \
    static Several several_##method = {.name = #method};                                                     \
    static PyObject *call_##method(PyObject *Py_UNUSED(cls), FASTCALL_ARGS) {                                \
        return call_several(&several_##method, args, nargs, kwnames);                                        \
    }
SEVERAL_METHODS(SEVERAL)

#define ADDRESS(method) &several_##method,
static Several *const all_several[] = {SEVERAL_METHODS(ADDRESS)};
#define DEFINITION(method)                                                                                   \
    {#method, (PyCFunction)(void (*)(void))call_##method, METH_FASTCALL | METH_KEYWORDS, ""},
static PyMethodDef several_methods[] = {SEVERAL_METHODS(DEFINITION)};

/* Replace the method of the class, if mpi4py has it. */
static int take_over_several(Several *several, PyMethodDef *method, PyObject *module) {
    PyObject *type = (PyObject *)mpi4py.request_type;
    several->before = PyObject_GetAttrString(type, several->name);
    several->mixed = PyObject_GetAttrString(module, several->name);
    if (!several->before || !several->mixed)
        return -1;
    PyObject *text = PyObject_GetAttrString(several->before, "__doc__");
    if (text && PyUnicode_Check(text))
        method->ml_doc = PyUnicode_AsUTF8(text); /* kept with what was there before */
    PyObject *descriptor = text ? PyDescr_NewClassMethod(mpi4py.request_type, method) : NULL;
    int failed = descriptor ? set_anyway(mpi4py.request_type, several->name, descriptor) : -1;
    Py_XDECREF(descriptor);
    return failed;
}

/* ---- waiting for some of several ---- */

typedef struct {
    PyObject *look, *found;
} Search;

/* Call the Python function: 1 if it has found something, 0 if not, -1 with an exception. */
static int look_once(void *context) {
    Search *search = context;
    PyObject *found = PyObject_CallNoArgs(search->look);
    if (!found)
        return -1;
    if (found != Py_None) {
        search->found = found;
        return 1;
    }
    Py_DECREF(found);
    return 0;
}

PyObject *wait_until(PyObject *Py_UNUSED(module), PyObject *args) {
    Search search = {NULL, NULL};
    Call call = {.rank = state.world_rank, .peer = NO_PEER, .tag = NO_TAG};
    if (!PyArg_ParseTuple(args, "Os", &search.look, &call.operation))
        return NULL;
    return wait_poll(look_once, &search, &call, DEFAULT_TIMEOUT) < 0 ? NULL : search.found;
}

/* ---- the start ---- */

/* The offset of the reference to the buffer in objects of a class of mpi4py: the only None in a new one,
 * which copies share. -1 with LibraryError. */
static Py_ssize_t find_kept(PyTypeObject *type) {
    Py_ssize_t found = -1;
    PyObject *made = type->tp_new(type, no_arguments, NULL);
    if (!made)
        return -1;
    for (Py_ssize_t offset = sizeof(PyObject); offset + (Py_ssize_t)sizeof(PyObject *) <= type->tp_basicsize;
         offset += sizeof(PyObject *))
        if (*(PyObject **)((char *)made + offset) == Py_None)
            found = found < 0 ? offset : type->tp_basicsize;
    PyObject *copy = NULL;
    if (found >= 0 && found < type->tp_basicsize) {
        keep_in(made, found, Py_NewRef(Py_NotImplemented));
        copy = PyObject_CallOneArg((PyObject *)type, made);
    }
    bool shared = copy && *(PyObject **)((char *)copy + found) == Py_NotImplemented;
    Py_XDECREF(copy);
    Py_DECREF(made);
    if (shared || PyErr_Occurred())
        return shared ? found : -1;
    return raise_error("LibraryError", NULL,
                       "this version of mpi4py keeps its requests in a way that polympi does not know: use "
                       "mpi4py 4, or mpi4py without polympi");
}

int mpi4py_requests_prepare(PyObject *module) {
    for (PyMethodDef *method = Request_Type.tp_methods; method->ml_name; method++) {
        if (!strcmp(method->ml_name, "wait"))
            wait_method = (Method)(void (*)(void))method->ml_meth;
        if (!strcmp(method->ml_name, "test"))
            test_method = method->ml_meth;
        if (!strcmp(method->ml_name, "cancel"))
            cancel_method = method->ml_meth;
    }
    no_arguments = PyTuple_New(0);
    mpi4py.message_type = (PyTypeObject *)PyObject_GetAttrString(module, "Message");
    if (!no_arguments || !mpi4py.message_type || PREPARE_SIGNATURES(&wait_names) < 0 ||
        (mpi4py.request_kept = find_kept(mpi4py.request_type)) < 0 ||
        (mpi4py.message_kept = find_kept(mpi4py.message_type)) < 0)
        return -1;
    PyObject *several = PyImport_ImportModule("polympi.mpi4py.several");
    int failed = several ? 0 : -1;
    for (size_t i = 0; failed == 0 && i < sizeof all_several / sizeof *all_several; i++)
        failed = take_over_several(all_several[i], &several_methods[i], several);
    Py_XDECREF(several);
    return failed;
}

#endif
