/* Methods of the communicator that combine what the ranks have (MPI 5.0, sections 6.9 to 6.12). */
#pragma once

#include "collectives/async_collective.h"
#include "collectives/collectives.h"
#include "reductions/op.h"

COLLECTIVE(reduce)
COLLECTIVE(allreduce)
COLLECTIVE(scan)
COLLECTIVE(exscan)
COLLECTIVE(reduce_scatter)
/* A nonblocking one; `into` may be NULL. NULL with an exception. */
AsyncCollective *reduction_start(Communicator *comm, enum verb verb, PyObject *value, Op *op, int root,
                                 PyObject *into);
PyObject *communicator_tree(Communicator *self, PyObject *unused);
