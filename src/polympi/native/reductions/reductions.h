/* Methods of the communicator that combine what the ranks have (MPI 5.0, sections 6.9 to 6.12). */
#pragma once

#include "collectives/collectives.h"

COLLECTIVE(reduce)
COLLECTIVE(allreduce)
COLLECTIVE(scan)
COLLECTIVE(exscan)
COLLECTIVE(reduce_scatter)
PyObject *communicator_tree(Communicator *self, PyObject *unused);
