/* Functions of the module for the tests of what Python code cannot reach by itself. */
#ifndef POLYMPI_TEST_FUNCTIONS_H
#define POLYMPI_TEST_FUNCTIONS_H

#include "transport/transport.h"

/* _strided_copy, _datatype_copy, _pool_array, _pool_memory, _pool_handler, _pool_statistics, _send_raw,
 * _claim_version, _pretend_machine, _crossings, _start_barrier, _test_flight, _wait_for_flight; ends with an
 * empty entry. */
extern PyMethodDef test_functions[];

#endif
