/* What Python calls with a communicator of its own: the sum of what all ranks give. */
#include <mpi.h>

double total(MPI_Comm comm, double mine) {
    double sum;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    return sum;
}

double total_as_fortran(int comm, double mine) { return total(MPI_Comm_f2c(comm), mine); }
