#include "transport/handles.h"

#include "base/errors.h"

#ifdef POLYMPI_SERIAL

bool has_handles(const Call *call) {
    raise_error("LibraryError", call,
                "the serial backend has no MPI library, and so no handle of a communicator: unset "
                "POLYMPI_BACKEND and install an MPI library");
    return false;
}

int fortran_number(MPI_Comm comm) {
    (void)comm;
    return -1;
}

MPI_Comm handle_of_fortran(int number) {
    (void)number;
    return MPI_COMM_NULL;
}

#else

bool has_handles(const Call *call) {
    (void)call;
    return true;
}

/* The ABI of the standard leaves the functions for Fortran to another library, and has these. */
#ifdef MPI_ABI_VERSION
int fortran_number(MPI_Comm comm) { return MPI_Comm_toint(comm); }
MPI_Comm handle_of_fortran(int number) { return MPI_Comm_fromint(number); }
#else
int fortran_number(MPI_Comm comm) { return (int)MPI_Comm_c2f(comm); }
MPI_Comm handle_of_fortran(int number) { return MPI_Comm_f2c((MPI_Fint)number); }
#endif

#endif

/* By way of intptr_t: an MPI_Comm is an int with MPICH and an address with others. */
long long handle_number(MPI_Comm comm) { return (long long)(intptr_t)comm; }
MPI_Comm handle_of_number(long long number) { return (MPI_Comm)(intptr_t)number; }
