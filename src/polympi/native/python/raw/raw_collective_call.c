#include "python/raw/raw_collective_call.h"

static Joint *spare; /* memory for one */

Joint *joint_open(Raw *self, const char *operation, PyObject *timeout) {
    Call call = {.operation = operation, .rank = self->rank, .peer = NO_PEER, .tag = NO_TAG};
    double seconds;
    bool limited;
    if (unlikely(!is_raw_joinable(self) || raw_limit(timeout, &call, &seconds, &limited) < 0))
        return NULL;
    Joint *joint = spare ? spare : malloc(sizeof *joint);
    if (!joint)
        return PyErr_NoMemory(), NULL;
    spare = NULL;
    joint->self = self; /* one by one: a RawBuffer is long, and initialised by raw_buffer_open */
    joint->gives = joint->takes = joint->in_place = false;
    joint->root = 0;
    joint->counts = joint->places = joint->counts_to = joint->places_to = NULL;
    joint->op = MPI_OP_NULL;
    joint->call = call;
    joint->seconds = seconds;
    joint->limited = limited;
    joint->held[0] = joint->held[1] = joint->held[2] = NULL;
    return joint;
}

static void close_joint(void *context) {
    Joint *joint = context;
    if (joint->gives)
        raw_buffer_close(&joint->from);
    if (joint->takes)
        raw_buffer_close(&joint->to);
    PyMem_Free(joint->counts);
    PyMem_Free(joint->places);
    PyMem_Free(joint->counts_to);
    PyMem_Free(joint->places_to);
    for (int i = 0; i < 3; i++)
        Py_XDECREF(joint->held[i]);
    if (spare)
        free(joint);
    else
        spare = joint;
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
    if (raw_buffer_open(&joint->from, array, TO_SEND, true, &joint->call) < 0)
        return -1;
    joint->array = array;
    joint->gives = true;
    return 0;
}

int joint_to(Joint *joint, PyObject *into) {
    if (!into || into == Py_None)
        return joint_missing(joint, "into");
    if (raw_buffer_open(&joint->to, into, TO_RECEIVE, true, &joint->call) < 0)
        return -1;
    joint->into = into;
    joint->takes = true;
    return 0;
}

/* Hold what the call uses, so that its caller may leave it. 0 or -1. */
static int hold(Joint *joint) {
    joint->held[0] = Py_NewRef((PyObject *)joint->self);
    if (joint->gives && !(joint->held[1] = raw_buffer_owner(&joint->from, joint->array)))
        return -1;
    if (joint->takes && !(joint->held[2] = raw_buffer_owner(&joint->to, joint->into)))
        return -1;
    return 0;
}

static int make(void *context) {
    const Joint *joint = context;
    return joint->function(joint);
}

static int make_offloaded(Joint *joint, int *code) {
    const OffloadedCall what = {
        .call = joint->call, .comm = joint->self->comm, .make = make, .close = close_joint, .context = joint};
    return hold(joint) < 0 ? -1 : offloaded_make(&what, joint->seconds, code);
}

static int make_here(const Joint *joint) {
    PyThreadState *thread = go_outside();
    take_turn();
    int code = must_stop() ? MPI_SUCCESS : joint->function(joint);
    end_turn();
    come_inside(thread);
    return code;
}

int joint_make(Joint *joint, int (*function)(const Joint *joint)) {
    int code = MPI_SUCCESS, failed = 0;
    joint->function = function;
    int aside = joint->self->size == 1 && state.phase != HELD
                    ? 0
                    : is_offloaded(joint->seconds, joint->limited, &joint->call);
    if (aside < 0)
        return -1;
    if (aside)
        failed = make_offloaded(joint, &code);
    else
        code = make_here(joint);
    if (failed)
        return failed;
    if (code != MPI_SUCCESS)
        return raw_buffer_raise(code, joint->takes ? &joint->to : NULL, &joint->call);
    if (joint->takes && raw_buffer_unpack(&joint->to, joint->to.elements * joint->to.itemsize) < 0)
        return -1;
    return PyErr_CheckSignals() < 0 || still_running(&joint->call) < 0 ? -1 : 0;
}

PyObject *joint_end(Joint *joint, int failed, PyObject *result) {
    if (failed == LEFT)
        return NULL;
    bool takes = joint->takes;
    close_joint(joint);
    if (failed)
        return NULL;
    return Py_NewRef(takes ? result : Py_None);
}

int joint_cut(const Joint *joint, const RawBuffer *whole, const char *name, int *piece) {
    int size = joint->self->size;
    *piece = whole->count / size;
    if (whole->elements % size == 0)
        return 0;
    return raise_error(
        "MismatchError", &joint->call,
        "%s has %zd elements, which cannot be cut into %d equal pieces: use the form with counts", name,
        whole->elements, size);
}

int joint_match(const Joint *joint, const RawBuffer *mine, const char *name, int piece) {
    if (mine->count == piece)
        return 0;
    return raise_error("MismatchError", &joint->call, "%s has %d elements, but the piece of a rank has %d",
                       name, mine->count, piece);
}
