/* Requests for mpi4py programs: of objects, which are requests of the core, and of arrays, which are MPI's.
 */
#include "python/mpi4py.h"

#ifndef POLYMPI_SERIAL

#include <string.h>
#include <strings.h>

typedef PyObject *(*Method)(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
static Method wait_method;
static PyCFunction test_method, cancel_method;
static PyObject *no_arguments; /* () */

static Signature wait_names = {"wait", 1, 0, 1, {"status"}, {NULL}};

static inline PyObject **slot(PyObject *object, Py_ssize_t offset) {
    return (PyObject **)((char *)object + offset);
}

/* ---- making them ---- */

/* An object of a class below one of mpi4py's; `held`, stolen, in its slot. */
static PyObject *make(PyTypeObject *type, Py_ssize_t offset, PyObject *held) {
    PyObject *made = held ? type->tp_new(type, no_arguments, NULL) : NULL;
    if (made)
        *slot(made, offset) = held;
    else
        Py_XDECREF(held);
    return made;
}

PyObject *object_request(PyObject *request) { return make(mpi4py.object_request, mpi4py.inner, request); }

PyObject *matched_message(PyObject *request) { return make(mpi4py.message, mpi4py.message_inner, request); }

PyObject *buffer_request(MPI_Request request, PyObject *memory) {
    PyObject *made = make(mpi4py.buffer_request, mpi4py.memory, Py_NewRef(memory));
    if (made)
        *request_of(made) = request;
    return made;
}

/* ---- of objects ---- */

enum { CANCELLED = -199 }; /* a source in the status of a receive that was given up */

/* What is known of a request that is complete. */
static void tell(const Request *request, MPI_Status *status) {
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

/* Wait, and forget the request of the core: its value, or NULL. */
static PyObject *finish(PyObject *self, MPI_Status *status) {
    PyObject **place = slot(self, mpi4py.inner), *inner = Py_XNewRef(*place);
    if (!inner) {
        if (status)
            empty_status(status);
        Py_RETURN_NONE;
    }
    PyObject *value = wait_method(inner, NULL, 0, NULL);
    const Request *request = (Request *)inner;
    if (value || (request->kind == COMPLETE && !request->value)) { /* or it has failed, once for all */
        Py_CLEAR(*place);
        if (request->status.source != PROC_NULL)
            receive_closed();
        tell(request, status);
    }
    Py_DECREF(inner);
    return told(value);
}

/* Whether it is complete: 1, 0, or -1 with an exception. */
static int is_complete(PyObject *self) {
    PyObject *inner = Py_XNewRef(*slot(self, mpi4py.inner));
    PyObject *complete = inner ? test_method(inner, NULL) : Py_NewRef(Py_True);
    Py_XDECREF(inner);
    if (!complete) {
        mpi4py_exception();
        return -1;
    }
    Py_DECREF(complete);
    return complete == Py_True;
}

static bool parse_status(PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames, MPI_Status **status) {
    PyObject *values[MOST_ARGUMENTS];
    *status = NULL;
    if (signature_parse(&wait_names, args, nargs, kwnames, values) < 0)
        return false;
    if (!take_status(values[0], status)) {
        PyErr_Format(PyExc_TypeError, "expected mpi4py.MPI.Status, got %.100s", Py_TYPE(values[0])->tp_name);
        return false;
    }
    return true;
}

static PyObject *request_wait(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    MPI_Status *status;
    return parse_status(args, nargs, kwnames, &status) ? finish(self, status) : NULL;
}

static PyObject *request_Wait(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    PyObject *value = request_wait(self, args, nargs, kwnames);
    Py_XDECREF(value);
    return value ? Py_NewRef(Py_True) : NULL;
}

static PyObject *request_test(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    MPI_Status *status;
    int complete = parse_status(args, nargs, kwnames, &status) ? is_complete(self) : -1;
    if (complete < 0)
        return NULL;
    if (!complete)
        return PyTuple_Pack(2, Py_False, Py_None);
    PyObject *value = finish(self, status), *result = value ? PyTuple_Pack(2, Py_True, value) : NULL;
    Py_XDECREF(value);
    return result;
}

static PyObject *request_Test(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    MPI_Status *status;
    int complete = parse_status(args, nargs, kwnames, &status) ? is_complete(self) : -1;
    if (complete <= 0)
        return complete < 0 ? NULL : Py_NewRef(Py_False);
    PyObject *value = finish(self, status);
    Py_XDECREF(value);
    return value ? Py_NewRef(Py_True) : NULL;
}

static PyObject *request_get_status(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                                    PyObject *kwnames) {
    MPI_Status *status;
    int complete = parse_status(args, nargs, kwnames, &status) ? is_complete(self) : -1;
    if (complete < 0)
        return NULL;
    PyObject *inner = *slot(self, mpi4py.inner);
    if (complete && inner)
        tell((Request *)inner, status);
    else if (complete && status)
        empty_status(status);
    return PyBool_FromLong(complete);
}

/* A receive that no message has come for is given up; it is complete then. A send goes on. */
static PyObject *request_cancel(PyObject *self, PyObject *Py_UNUSED(unused)) {
    PyObject *inner = Py_XNewRef(*slot(self, mpi4py.inner));
    PyObject *cancelled = inner ? cancel_method(inner, NULL) : Py_NewRef(Py_False);
    if (cancelled == Py_True)
        ((Request *)inner)->status.source = CANCELLED;
    Py_XDECREF(inner);
    Py_XDECREF(cancelled);
    return cancelled ? Py_NewRef(Py_None) : told(NULL);
}

#define METHOD(name, function, documentation)                                                                \
    { name, (PyCFunction)(void (*)(void))function, METH_FASTCALL | METH_KEYWORDS, documentation }

static PyMethodDef object_methods[] = {
    METHOD("wait", request_wait,
           "wait($self, status=None)\n--\n\nWait for it; the object received, or None."),
    METHOD("Wait", request_Wait, "Wait($self, status=None)\n--\n\nWait for it; True."),
    METHOD("test", request_test,
           "test($self, status=None)\n--\n\nWhether it is complete, and the object received, or None."),
    METHOD("Test", request_Test, "Test($self, status=None)\n--\n\nWhether it is complete."),
    METHOD("get_status", request_get_status,
           "get_status($self, status=None)\n--\n\nWhether it is complete; it may still be waited for."),
    METHOD("Get_status", request_get_status,
           "Get_status($self, status=None)\n--\n\nWhether it is complete; it may still be waited for."),
    {"cancel", request_cancel, METH_NOARGS,
     "cancel($self, /)\n--\n\nGive up a receive that no message has come for."},
    {"Cancel", request_cancel, METH_NOARGS,
     "Cancel($self, /)\n--\n\nGive up a receive that no message has come for."},
    {NULL, NULL, 0, NULL},
};

/* ---- of arrays ---- */

/* Wait as the core does. What a signal handler raises leaves the request as it is. */
static PyObject *buffer_wait(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    const Call call = {.operation = "wait", .rank = state.world_rank, .peer = NO_PEER, .tag = NO_TAG};
    MPI_Status *wanted, status;
    if (!parse_status(args, nargs, kwnames, &wanted) || !is_running())
        return NULL;
    MPI_Request *place = request_of(self), request = *place;
    Py_INCREF(self);
    int failed = wait_for(&request, 1, &status, &call, DEFAULT_TIMEOUT);
    *place = request;
    if (wanted && failed == 0)
        *wanted = status;
    Py_DECREF(self);
    return failed < 0 ? told(NULL) : Py_NewRef(Py_True);
}

static PyMethodDef buffer_methods[] = {
    METHOD("Wait", buffer_wait, "Wait($self, status=None)\n--\n\nWait for it; True."),
    {NULL, NULL, 0, NULL},
};

/* ---- several ---- */

/* Requests of objects among several: none, all, or some of them. */
enum mixture { NONE, ALL, SOME };

static enum mixture mixture_of(PyObject *requests) {
    Py_ssize_t count = PySequence_Fast_GET_SIZE(requests), objects = 0;
    PyObject **items = PySequence_Fast_ITEMS(requests);
    for (Py_ssize_t i = 0; i < count; i++)
        objects += Py_IS_TYPE(items[i], mpi4py.object_request);
    return objects == 0 ? NONE : objects == count ? ALL : SOME;
}

/* Wait for requests that are all of objects: the list of their values. */
static PyObject *wait_objects(PyObject *given) {
    PyObject *requests = PySequence_Tuple(given); /* the list may change meanwhile */
    PyObject *values = requests ? PyList_New(PyTuple_GET_SIZE(requests)) : NULL;
    for (Py_ssize_t i = 0; values && i < PyTuple_GET_SIZE(requests); i++) {
        PyObject *value = finish(PyTuple_GET_ITEM(requests, i), NULL);
        if (value)
            PyList_SET_ITEM(values, i, value);
        else
            Py_CLEAR(values);
    }
    Py_XDECREF(requests);
    return values;
}

typedef struct {
    const char *name;
    PyObject *before, *mixed; /* of mpi4py; of polympi.mpi4py.several, for those of objects */
} Several;

/* A call on several requests: mpi4py's own method where none is of objects. */
static PyObject *call_several(const Several *several, PyObject *const *args, Py_ssize_t nargs,
                              PyObject *kwnames) {
    bool plain = nargs == 1 && !kwnames;
    if (nargs < 1 || !(PyList_Check(args[0]) || PyTuple_Check(args[0])))
        return PyObject_Vectorcall(nargs < 1 ? several->before : several->mixed, args, (size_t)nargs,
                                   kwnames);
    enum mixture mixture = mixture_of(args[0]);
    if (mixture == NONE)
        return PyObject_Vectorcall(several->before, args, (size_t)nargs, kwnames);
    if (mixture == ALL && plain && !strcasecmp(several->name, "waitall")) {
        PyObject *values = wait_objects(args[0]);
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
    static PyObject *call_##method(PyObject *Py_UNUSED(cls), PyObject *const *args, Py_ssize_t nargs,        \
                                   PyObject *kwnames) {                                                      \
        return call_several(&several_##method, args, nargs, kwnames);                                        \
    }
SEVERAL_METHODS(SEVERAL)

#define ADDRESS(method) &several_##method,
static Several *const all_several[] = {SEVERAL_METHODS(ADDRESS)};
#define DEFINITION(method) METHOD(#method, call_##method, ""),
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

/* ---- the start ---- */

static int add_methods(PyTypeObject *type, PyMethodDef *methods) {
    for (PyMethodDef *method = methods; method->ml_name; method++) {
        PyObject *descriptor = PyDescr_NewMethod(type, method);
        int failed = descriptor ? PyObject_SetAttrString((PyObject *)type, method->ml_name, descriptor) : -1;
        Py_XDECREF(descriptor);
        if (failed < 0)
            return -1;
    }
    return 0;
}

int mpi4py_requests_prepare(void) {
    for (PyMethodDef *method = Request_Type.tp_methods; method->ml_name; method++) {
        if (!strcmp(method->ml_name, "wait"))
            wait_method = (Method)(void (*)(void))method->ml_meth;
        if (!strcmp(method->ml_name, "test"))
            test_method = method->ml_meth;
        if (!strcmp(method->ml_name, "cancel"))
            cancel_method = method->ml_meth;
    }
    no_arguments = PyTuple_New(0);
    if (!no_arguments || signature_prepare(&wait_names) < 0 ||
        add_methods(mpi4py.object_request, object_methods) < 0 ||
        add_methods(mpi4py.buffer_request, buffer_methods) < 0)
        return -1;
    PyObject *module = PyImport_ImportModule("polympi.mpi4py.several");
    int failed = module ? 0 : -1;
    for (size_t i = 0; failed == 0 && i < sizeof all_several / sizeof *all_several; i++)
        failed = take_over_several(all_several[i], &several_methods[i], module);
    Py_XDECREF(module);
    return failed;
}

#endif
