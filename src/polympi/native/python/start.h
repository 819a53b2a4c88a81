/* The start: of MPI, by this rank alone; then of a world, by all its ranks, which agree on some things first.
 */
#pragma once

#include "transport/transport.h"

/* The version of the wire format of this rank: WIRE_VERSION, unless a test claims another one. */
extern uint32_t wire_version;

/* The ranks of polympi's world, after it was made. */
MPI_Group ranks_of_world(void);

/* Methods of the module. */
PyObject *start_mpi(PyObject *module, PyObject *args);
PyObject *start_world(PyObject *module, PyObject *args);
