/* What a receive or probe returns in addition to the object. */
#include "python/interface/request.h"

PyTypeObject *Status_Type;

static PyStructSequence_Field fields[] = {
    {"source", "rank that sent the message"},
    {"tag", "its tag"},
    {"elements", "of an array, 1 for any other object; None after a probe"},
    {"nbytes", "bytes of the data; None after a probe"},
    {NULL, NULL},
};

static PyStructSequence_Desc description = {
    .name = "polympi.Status",
    .doc = "What is known of a message: source, tag, elements and nbytes (MPI 5.0, section 3.2.5).",
    .fields = fields,
    .n_in_sequence = 4,
};

int status_prepare(void) {
    Status_Type = PyStructSequence_NewType(&description);
    return Status_Type ? 0 : -1;
}

static PyObject *known(Py_ssize_t number) {
    if (number < 0)
        Py_RETURN_NONE;
    return PyLong_FromSsize_t(number);
}

PyObject *status_object(const Status *status) {
    PyObject *made = PyStructSequence_New(Status_Type);
    if (!made)
        return NULL;
    PyStructSequence_SetItem(made, 0, PyLong_FromLong(status->source));
    PyStructSequence_SetItem(made, 1, PyLong_FromLong(status->tag));
    PyStructSequence_SetItem(made, 2, known(status->elements));
    PyStructSequence_SetItem(made, 3, known(status->nbytes));
    if (PyErr_Occurred())
        Py_CLEAR(made);
    return made;
}

PyObject *with_status(PyObject *value, const Status *status, PyObject *wanted) {
    if (likely(!wanted || !value || wanted == Py_False))
        return value;
    int true_value = PyObject_IsTrue(wanted);
    if (true_value == 0)
        return value;
    PyObject *found = true_value > 0 ? status_object(status) : NULL;
    PyObject *both = found ? PyTuple_Pack(2, value, found) : NULL;
    Py_XDECREF(found);
    Py_DECREF(value);
    return both;
}
