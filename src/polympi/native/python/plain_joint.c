#include "python/plain_joint.h"

int joint_open(Joint *joint, Plain *self, const char *operation) {
    joint->self = self; /* not all of it: a Bare is long, and is written by bare_open */
    joint->gives = joint->takes = joint->in_place = false;
    joint->root = 0;
    joint->counts = joint->places = joint->counts_to = joint->places_to = NULL;
    joint->op = MPI_OP_NULL;
    joint->call = (Call){.operation = operation, .rank = self->rank, .peer = NO_PEER, .tag = NO_TAG};
    return is_plain_usable(self) ? 0 : -1;
}

void joint_close(Joint *joint) {
    if (joint->gives)
        bare_close(&joint->from);
    if (joint->takes)
        bare_close(&joint->to);
    PyMem_Free(joint->counts);
    PyMem_Free(joint->places);
    PyMem_Free(joint->counts_to);
    PyMem_Free(joint->places_to);
}

int joint_root(Joint *joint, PyObject *root) {
    joint->root = 0;
    if (root && parse_int(root, &joint->root, joint->call.operation, "root") < 0)
        return -1;
    return check_rank(joint->root, joint->self->size, ROOT, &joint->call);
}

int joint_missing(const Joint *joint, const char *name) {
    PyErr_Format(PyExc_TypeError, "%s() needs '%s' on rank %d", joint->call.operation, name,
                 joint->self->rank);
    return -1;
}

int joint_from(Joint *joint, PyObject *array) {
    if (!array || array == Py_None)
        return joint_missing(joint, "array");
    if (bare_open(&joint->from, array, TO_SEND, true, &joint->call) < 0)
        return -1;
    joint->gives = true;
    return 0;
}

int joint_to(Joint *joint, PyObject *into) {
    if (!into || into == Py_None)
        return joint_missing(joint, "into");
    if (bare_open(&joint->to, into, TO_RECEIVE, true, &joint->call) < 0)
        return -1;
    joint->takes = true;
    return 0;
}

/* Make the call, without the GIL: 0 or -1. */
int joint_make(Joint *joint, int (*function)(const Joint *joint)) {
    PyThreadState *thread = go_outside();
    take_turn();
    int code = must_stop() ? MPI_SUCCESS : function(joint);
    end_turn();
    come_inside(thread);
    if (code != MPI_SUCCESS)
        return bare_raise(code, joint->takes ? &joint->to : NULL, &joint->call);
    if (joint->takes)
        bare_unpack(&joint->to, joint->to.elements * joint->to.itemsize);
    return PyErr_CheckSignals() < 0 || still_running(&joint->call) < 0 ? -1 : 0;
}

/* The end of each: what was given as `into`, None where this rank gets nothing. */
PyObject *joint_end(Joint *joint, int failed, PyObject *result) {
    bool takes = joint->takes;
    joint_close(joint);
    if (failed < 0)
        return NULL;
    return Py_NewRef(takes ? result : Py_None);
}

/* Whether the whole of a memory has as many pieces as there are ranks; `*piece` elements of MPI each. */
int joint_cut(const Joint *joint, const Bare *whole, const char *name, int *piece) {
    int size = joint->self->size;
    *piece = whole->count / size;
    if (whole->elements % size == 0)
        return 0;
    return raise_error(
        "MismatchError", &joint->call,
        "%s has %zd elements, which cannot be cut into %d equal pieces: use the form with counts", name,
        whole->elements, size);
}

int joint_match(const Joint *joint, const Bare *mine, const char *name, int piece) {
    if (mine->count == piece)
        return 0;
    return raise_error("MismatchError", &joint->call, "%s has %d elements, but the piece of a rank has %d",
                       name, mine->count, piece);
}
