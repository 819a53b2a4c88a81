/* Intercommunicators: messages between two groups of ranks, of this world or of two.
 *
 * The core has their messages between two ranks, on an intercommunicator of MPI. All else uses communicators
 * of polympi: of each group, and of the ranks of both, `whole` (polympi/intercommunicator.py).
 */
#pragma once

#include "base/state.h"

/* Methods of the module. */
PyObject *make_between(PyObject *module, PyObject *args);
PyObject *spawn(PyObject *module, PyObject *args);
PyObject *meet_parent(PyObject *module, PyObject *args);
