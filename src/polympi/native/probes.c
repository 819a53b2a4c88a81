/* Functions of the module for the tests of what Python code cannot reach by itself. */
#include "probes.h"

#include "errors.h"
#include "numpy_api.h"
#include "pool.h"
#include "strided.h"

/* The layouts of two arrays, of which the second has room for the first: 0, or -1 with an exception. */
static int two_layouts(PyObject *args, Layout *from, Layout *into) {
    PyObject *source, *target;
    if (!numpy_loaded(true) || !PyArg_ParseTuple(args, "O!O!", ndarray_type, &source, ndarray_type, &target))
        return -1;
    array_layout(source, from);
    array_layout(target, into);
    if (from->itemsize != into->itemsize || from->count > into->count) {
        PyErr_SetString(PyExc_ValueError, "the target has other elements, or too few");
        return -1;
    }
    return 0;
}

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

static PyObject *datatype_copy(PyObject *Py_UNUSED(module), PyObject *args) {
    Layout from, into;
    MPI_Datatype sent, received;
    if (!is_running() || two_layouts(args, &from, &into) < 0)
        return NULL;
    bool locked = enter_mpi();
    int code = strided_datatype(&from, &sent);
    if (code == MPI_SUCCESS)
        code = strided_datatype(&into, &received);
    if (code == MPI_SUCCESS)
        code = MPI_Sendrecv(from.data, 1, sent, 0, 0, into.data, 1, received, 0, 0, MPI_COMM_SELF,
                            MPI_STATUS_IGNORE);
    leave_mpi(locked);
    if (code != MPI_SUCCESS) {
        raise_mpi(code, NULL);
        return NULL;
    }
    Py_RETURN_NONE;
}

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

static PyObject *memory_of_pool(PyObject *Py_UNUSED(module), PyObject *size) {
    Py_ssize_t nbytes = PyLong_AsSsize_t(size);
    if (nbytes == -1 && PyErr_Occurred())
        return NULL;
    char *memory = pool_allocate(nbytes);
    return memory ? pool_memory(memory, nbytes) : NULL;
}

static PyObject *handler_of_pool(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    return Py_XNewRef(pool_handler());
}

static PyObject *statistics_of_pool(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    return pool_statistics();
}

PyMethodDef probe_methods[] = {
    {"_strided_copy", strided_copy, METH_VARARGS,
     "_strided_copy($module, source, target, /)\n--\n\n"
     "Copy an array to the first elements of another by way of packed memory."},
    {"_datatype_copy", datatype_copy, METH_VARARGS,
     "_datatype_copy($module, source, target, /)\n--\n\n"
     "Copy an array to another by a message to this rank, with derived datatypes."},
    {"_pool_array", pool_array, METH_O,
     "_pool_array($module, nbytes, /)\n--\n\nAn array of uint8 that owns memory of the pool."},
    {"_pool_memory", memory_of_pool, METH_O,
     "_pool_memory($module, nbytes, /)\n--\n\nAn object with the buffer protocol over memory of the pool."},
    {"_pool_handler", handler_of_pool, METH_NOARGS,
     "_pool_handler($module, /)\n--\n\nThe capsule with NumPy's allocator."},
    {"_pool_statistics", statistics_of_pool, METH_NOARGS,
     "_pool_statistics($module, /)\n--\n\nWhat the pool holds: live, kept, kept_bytes, mapped_bytes."},
    {NULL, NULL, 0, NULL},
};
