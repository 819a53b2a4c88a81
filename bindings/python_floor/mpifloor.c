/* The least that Python's calls of MPI cost: functions of two or three integers around MPI_Send and MPI_Recv.
 *
 * No interface for programs: the buffers are chosen beforehand, the lock of the interpreter is kept while a
 * call waits, only ranks and tags are read from the arguments, and what MPI returns is compared with success
 * alone.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <mpi.h>
#include <stdint.h>

static struct {
    void *outgoing, *incoming;
    int nbytes;
} chosen;

static PyObject *failed(const char *call, int code) {
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    return PyErr_Format(PyExc_RuntimeError, "%s: %.*s", call, length, text);
}

/* ---- what is timed ---- */

static PyObject *floor_send(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
    (void)module;
    if (nargs != 2)
        return PyErr_Format(PyExc_TypeError, "send(dest, tag)");
    int dest = (int)PyLong_AsLong(args[0]), tag = (int)PyLong_AsLong(args[1]);
    if ((dest == -1 || tag == -1) && PyErr_Occurred())
        return NULL;
    int code = MPI_Send(chosen.outgoing, chosen.nbytes, MPI_BYTE, dest, tag, MPI_COMM_WORLD);
    if (code != MPI_SUCCESS)
        return failed("MPI_Send", code);
    Py_RETURN_NONE;
}

static PyObject *floor_recv(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
    (void)module;
    if (nargs != 2)
        return PyErr_Format(PyExc_TypeError, "recv(source, tag)");
    int source = (int)PyLong_AsLong(args[0]), tag = (int)PyLong_AsLong(args[1]);
    if ((source == -1 || tag == -1) && PyErr_Occurred())
        return NULL;
    int code =
        MPI_Recv(chosen.incoming, chosen.nbytes, MPI_BYTE, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
        return failed("MPI_Recv", code);
    Py_RETURN_NONE;
}

/* ---- what is not ---- */

static PyObject *floor_choose(PyObject *module, PyObject *args) {
    (void)module;
    unsigned long long outgoing = 0, incoming = 0;
    if (!PyArg_ParseTuple(args, "KKi", &outgoing, &incoming, &chosen.nbytes))
        return NULL;
    chosen.outgoing = (void *)(uintptr_t)outgoing;
    chosen.incoming = (void *)(uintptr_t)incoming;
    Py_RETURN_NONE;
}

static PyObject *floor_init(PyObject *module, PyObject *args) {
    (void)module, (void)args;
    int provided = 0;
    int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &provided);
    if (code != MPI_SUCCESS)
        return failed("MPI_Init_thread", code);
    return PyUnicode_FromString(provided == MPI_THREAD_SINGLE       ? "single"
                                : provided == MPI_THREAD_FUNNELED   ? "funneled"
                                : provided == MPI_THREAD_SERIALIZED ? "serialized"
                                                                    : "multiple");
}

/* Rank, number of ranks, name of the processor, the library's own name. */
static PyObject *floor_facts(PyObject *module, PyObject *args) {
    (void)module, (void)args;
    int rank = 0, ranks = 0, length = 0;
    char host[MPI_MAX_PROCESSOR_NAME], library[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Get_processor_name(host, &length);
    MPI_Get_library_version(library, &length);
    return Py_BuildValue("iiss", rank, ranks, host, library);
}

static PyObject *floor_barrier(PyObject *module, PyObject *args) {
    (void)module, (void)args;
    int code = MPI_Barrier(MPI_COMM_WORLD);
    if (code != MPI_SUCCESS)
        return failed("MPI_Barrier", code);
    Py_RETURN_NONE;
}

/* The largest of each place over all ranks, on rank 0. */
static PyObject *floor_maxima(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer times, largest;
    if (!PyArg_ParseTuple(args, "y*w*", &times, &largest))
        return NULL;
    int code = MPI_Reduce(times.buf, largest.buf, (int)(times.len / (Py_ssize_t)sizeof(int64_t)), MPI_INT64_T,
                          MPI_MAX, 0, MPI_COMM_WORLD);
    PyBuffer_Release(&times);
    PyBuffer_Release(&largest);
    if (code != MPI_SUCCESS)
        return failed("MPI_Reduce", code);
    Py_RETURN_NONE;
}

/* What each rank has, all of one length, one after another. */
static PyObject *floor_collect(PyObject *module, PyObject *args) {
    (void)module;
    const char *mine = NULL;
    Py_ssize_t length = 0;
    int ranks = 0;
    if (!PyArg_ParseTuple(args, "y#", &mine, &length))
        return NULL;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    PyObject *all = PyBytes_FromStringAndSize(NULL, length * ranks);
    if (!all)
        return NULL;
    int code = MPI_Allgather(mine, (int)length, MPI_BYTE, PyBytes_AS_STRING(all), (int)length, MPI_BYTE,
                             MPI_COMM_WORLD);
    if (code != MPI_SUCCESS) {
        Py_DECREF(all);
        return failed("MPI_Allgather", code);
    }
    return all;
}

static PyObject *floor_abort(PyObject *module, PyObject *args) {
    (void)module;
    int code = 1;
    if (!PyArg_ParseTuple(args, "i", &code))
        return NULL;
    MPI_Abort(MPI_COMM_WORLD, code);
    Py_RETURN_NONE;
}

static PyObject *floor_finalize(PyObject *module, PyObject *args) {
    (void)module, (void)args;
    MPI_Finalize();
    Py_RETURN_NONE;
}

#define FAST(function) ((PyCFunction)(void (*)(void))(function))

static PyMethodDef methods[] = {
    {"send", FAST(floor_send), METH_FASTCALL, "send(dest, tag): MPI_Send of what was chosen."},
    {"recv", FAST(floor_recv), METH_FASTCALL, "recv(source, tag): MPI_Recv into what was chosen."},
    {"choose", floor_choose, METH_VARARGS, "choose(outgoing, incoming, nbytes): addresses of the buffers."},
    {"init", floor_init, METH_NOARGS, "Start MPI; the thread level."},
    {"facts", floor_facts, METH_NOARGS, "Rank, number of ranks, processor, library."},
    {"barrier", floor_barrier, METH_NOARGS, "MPI_Barrier."},
    {"maxima", floor_maxima, METH_VARARGS, "maxima(times, largest): the largest times, on rank 0."},
    {"collect", floor_collect, METH_VARARGS, "collect(bytes): those of all ranks, of one length."},
    {"abort", floor_abort, METH_VARARGS, "abort(code): end all ranks."},
    {"finalize", floor_finalize, METH_NOARGS, "MPI_Finalize."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "mpifloor", .m_doc = "The least that Python's calls of MPI cost.",
    .m_size = -1,          .m_methods = methods,
};

PyMODINIT_FUNC PyInit_mpifloor(void) { return PyModule_Create(&definition); }
