/* The start: MPI, what the ranks have to agree on, and the communicator of all of them. */
#ifndef POLYMPI_START_H
#define POLYMPI_START_H

#include "base/state.h"

/* The version of the wire that this rank speaks: WIRE_VERSION, unless a test claims another one. */
extern uint32_t wire_version;

PyObject *start(PyObject *module, PyObject *args);

#endif
