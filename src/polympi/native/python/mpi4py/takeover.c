/* Replacing mpi4py's methods, and access to its objects. */
#include "python/mpi4py/mpi4py.h"

#ifndef POLYMPI_SERIAL

Mpi4py mpi4py;

/* ---- replacing methods ---- */

int set_anyway(PyTypeObject *type, const char *name, PyObject *value) {
    unsigned long immutable = type->tp_flags & Py_TPFLAGS_IMMUTABLETYPE;
    type->tp_flags &= ~Py_TPFLAGS_IMMUTABLETYPE;
    int failed = PyObject_SetAttrString((PyObject *)type, name, value);
    type->tp_flags |= immutable;
    return failed;
}

static PyObject *replace(PyObject *Py_UNUSED(module), PyObject *args) {
    PyTypeObject *type;
    const char *name;
    PyObject *value;
    if (!PyArg_ParseTuple(args, "O!sO", &PyType_Type, &type, &name, &value) ||
        set_anyway(type, name, value) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static int take_over_one(PyTypeObject *type, Takeover *takeover) {
    takeover->before = PyObject_GetAttrString((PyObject *)type, takeover->method.ml_name);
    PyObject *text = takeover->before ? PyObject_GetAttrString(takeover->before, "__doc__") : NULL;
    takeover->method.ml_flags = METH_FASTCALL | METH_KEYWORDS;
    if (text && PyUnicode_Check(text))
        takeover->method.ml_doc = PyUnicode_AsUTF8(text); /* which `before` keeps alive */
    PyObject *method = text ? PyDescr_NewMethod(type, &takeover->method) : NULL;
    int failed = method ? set_anyway(type, takeover->method.ml_name, method) : -1;
    Py_XDECREF(method);
    return failed;
}

int take_over(PyObject *module, Takeover *takeovers) {
    for (Takeover *takeover = takeovers; takeover->owner; takeover++) {
        PyObject *type = PyObject_GetAttrString(module, takeover->owner);
        int failed = !type ? -1
                     : PyObject_HasAttrString(type, takeover->method.ml_name)
                         ? take_over_one((PyTypeObject *)type, takeover)
                         : 0;
        Py_XDECREF(type);
        if (failed < 0)
            return -1;
    }
    return 0;
}

PyObject *call_before(const Takeover *takeover, PyObject *self, FASTCALL_ARGS) {
    PyObject *few[MOST_ARGUMENTS + 1], **all = few;
    Py_ssize_t total = nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
    if (total > MOST_ARGUMENTS && !(all = PyMem_Malloc((size_t)(total + 1) * sizeof *all)))
        return PyErr_NoMemory();
    all[0] = self;
    for (Py_ssize_t i = 0; i < total; i++)
        all[i + 1] = args[i];
    PyObject *result = PyObject_Vectorcall(takeover->before, all, (size_t)(nargs + 1), kwnames);
    if (all != few)
        PyMem_Free(all);
    return result;
}

/* ---- results ---- */

void fill_status(MPI_Status *status, const Status *known, bool cancelled) {
    if (!status)
        return;
    status->MPI_SOURCE = known->source == ANY_SOURCE  ? MPI_ANY_SOURCE
                         : known->source == PROC_NULL ? MPI_PROC_NULL
                                                      : known->source;
    status->MPI_TAG = known->tag < 0 ? MPI_ANY_TAG : known->tag;
    int nbytes = known->nbytes < 0 ? 0 : known->nbytes > INT_MAX ? INT_MAX : (int)known->nbytes;
    MPI_Status_set_elements(status, MPI_BYTE, nbytes);
    MPI_Status_set_cancelled(status, cancelled);
}

void empty_status(MPI_Status *status) {
    fill_status(status, &(Status){.source = ANY_SOURCE, .tag = ANY_TAG}, false);
}

PyObject *raise_mpi4py(int code) {
    PyObject *number = PyLong_FromLong(code);
    PyObject *error = number ? PyObject_CallOneArg(mpi4py.exception, number) : NULL;
    if (error)
        PyErr_SetObject(mpi4py.exception, error);
    Py_XDECREF(error);
    Py_XDECREF(number);
    return NULL;
}

PyObject *mpi4py_exception(void) {
    PyObject *error = take_exception();
    PyObject *code = error ? PyObject_GetAttrString(error, "code") : NULL;
    PyErr_Clear();
    if (code && PyLong_Check(code) && PyErr_GivenExceptionMatches(error, PyExc_Exception) &&
        !PyErr_GivenExceptionMatches(error, PyExc_SystemExit)) {
        PyObject *translated = PyObject_CallOneArg(mpi4py.exception, code);
        if (translated) {
            PyException_SetContext(translated, error);
            PyErr_SetObject(mpi4py.exception, translated);
            Py_DECREF(translated);
        } else
            Py_DECREF(error);
    } else
        restore_exception(error);
    Py_XDECREF(code);
    return NULL;
}

/* ---- mpi4py's C interface ---- */

static void *capsule_of(PyObject *interface, const char *name) {
    PyObject *capsule = PyMapping_GetItemString(interface, name);
    void *function = capsule ? PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)) : NULL;
    Py_XDECREF(capsule);
    return function;
}

/* The offset of the handle in an object of a class of mpi4py. */
static Py_ssize_t offset_in(PyObject *module, PyObject *interface, const char *class, PyTypeObject **type,
                            const char *getter) {
    void *(*get)(PyObject *) = (void *(*)(PyObject *))capsule_of(interface, getter);
    *type = (PyTypeObject *)PyObject_GetAttrString(module, class);
    PyObject *object = get && *type ? PyObject_CallNoArgs((PyObject *)*type) : NULL;
    char *handle = object ? get(object) : NULL;
    Py_ssize_t offset = handle ? handle - (char *)object : -1;
    Py_XDECREF(object);
    return offset;
}

static int find_offsets(PyObject *module) {
    PyObject *interface = PyObject_GetAttrString(module, "__pyx_capi__");
    if (!interface)
        return -1;
    mpi4py.comm = offset_in(module, interface, "Comm", &mpi4py.comm_type, "PyMPIComm_Get");
    if (mpi4py.comm >= 0)
        mpi4py.status = offset_in(module, interface, "Status", &mpi4py.status_type, "PyMPIStatus_Get");
    if (mpi4py.comm >= 0 && mpi4py.status >= 0)
        mpi4py.request = offset_in(module, interface, "Request", &mpi4py.request_type, "PyMPIRequest_Get");
    if (mpi4py.comm >= 0 && mpi4py.status >= 0 && mpi4py.request >= 0)
        mpi4py.op = offset_in(module, interface, "Op", &mpi4py.op_type, "PyMPIOp_Get");
    Py_DECREF(interface);
    return PyErr_Occurred() ? -1 : 0;
}

/* Whether mpi4py and this core use the same library: then its world has this core's handle. */
static int check_library(PyObject *module) {
    PyObject *world = PyObject_GetAttrString(module, "COMM_WORLD");
    if (!world)
        return -1;
    bool same = handle_of(world) == MPI_COMM_WORLD;
    Py_DECREF(world);
    if (!same)
        return raise_error(
            "LibraryError", NULL,
            "mpi4py uses an MPI library of another ABI than polympi: choose one for both, with "
            "MPI4PY_MPIABI and POLYMPI_MPI, or with MPI4PY_LIBMPI and POLYMPI_LIBMPI");
    return 0;
}

/* accelerate(MPI, help): replace methods of mpi4py's module. */
static PyObject *accelerate(PyObject *Py_UNUSED(module), PyObject *args) {
    PyObject *module, *help;
    if (!PyArg_ParseTuple(args, "OO", &module, &help))
        return NULL;
    if (find_offsets(module) < 0 || check_library(module) < 0)
        return NULL;
    plain_pickles = true;
    mpi4py.help = Py_NewRef(help);
    mpi4py.exception = PyObject_GetAttrString(module, "Exception");
    if (!mpi4py.exception)
        return NULL;
    if (mpi4py_objects_prepare() < 0 || mpi4py_collectives_prepare() < 0 || mpi4py_buffers_prepare() < 0 ||
        mpi4py_requests_prepare(module) < 0 || mpi4py_probes_prepare() < 0)
        return NULL;
    if (take_over(module, object_takeovers) < 0 || take_over(module, collective_takeovers) < 0 ||
        take_over(module, buffer_takeovers) < 0 || take_over(module, probe_takeovers) < 0 ||
        take_over(module, freeing_takeovers) < 0 || take_over(module, request_takeovers) < 0 ||
        take_over(module, message_takeovers) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *set_pickled(PyObject *Py_UNUSED(module), PyObject *function) {
    Py_XSETREF(mpi4py.pickled, function == Py_None ? NULL : Py_NewRef(function));
    Py_RETURN_NONE;
}

/* Fill a Status of mpi4py from Python, with source and tag as in a Status of the core. */
static PyObject *tell_status(PyObject *Py_UNUSED(module), PyObject *args) {
    PyObject *object, *nbytes;
    Status known = {.elements = -1};
    MPI_Status *status;
    int cancelled;
    if (!PyArg_ParseTuple(args, "OiiOp", &object, &known.source, &known.tag, &nbytes, &cancelled))
        return NULL;
    if (!take_status(object, &status))
        return PyErr_Format(PyExc_TypeError, "expected mpi4py.MPI.Status, got %.100s",
                            Py_TYPE(object)->tp_name);
    known.nbytes = nbytes == Py_None ? 0 : PyLong_AsSsize_t(nbytes);
    if (PyErr_Occurred())
        return NULL;
    fill_status(status, &known, cancelled);
    Py_RETURN_NONE;
}

PyMethodDef mpi4py_functions[] = {
    {"mpi4py_accelerate", accelerate, METH_VARARGS,
     "mpi4py_accelerate($module, mpi, help, /)\n--\n\n"
     "Replace methods of mpi4py's classes. LibraryError: it uses another MPI library."},
    {"mpi4py_open", open_attachments, METH_VARARGS,
     "mpi4py_open($module, type, world, /)\n--\n\n"
     "From now on, mpi4py's communicators have Communicators of this class. All ranks of the world call it."},
    {"mpi4py_is_attached", is_attached, METH_O,
     "mpi4py_is_attached($module, comm, /)\n--\n\nWhether the methods of a communicator of mpi4py are ours."},
    {"mpi4py_is_joint", is_joint, METH_O,
     "mpi4py_is_joint($module, comm, /)\n--\n\n"
     "Whether it has had its first collective of objects, and what that needs."},
    {"mpi4py_replace", replace, METH_VARARGS,
     "mpi4py_replace($module, type, name, value, /)\n--\n\nSet an attribute of a class of mpi4py."},
    {"mpi4py_pickled", set_pickled, METH_O,
     "mpi4py_pickled($module, function, /)\n--\n\nSend function(object) instead of each object; None: the "
     "objects."},
    {"mpi4py_stop", stop_helper, METH_NOARGS,
     "mpi4py_stop($module, /)\n--\n\nStop the progress thread, before the interpreter ends."},
    {"mpi4py_wait_until", wait_until, METH_VARARGS,
     "mpi4py_wait_until($module, look, operation, /)\n--\n\n"
     "Wait until look() doesn't return None, and return its result. Timeout names the operation."},
    {"mpi4py_is_of_object", is_of_object, METH_O,
     "mpi4py_is_of_object($module, request, /)\n--\n\nWhether a request of mpi4py is of an object."},
    {"mpi4py_copy_status", copy_status, METH_VARARGS,
     "mpi4py_copy_status($module, status, found, /)\n--\n\nCopy a Status of mpi4py to another one."},
    {"mpi4py_status", tell_status, METH_VARARGS,
     "mpi4py_status($module, status, source, tag, nbytes, cancelled, /)\n--\n\nFill a Status of mpi4py."},
    {NULL, NULL, 0, NULL},
};

#else

PyMethodDef mpi4py_functions[] = {{NULL, NULL, 0, NULL}};

#endif
