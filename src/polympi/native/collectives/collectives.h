/* Methods of the communicator that all ranks call together (MPI 5.0, chapter 6). */
#pragma once

#include "base/arguments.h"
#include "transfer/communicator.h"

#define COLLECTIVE(name)                                                                                     \
    extern Signature name##_signature;                                                                       \
    PyObject *communicator_##name(Communicator *self, FASTCALL_ARGS);
COLLECTIVE(barrier)
COLLECTIVE(bcast)
COLLECTIVE(gather)
COLLECTIVE(scatter)
COLLECTIVE(allgather)
COLLECTIVE(alltoall)

/* A barrier, which errors call `operation`; `timeout` is the user's, or NULL. */
int barrier_run(Communicator *comm, const char *operation, PyObject *timeout);

/* What was given as `root`: 0 if it was not. 0, or -1 with TypeError or RankError. */
int parse_root(Communicator *comm, PyObject *value, const char *operation, int *root);
