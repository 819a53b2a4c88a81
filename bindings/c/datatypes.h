/* The datatypes of payloads. */
#ifndef POLYMPI_DATATYPES_H
#define POLYMPI_DATATYPES_H

#include "polympi_harness.h"

#include <mpi.h>

/* Makes the derived datatypes of objects; datatypes_end frees them. */
void datatypes_begin(void);
void datatypes_end(void);

MPI_Datatype payload_datatype(int32_t payload);

#endif
