/* For extension modules in C, C++ or Cython that take communicators: compile them with the MPI's mpicc and
 * the folder polympi.get_include(). They link with the MPI library that polympi runs on,
 * polympi.library_path(), or with none: import polympi.native.core first, and its symbols are there. */
#pragma once

#include <Python.h>
#include <mpi.h>

/* A converter for PyArg_ParseTuple ("O&"): the MPI_Comm of a communicator of polympi or mpi4py, which stays
 * its owner's. 0 with a Python error if it is another object, or one that was freed. */
static inline int polympi_comm_converter(PyObject *object, void *comm) {
    PyObject *fortran = PyObject_GetAttrString(object, "fortran_handle");
    if (!fortran && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
        fortran = PyObject_CallMethod(object, "py2f", NULL);
    }
    if (!fortran) {
        if (PyErr_ExceptionMatches(PyExc_AttributeError))
            PyErr_Format(PyExc_TypeError, "a %.100s isn't a communicator: give one of polympi or mpi4py",
                         Py_TYPE(object)->tp_name);
        return 0;
    }
    const long number = PyLong_AsLong(fortran);
    Py_DECREF(fortran);
    if (number == -1 && PyErr_Occurred())
        return 0;
#ifdef MPI_ABI_VERSION /* the standard's ABI leaves out MPI_Fint */
    *(MPI_Comm *)comm = MPI_Comm_fromint((int)number);
#else
    *(MPI_Comm *)comm = MPI_Comm_f2c((MPI_Fint)number);
#endif
    return 1;
}
