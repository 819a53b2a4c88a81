/* How this process ends MPI, together with all other ranks. */
#pragma once

#include "transport/transport.h"

/* After MPI has started: install the hooks that notice the end. `settle` is a Python function, which is
 * called when other code finalises MPI. MPI's code. */
int ending_prepare(PyObject *settle);
/* After a world was made, whose ranks meet again at the end. MPI's code. */
int ending_of_world(MPI_Comm world);

/* Methods of the module. */
PyObject *settle(PyObject *module, PyObject *args);
PyObject *finish(PyObject *module, PyObject *unused);
PyObject *abort_job(PyObject *module, PyObject *code);
PyObject *expect_exit(PyObject *module, PyObject *status);
PyObject *end_alone(PyObject *module, PyObject *unused);
PyObject *end_at_once(PyObject *module, PyObject *status);
