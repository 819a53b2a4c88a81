/* The datatypes of payloads. */
#ifndef POLYMPI_DATATYPES_H
#define POLYMPI_DATATYPES_H

#include "polympi_harness.h"

#include <mpi.h>

/* Makes the derived datatype of `dict`; datatypes_end frees it. */
void datatypes_begin(void);
void datatypes_end(void);

MPI_Datatype payload_datatype(int32_t payload);

#endif
