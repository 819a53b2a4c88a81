/* Functions of the module for tests of what Python code cannot reach otherwise. */
#pragma once

#include "transport/transport.h"

extern PyMethodDef test_functions[];
