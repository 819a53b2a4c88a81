/* The class of communicators. */
#ifndef POLYMPI_PYTHON_INTERFACE_COMMUNICATOR_H
#define POLYMPI_PYTHON_INTERFACE_COMMUNICATOR_H

#include "transfer/communicator.h"

extern PyTypeObject Communicator_Type;

/* A communicator of the class `type` over `comm`, which it takes over, with a new shadow; others know it as
 * `named`. Collective over comm. */
PyObject *communicator_new(PyTypeObject *type, MPI_Comm comm, MPI_Comm named);

/* What it has beside its communicator, its shadow and its number. MPI's code; without the GIL. Collective. */
int communicator_complete(Communicator *self);

/* Intern argument names; once, at module start. */
int communicator_prepare(void);

#endif
