/* Functions of the module for tests of what Python code cannot reach otherwise. */
#ifndef POLYMPI_TEST_FUNCTIONS_H
#define POLYMPI_TEST_FUNCTIONS_H

#include "transport/transport.h"

extern PyMethodDef test_functions[];

#endif
