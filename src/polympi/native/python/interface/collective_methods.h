/* The table of the methods that all ranks call together. */
#ifndef POLYMPI_PYTHON_INTERFACE_COLLECTIVE_METHODS_H
#define POLYMPI_PYTHON_INTERFACE_COLLECTIVE_METHODS_H

#include "base/state.h"

extern PyMethodDef collective_methods[];
int collectives_prepare(void);

#endif
