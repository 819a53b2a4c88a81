/* Communicators of other code in this process, and handles for it. */
#pragma once

#include "python/interface/communicator.h"

/* The number of ranks of a communicator that don't belong to polympi's world. MPI's code. */
int count_strangers(MPI_Comm comm, int *strangers);

/* Methods of the module: a communicator of the class over one that other code has made. */
PyObject *wrap(PyObject *module, PyObject *args);
/* The C handle of a communicator, from its Fortran handle. */
PyObject *from_fortran(PyObject *module, PyObject *number);

/* The attributes `handle`, `handle_size` and `fortran_handle` of communicators. */
extern PyGetSetDef handle_attributes[];
