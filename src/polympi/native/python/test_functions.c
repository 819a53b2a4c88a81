#include "python/test_functions.h"

#include "base/errors.h"
#include "codec/numpy_api.h"
#include "collectives/mailbox.h"
#include "collectives/placement.h"
#include "memory/pool.h"
#include "memory/strided.h"
#include "python/interface/communicator.h"
#include "python/start.h"
#include "transfer/transfer.h"
#include "transport/network_watch.h"
#include "transport/shared_memory.h"
#include "transport/strided_datatype.h"
#include "transport/windows.h"

/* The layouts of two arrays; the second has room for the first. */
static int two_layouts(PyObject *args, Layout *from, Layout *into) {
    PyObject *source, *target;
    if (!numpy_loaded(true) || !PyArg_ParseTuple(args, "O!O!", ndarray_type, &source, ndarray_type, &target))
        return -1;
    array_layout(source, from);
    array_layout(target, into);
    if (from->itemsize != into->itemsize || from->count > into->count)
        return PyErr_SetString(PyExc_ValueError, "the target has other elements, or too few"), -1;
    return 0;
}

/* Copy an array to the first elements of another through packed memory. */
static PyObject *strided_copy(PyObject *Py_UNUSED(module), PyObject *args) {
    Layout from, into;
    if (two_layouts(args, &from, &into) < 0)
        return NULL;
    char *packed = pool_allocate(from.nbytes);
    if (!packed)
        return NULL;
    strided_pack(&from, packed);
    strided_unpack(&into, packed, from.nbytes);
    pool_release(packed, from.nbytes);
    Py_RETURN_NONE;
}

/* Copy an array to another by a message to this rank, with derived datatypes. */
static PyObject *datatype_copy(PyObject *Py_UNUSED(module), PyObject *args) {
    Layout from, into;
    MPI_Datatype sent, received;
    if (!is_running() || two_layouts(args, &from, &into) < 0)
        return NULL;
    int code = strided_datatype(&from, &sent);
    if (code == MPI_SUCCESS)
        code = strided_datatype(&into, &received);
    if (code == MPI_SUCCESS)
        code = IN_TURN(MPI_Sendrecv(from.data, 1, sent, 0, 0, into.data, 1, received, 0, 0, MPI_COMM_SELF,
                                    MPI_STATUS_IGNORE));
    if (code != MPI_SUCCESS)
        return raise_mpi(code, NULL), NULL;
    Py_RETURN_NONE;
}

/* An array of uint8 that owns memory of the pool. */
static PyObject *pool_array(PyObject *Py_UNUSED(module), PyObject *size) {
    npy_intp nbytes = PyLong_AsSsize_t(size);
    if ((nbytes == -1 && PyErr_Occurred()) || !numpy_loaded(true))
        return NULL;
    PyObject *handler = pool_handler();
    char *memory = handler ? pool_allocate(nbytes) : NULL;
    if (!memory)
        return NULL;
    PyObject *array = PyArray_SimpleNewFromData(1, &nbytes, NPY_UINT8, memory);
    if (!array) {
        pool_release(memory, nbytes);
        return NULL;
    }
    PyArray_ENABLEFLAGS((PyArrayObject *)array, NPY_ARRAY_OWNDATA);
    ((PyArrayObject_fields *)array)->mem_handler = Py_NewRef(handler);
    return array;
}

/* Let MPI's accesses of windows have this many bytes at most; how many they had. */
static PyObject *cut_accesses(PyObject *Py_UNUSED(module), PyObject *most) {
    size_t before = window_most_bytes, nbytes = PyLong_AsSize_t(most);
    if (PyErr_Occurred())
        return NULL;
    window_most_bytes = nbytes;
    return PyLong_FromSize_t(before);
}

/* An object with the buffer protocol over memory of the pool. */
static PyObject *memory_of_pool(PyObject *Py_UNUSED(module), PyObject *size) {
    Py_ssize_t nbytes = PyLong_AsSsize_t(size);
    if (nbytes == -1 && PyErr_Occurred())
        return NULL;
    char *memory = pool_allocate(nbytes);
    return memory ? pool_memory(memory, nbytes) : NULL;
}

/* The capsule with NumPy's allocator. */
static PyObject *handler_of_pool(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    return Py_XNewRef(pool_handler());
}

static PyObject *statistics_of_pool(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    return pool_statistics();
}

/* Send bytes unchanged: as a user's message, or `apart`, as what an announcement announces. */
static PyObject *send_raw(PyObject *Py_UNUSED(module), PyObject *args) {
    Communicator *comm;
    const char *bytes;
    Py_ssize_t nbytes;
    int dest, tag, apart;
    if (!PyArg_ParseTuple(args, "O!y#iip", &Communicator_Type, &comm, &bytes, &nbytes, &dest, &tag, &apart) ||
        !is_usable(comm))
        return NULL;
    int code = IN_TURN(MPI_Send(bytes, (int)nbytes, MPI_BYTE, dest, tag, apart ? comm->shadow : comm->comm));
    if (code != MPI_SUCCESS)
        return raise_mpi(code, NULL), NULL;
    Py_RETURN_NONE;
}

/* The tag of plans' offers, which `_send_raw` sends `apart`. */
static PyObject *tag_of_agreements(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    return is_running() ? PyLong_FromLong(agreement_tag()) : NULL;
}

/* Have this rank report this version of the wire at its start. */
static PyObject *claim_version(PyObject *Py_UNUSED(module), PyObject *version) {
    unsigned long number = PyLong_AsUnsignedLong(version);
    if (PyErr_Occurred())
        return NULL;
    wire_version = (uint32_t)number;
    Py_RETURN_NONE;
}

/* The bytes that this machine has allocated for the mailboxes and boards of this job. */
static PyObject *bytes_of_shared_memory(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    return PyLong_FromSize_t(shared_bytes());
}

/* Whether this rank gets no further memory for mailboxes and boards. */
static PyObject *refuse_shared_memory(PyObject *Py_UNUSED(module), PyObject *refused) {
    shared_refused = PyObject_IsTrue(refused);
    Py_RETURN_NONE;
}

/* The ranks that this one has mailboxes with. */
static PyObject *neighbours(PyObject *Py_UNUSED(module), PyObject *comm) {
    if (!PyObject_TypeCheck(comm, &Communicator_Type) || !is_usable((Communicator *)comm))
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "a communicator is wanted");
    const Communicator *self = (Communicator *)comm;
    PyObject *ranks = PyList_New(0);
    for (int rank = 0; ranks && rank < self->size; rank++) {
        PyObject *number = mail_reaches(self->mailboxes, rank) ? PyLong_FromLong(rank) : NULL;
        if (number && PyList_Append(ranks, number) < 0)
            Py_CLEAR(ranks);
        Py_XDECREF(number);
    }
    return ranks;
}

/* How long each sleep takes that nobody ends; 0: as usual. */
static PyObject *set_only_sleep(PyObject *Py_UNUSED(module), PyObject *seconds) {
    double given = PyFloat_AsDouble(seconds);
    if (given == -1 && PyErr_Occurred())
        return NULL;
    only_sleep = given;
    Py_RETURN_NONE;
}

/* Whether a rank of a communicator sleeps. */
static PyObject *asleep(PyObject *Py_UNUSED(module), PyObject *args) {
    Communicator *comm;
    int rank;
    if (!PyArg_ParseTuple(args, "O!i", &Communicator_Type, &comm, &rank) || !is_usable(comm))
        return NULL;
    return PyBool_FromLong(IN_TURN(is_asleep(comm->comm, rank)));
}

/* How often others have woken this rank. */
static PyObject *woken(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    return PyLong_FromUnsignedLong(sleeper_woken());
}

/* The longest sleep that began since the last call, in seconds. */
static PyObject *take_longest_sleep(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    double longest = longest_sleep;
    longest_sleep = 0;
    return PyFloat_FromDouble(longest);
}

/* How often the network has woken this rank. */
static PyObject *network_calls(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    return PyLong_FromUnsignedLong(network_watch_calls());
}

/* Have communicators made from now on, on all ranks, place this rank on the machine of this number. */
static PyObject *pretend_machine(PyObject *Py_UNUSED(module), PyObject *number) {
    long machine = PyLong_AsLong(number);
    if (machine == -1 && PyErr_Occurred())
        return NULL;
    state.several_machines = true;
    state.machine = (int)machine;
    Py_RETURN_NONE;
}

/* Small messages of collectives from this rank to other machines; None if machines make no difference. */
static PyObject *crossings(PyObject *Py_UNUSED(module), PyObject *comm) {
    if (!PyObject_TypeCheck(comm, &Communicator_Type))
        return PyErr_Format(PyExc_TypeError, "a communicator is wanted");
    const Placement *placement = ((Communicator *)comm)->placement;
    return placement ? PyLong_FromUnsignedLongLong(placement->crossings) : Py_NewRef(Py_None);
}

PyMethodDef test_functions[] = {
    {"_strided_copy", strided_copy, METH_VARARGS, NULL},
    {"_datatype_copy", datatype_copy, METH_VARARGS, NULL},
    {"_cut_accesses", cut_accesses, METH_O, NULL},
    {"_pool_array", pool_array, METH_O, NULL},
    {"_pool_memory", memory_of_pool, METH_O, NULL},
    {"_pool_handler", handler_of_pool, METH_NOARGS, NULL},
    {"_pool_statistics", statistics_of_pool, METH_NOARGS, NULL},
    {"_send_raw", send_raw, METH_VARARGS, NULL},
    {"_agreement_tag", tag_of_agreements, METH_NOARGS, NULL},
    {"_claim_version", claim_version, METH_O, NULL},
    {"_pretend_machine", pretend_machine, METH_O, NULL},
    {"_crossings", crossings, METH_O, NULL},
    {"_shared_memory", bytes_of_shared_memory, METH_NOARGS, NULL},
    {"_refuse_shared_memory", refuse_shared_memory, METH_O, NULL},
    {"_asleep", asleep, METH_VARARGS, NULL},
    {"_woken", woken, METH_NOARGS, NULL},
    {"_longest_sleep", take_longest_sleep, METH_NOARGS, NULL},
    {"_network_calls", network_calls, METH_NOARGS, NULL},
    {"_only_sleep", set_only_sleep, METH_O, NULL},
    {"_neighbours", neighbours, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
