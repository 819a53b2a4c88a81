#include "mpi_names.inc"
! A module for each send call, since a call of MPI with a buffer of any type cannot be pointed to.
#define MODULE_NAME latency_standard
#define SEND MPI_Send
#define ISEND MPI_Isend
#include "latency_mode.inc"
#undef MODULE_NAME
#undef SEND
#undef ISEND
#define MODULE_NAME latency_synchronous
#define SEND MPI_Ssend
#define ISEND MPI_Issend
#include "latency_mode.inc"
#undef MODULE_NAME
#undef SEND
#undef ISEND
#define MODULE_NAME latency_buffered
#define SEND MPI_Bsend
#define ISEND MPI_Ibsend
#include "latency_mode.inc"
