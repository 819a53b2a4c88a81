/* The start: MPI, for this rank alone; then a world, what its ranks have to agree on, and their communicator.
 */
#ifndef POLYMPI_START_H
#define POLYMPI_START_H

#include "transport/transport.h"

/* The version of the wire that this rank speaks: WIRE_VERSION, unless a test claims another one. */
extern uint32_t wire_version;

/* The ranks of the world of polympi, once that is made. */
MPI_Group ranks_of_world(void);

/* Methods of the module. */
PyObject *start_mpi(PyObject *module, PyObject *args);
PyObject *start_world(PyObject *module, PyObject *args);

#endif
