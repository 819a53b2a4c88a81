! The program is compiled twice: with `use mpi_f08`, where handles are types of their own, and with `use mpi`, where
! they are integers. These are the names that differ.
#ifdef USE_MPI_F08
#define MPI_MODULE mpi_f08
#define DATATYPE_HANDLE type(MPI_Datatype)
#define REQUEST_HANDLE type(MPI_Request)
#define MESSAGE_HANDLE type(MPI_Message)
#define STATUS_OBJECT type(MPI_Status)
#define DETACHED_ADDRESS type(c_ptr)
#else
#define MPI_MODULE mpi
#define DATATYPE_HANDLE integer
#define REQUEST_HANDLE integer
#define MESSAGE_HANDLE integer
#define STATUS_OBJECT integer, dimension(MPI_STATUS_SIZE)
#define DETACHED_ADDRESS integer(MPI_ADDRESS_KIND)
#endif
