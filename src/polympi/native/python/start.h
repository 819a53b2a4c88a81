/* The start: MPI, what the ranks have to agree on, and the communicator of all of them. */
#ifndef POLYMPI_START_H
#define POLYMPI_START_H

#include "transport/transport.h"

/* The version of the wire that this rank speaks: WIRE_VERSION, unless a test claims another one. */
extern uint32_t wire_version;

/* The communicator of the world of polympi, for its group. */
MPI_Comm start_world(void);

PyObject *start(PyObject *module, PyObject *args);

#endif
