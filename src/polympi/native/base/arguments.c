#include "base/arguments.h"

#include "base/errors.h"

int signatures_prepare(Signature *const *signatures) {
    for (; *signatures; signatures++)
        for (int i = 0; i < (*signatures)->total; i++)
            if (!((*signatures)->names[i] = PyUnicode_InternFromString((*signatures)->texts[i])))
                return -1;
    return 0;
}

static int find_name(const Signature *signature, PyObject *name) {
    for (int i = 0; i < signature->total; i++)
        if (signature->names[i] == name)
            return i;
    for (int i = 0; i < signature->total; i++) { /* a name that was built at run time: f(**{...}) */
        int equal = PyUnicode_Compare(signature->names[i], name);
        if (equal == 0)
            return i;
        if (equal == -1 && PyErr_Occurred())
            return -1;
    }
    PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", signature->function, name);
    return -1;
}

int signature_parse_slowly(const Signature *signature, PyObject *const *args, Py_ssize_t nargs,
                           PyObject *kwnames, PyObject **values) {
    if (nargs > signature->positional) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional arguments (%zd given)",
                     signature->function, signature->positional, nargs);
        return -1;
    }
    for (int i = 0; i < signature->total; i++)
        values[i] = i < nargs ? args[i] : NULL;
    Py_ssize_t keywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    for (Py_ssize_t k = 0; k < keywords; k++) {
        int i = find_name(signature, PyTuple_GET_ITEM(kwnames, k));
        if (i < 0)
            return -1;
        if (values[i]) {
            PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'", signature->function,
                         signature->texts[i]);
            return -1;
        }
        values[i] = args[nargs + k];
    }
    for (int i = 0; i < signature->required; i++)
        if (!values[i]) {
            PyErr_Format(PyExc_TypeError, "%s() missing required argument '%s'", signature->function,
                         signature->texts[i]);
            return -1;
        }
    return 0;
}

int parse_int_slowly(PyObject *value, int *out, const char *function, const char *name) {
    if (!PyIndex_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s(): %s must be an integer, not %.100s", function, name,
                     Py_TYPE(value)->tp_name);
        return -1;
    }
    Py_ssize_t number = PyNumber_AsSsize_t(value, PyExc_OverflowError);
    if (number == -1 && PyErr_Occurred())
        return -1;
    if (number != (int)number) {
        PyErr_Format(PyExc_OverflowError, "%s(): %s is %zd, which is not a rank or tag in any MPI library",
                     function, name, number);
        return -1;
    }
    *out = (int)number;
    return 0;
}

int parse_timeout(PyObject *value, double *timeout, const char *function) {
    *timeout = DEFAULT_TIMEOUT;
    if (!value || value == Py_None)
        return 0;
    double seconds = PyFloat_AsDouble(value);
    if (seconds == -1.0 && PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_TypeError))
            PyErr_Format(PyExc_TypeError, "%s(): timeout must be a number of seconds, not %.100s", function,
                         Py_TYPE(value)->tp_name);
        return -1;
    }
    if (!(seconds > 0)) {
        PyErr_Format(PyExc_ValueError, "%s(): timeout is %R, but must be a positive number of seconds",
                     function, value);
        return -1;
    }
    *timeout = seconds;
    return 0;
}

int check_special_rank(int rank, int size, enum specials specials, const Call *call) {
    if (rank == PROC_NULL && specials != ROOT)
        return 0;
    if (rank == ANY_SOURCE && specials == SOURCE)
        return 0;
    const char *role = specials == ROOT ? "root" : specials == SOURCE ? "source" : "dest";
    if (rank == ANY_SOURCE)
        return raise_error("RankError", call, "ANY_SOURCE is not a %s: name the rank to %s", role,
                           specials == ROOT ? "collect at" : "send to");
    if (rank == PROC_NULL)
        return raise_error("RankError", call,
                           "PROC_NULL cannot be the root of a collective operation: name a rank");
    return raise_error("RankError", call, "%s is %d, but the ranks of %s are 0 to %d", role, rank,
                       call->rank <= OUTSIDE ? "the remote group" : "this communicator", size - 1);
}

int raise_tag(const Call *call) {
    if (call->tag == ANY_TAG)
        return raise_error("TagError", call, "ANY_TAG is for receives: give the message a tag from 0 to %d",
                           state.highest_tag);
    return raise_error("TagError", call, "tag is %d, but tags are 0 to %d here", call->tag,
                       state.highest_tag);
}
