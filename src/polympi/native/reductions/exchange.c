/* Messages with which polympi.reductions combines objects in Python, and their tree. */
#include "base/arguments.h"
#include "base/errors.h"
#include "codec/stream.h"
#include "collectives/tree_position.h"
#include "reductions/reductions.h"
#include "transfer/receive/incoming.h"

Signature _exchange_signature = {"_exchange", 5, 5, 5, {"call", "obj", "dest", "source", "error_report"},
                                 {NULL}};

/* Encode the object; if that fails, error_report(exception). 0 or -1. */
static int encode_or_report(Stream *stream, PyObject *value, PyObject *error_report) {
    if (likely(codec_encode(stream, value) == 0) || !PyErr_ExceptionMatches(PyExc_Exception))
        return PyErr_Occurred() ? -1 : 0;
    PyObject *error = take_exception();
    PyObject *instead = error ? PyObject_CallOneArg(error_report, error) : NULL;
    Py_XDECREF(error);
    stream_rewind(stream, 0, 0);
    int failed = instead ? codec_encode(stream, instead) : -1;
    Py_XDECREF(instead);
    return failed;
}

/* Send to one rank while a receive from another is posted (NULL: none); the received object. */
static PyObject *exchange_objects(Collective *collective, PyObject *value, PyObject *error_report, int dest,
                                  Incoming *in) {
    Outgoing out;
    PyObject *come = NULL;
    bool sending = dest != PROC_NULL,
         failed = sending && outgoing_open(&out, collective->comm, &collective->call) < 0;
    bool opened = sending && !failed;
    failed = failed || (sending && (encode_or_report(&out.stream, value, error_report) < 0 ||
                                    outgoing_start(&out, INTERNAL, dest, collective->tag, STANDARD) < 0));
    if (in && failed)
        incoming_abandon(in);
    else if (in)
        come = incoming_wait(in, NULL, collective_seconds(collective));
    else if (!failed)
        come = Py_NewRef(Py_None);
    if (opened && !come)
        outgoing_close(&out);
    else if (opened && outgoing_wait(&out, collective_seconds(collective)) < 0)
        Py_CLEAR(come);
    return come;
}

PyObject *communicator__exchange(Communicator *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    int verb, dest, source;
    Collective collective = {.comm = self};
    if (signature_parse(&_exchange_signature, args, nargs, kwnames, values) < 0 || !is_usable(self) ||
        !PyArg_ParseTuple(values[0], "iid", &verb, &collective.tag, &collective.end) ||
        parse_int(values[2], &dest, "_exchange", "dest") < 0 ||
        parse_int(values[3], &source, "_exchange", "source") < 0)
        return NULL;
    if (verb <= 0 || verb >= VERBS)
        return PyErr_Format(PyExc_ValueError, "_exchange(): no collective has the number %d", verb);
    collective.call = (Call){
        .operation = verb_names[verb], .rank = self->rank, .peer = NO_PEER, .tag = NO_TAG, .comm = self};
    if (check_rank(dest, self->size, DESTINATION, &collective.call) < 0 ||
        check_rank(source, self->size, DESTINATION, &collective.call) < 0)
        return NULL;
    if (dest != PROC_NULL)
        count_crossing(self, dest);
    Incoming *in = NULL;
    if (source != PROC_NULL &&
        !(in = incoming_start(self, INTERNAL, source, collective.tag, NULL, &collective.call)))
        return NULL;
    if (in)
        incoming_list(in); /* it makes progress while the send is waited for */
    return exchange_objects(&collective, values[1], values[4], dest, in);
}

PyObject *communicator_tree(Communicator *self, PyObject *Py_UNUSED(unused)) {
    if (!is_usable(self))
        return NULL;
    TreePosition tree;
    tree_position_open_in_order(&tree, self);
    PyObject *children = PyTuple_New(tree.children);
    for (int i = 0; children && i < tree.children; i++) {
        PyObject *child = PyLong_FromLong(tree_position_child(&tree, i));
        if (!child)
            Py_CLEAR(children);
        else
            PyTuple_SET_ITEM(children, i, child);
    }
    int parent = tree.parent == NOBODY ? PROC_NULL : tree.parent;
    return children ? Py_BuildValue("(iN)", parent, children) : NULL;
}
