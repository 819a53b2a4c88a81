/* Functions of the module for the tests of what Python code cannot reach by itself. */
#ifndef POLYMPI_PROBES_H
#define POLYMPI_PROBES_H

#include "core.h"

/* _strided_copy, _datatype_copy, _pool_array, _pool_memory, _pool_handler, _pool_statistics; ends with an
 * empty entry. */
extern PyMethodDef probe_methods[];

#endif
