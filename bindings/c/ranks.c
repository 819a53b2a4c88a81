#include "ranks.h"

#include <mpi.h>

bool share_complaint(struct ranks ranks, char complaint[COMPLAINT_BYTES]) {
    const int mine = complaint[0] ? ranks.rank : ranks.size;
    int first;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == ranks.size)
        return false;
    MPI_Bcast(complaint, COMPLAINT_BYTES, MPI_CHAR, first, MPI_COMM_WORLD);
    return true;
}

void largest_over_ranks(struct ranks ranks, int64_t *values, int count) {
    if (ranks.rank == 0)
        MPI_Reduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    else
        MPI_Reduce(values, NULL, count, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
}
