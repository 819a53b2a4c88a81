#define _DEFAULT_SOURCE
#include "polympi_harness.h"

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int32_t polympi_share_complaint(char *complaint) {
    int rank, ranks, first;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int mine = complaint[0] ? rank : ranks;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == ranks)
        return 0;
    MPI_Bcast(complaint, POLYMPI_COMPLAINT_BYTES, MPI_CHAR, first, MPI_COMM_WORLD);
    return 1;
}

void polympi_largest_over_ranks(int64_t *values, int32_t count) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Reduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    else
        MPI_Reduce(values, NULL, count, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
}

/* A launcher drops what it has not read when a rank aborts, so it gets a moment for that (MPICH 5.0). */
void polympi_abort(int code) {
    enum { MOMENT_US = 100000 };
    fflush(stderr);
    usleep(MOMENT_US);
    MPI_Abort(MPI_COMM_WORLD, code);
}
