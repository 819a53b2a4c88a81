/* The table of the methods that all ranks call together. */
#ifndef POLYMPI_COLLECTIVE_METHODS_H
#define POLYMPI_COLLECTIVE_METHODS_H

#include "base/state.h"

extern PyMethodDef collective_methods[];
int collectives_prepare(void);

#endif
