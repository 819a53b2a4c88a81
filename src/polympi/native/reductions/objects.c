#include "reductions/objects.h"

#include "base/errors.h"
#include "codec/stream.h"
#include "collectives/tree_position.h"
#include "reductions/reductions.h"
#include "transfer/receive/incoming.h"

/* ---- an exchange ---- */

/* The current exception, as what takes the place of an object that could not be sent or received; NULL where
 * that isn't the reason, as after Ctrl-C. */
static PyObject *report_instead(const ObjectReduction *objects) {
    if (!PyErr_ExceptionMatches(PyExc_Exception))
        return NULL;
    PyObject *error = take_exception();
    PyObject *instead = error ? PyObject_CallOneArg(objects->error_report, error) : NULL;
    Py_XDECREF(error);
    return instead;
}

static int encode_or_report(const ObjectReduction *objects, Stream *stream, PyObject *value) {
    if (likely(codec_encode(stream, value) == 0))
        return 0;
    PyObject *instead = report_instead(objects);
    if (!instead)
        return -1;
    stream_rewind(stream, 0, 0);
    int failed = codec_encode(stream, instead);
    Py_DECREF(instead);
    return failed;
}

static int send_object(ObjectReduction *objects, PyObject *value, int dest) {
    Collective *collective = objects->collective;
    count_crossing(collective->comm, dest);
    if (outgoing_open(&objects->out, collective->comm, &collective->call) < 0)
        return -1;
    objects->sending = true;
    return encode_or_report(objects, &objects->out.stream, value) < 0
               ? -1
               : outgoing_start(&objects->out, INTERNAL, dest, collective->tag, STANDARD);
}

/* Begin what the generator asks for: 0 or -1. */
static int begin_exchange(ObjectReduction *objects, PyObject *asked) {
    Collective *collective = objects->collective;
    PyObject *value;
    int dest, source;
    if (!PyArg_ParseTuple(asked, "Oii", &value, &dest, &source))
        return -1;
    objects->under_way = true;
    objects->sending = false;
    objects->in = NULL;
    if (source != PROC_NULL) {
        objects->in =
            incoming_start(collective->comm, INTERNAL, source, collective->tag, NULL, &collective->call);
        if (!objects->in)
            return -1;
        incoming_list(objects->in); /* it makes progress while the send is waited for */
    }
    return dest == PROC_NULL ? 0 : send_object(objects, value, dest);
}

/* Nobody waits for it any longer. */
static void leave_exchange(ObjectReduction *objects) {
    if (objects->under_way && objects->in)
        incoming_leave(objects->in);
    if (objects->under_way && objects->sending)
        outgoing_close(&objects->out);
    objects->under_way = false;
}

/* Whether it is over: 1, 0 or -1. */
static int test_exchange(ObjectReduction *objects) {
    enum step sent = objects->sending ? outgoing_test(&objects->out) : DONE;
    if (objects->in && !incoming_test(objects->in))
        return sent < 0 ? -1 : 0;
    return sent;
}

/* Wait until it is: 0 or -1. */
static int wait_for_exchange(ObjectReduction *objects) {
    const Collective *collective = objects->collective;
    if (objects->in && incoming_finish(objects->in, collective_seconds(collective)) < 0)
        return -1;
    bool sending = objects->sending;
    objects->sending = false; /* waiting closes it, in any case */
    return sending ? outgoing_wait(&objects->out, collective_seconds(collective)) : 0;
}

/* What has arrived with an exchange that is over: an object, or the reason why it can't be decoded.
 * A new reference; NULL where the other rank is missing, or MPI has failed. */
static PyObject *end_exchange(ObjectReduction *objects) {
    Incoming *in = objects->in;
    if (objects->sending)
        outgoing_close(&objects->out);
    objects->under_way = false;
    PyObject *arrived = in ? incoming_deliver(in, NULL) : Py_NewRef(Py_None);
    return arrived || is_any_error() ? arrived : report_instead(objects);
}

/* ---- step by step ---- */

/* Let the generator combine what has arrived (stolen), and begin the next exchange: 1 when there is the
 * result, 0, or -1. */
static int resume(ObjectReduction *objects, PyObject *arrived) {
    PyObject *yielded;
    if (!arrived)
        return -1;
    PySendResult outcome = PyIter_Send(objects->steps, arrived, &yielded);
    Py_DECREF(arrived);
    if (outcome == PYGEN_ERROR)
        return -1;
    if (outcome == PYGEN_RETURN) {
        objects->result = yielded;
        return 1;
    }
    int failed = begin_exchange(objects, yielded);
    Py_DECREF(yielded);
    return failed;
}

int objects_open(ObjectReduction *objects, Collective *collective, PyObject *value, Op *op, int root) {
    *objects = (ObjectReduction){.collective = collective};
    PyObject *module = PyImport_ImportModule("polympi.reductions");
    PyObject *begun = module ? PyObject_CallMethod(module, "begin", "sOOOi", collective->call.operation,
                                                   (PyObject *)collective->comm, value, (PyObject *)op, root)
                             : NULL;
    bool parsed = begun && PyArg_ParseTuple(begun, "OO", &objects->steps, &objects->error_report);
    Py_XINCREF(objects->steps);
    Py_XINCREF(objects->error_report);
    Py_XDECREF(begun);
    Py_XDECREF(module);
    return parsed ? 0 : -1;
}

static int step_objects(void *state_of_phase) {
    ObjectReduction *objects = state_of_phase;
    if (state.without_python)
        return -1; /* nobody can combine the objects */
    for (;;) {
        int over = objects->under_way ? test_exchange(objects) : 1;
        if (over <= 0)
            return over;
        over = resume(objects, objects->under_way ? end_exchange(objects) : Py_NewRef(Py_None));
        if (over)
            return over;
    }
}

static void give_up_objects(void *state_of_phase) { leave_exchange(state_of_phase); }

/* No `wait`: calls that were begun are only stepped. */
const PhaseKind objects_phase = {.step = step_objects, .give_up = give_up_objects};

PyObject *objects_run(ObjectReduction *objects) {
    int over = resume(objects, Py_NewRef(Py_None));
    while (!over)
        over = wait_for_exchange(objects) < 0 ? -1 : resume(objects, end_exchange(objects));
    return over > 0 ? objects_result(objects) : NULL;
}

PyObject *objects_result(ObjectReduction *objects) {
    PyObject *result = objects->result;
    objects->result = NULL;
    return result;
}

void objects_close(ObjectReduction *objects) {
    PyObject *class, *error, *trace;
    PyErr_Fetch(&class, &error, &trace); /* what may run Python code follows */
    leave_exchange(objects);
    Py_CLEAR(objects->result);
    Py_CLEAR(objects->steps);
    Py_CLEAR(objects->error_report);
    PyErr_Restore(class, error, trace);
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
