/* Methods of the communicator that send and receive (MPI 5.0, chapter 3). */
#ifndef POLYMPI_PYTHON_INTERFACE_POINT_TO_POINT_H
#define POLYMPI_PYTHON_INTERFACE_POINT_TO_POINT_H

#include "transfer/transfer.h"

extern PyMethodDef point_to_point_methods[];
int point_to_point_prepare(void);

#endif
