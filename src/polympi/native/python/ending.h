/* How this process ends MPI, together with all other ranks. */
#ifndef POLYMPI_ENDING_H
#define POLYMPI_ENDING_H

#include "transport/transport.h"

/* Once MPI runs: what the end needs, and the hooks that notice it. `settle` is a Python
 * function, which is called when other code finalises MPI. MPI's code. */
int ending_prepare(PyObject *settle);
/* Once the ranks of a world have come together, which will do so again at their end. MPI's code. */
int ending_of_world(MPI_Comm world);

/* Methods of the module. */
PyObject *settle(PyObject *module, PyObject *args);
PyObject *finish(PyObject *module, PyObject *unused);
PyObject *abort_job(PyObject *module, PyObject *code);
PyObject *expect_exit(PyObject *module, PyObject *status);
PyObject *end_at_once(PyObject *module, PyObject *status);

#endif
