/* The method of communicators that gives them back. */
#ifndef POLYMPI_PYTHON_INTERFACE_FREEING_H
#define POLYMPI_PYTHON_INTERFACE_FREEING_H

#include "transfer/communicator.h"

extern PyMethodDef freeing_methods[];

#endif
