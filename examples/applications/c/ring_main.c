/* A number that goes around all ranks, each of which adds one: mpiexec -n 4 ./ring [--laps NUMBER] */
#include "driver.h"

#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>

/* Sends the number around this many times. All ranks call it; rank 0 returns the number that came home. */
static int64_t ring(MPI_Comm comm, int64_t times) {
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const int before = (rank + ranks - 1) % ranks, behind = (rank + 1) % ranks;
    int64_t number = 0;
    for (int64_t lap = 0; lap < times; lap++)
        if (rank == 0) {
            const int64_t sent = number;
            MPI_Request request; /* a send that does not wait, so that a single rank can send to itself */
            MPI_Isend(&sent, 1, MPI_INT64_T, behind, 0, comm, &request);
            MPI_Recv(&number, 1, MPI_INT64_T, before, 0, comm, MPI_STATUS_IGNORE);
            number++;
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&number, 1, MPI_INT64_T, before, 0, comm, MPI_STATUS_IGNORE);
            number++;
            MPI_Send(&number, 1, MPI_INT64_T, behind, 0, comm);
        }
    return number;
}

static int64_t laps = 1000;

static int run(int rank, int ranks) {
    ring(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    const int64_t number = ring(MPI_COMM_WORLD, laps);
    const double hop = (MPI_Wtime() - begun) / ((double)laps * ranks);
    int wrong = rank == 0 && number != laps * ranks;
    MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%" PRId64 " laps of %d ranks: the number is %" PRId64 ", a hop takes %.2f us\n", laps, ranks,
               number, 1e6 * hop);
    return driver_judge(rank, !wrong);
}

int main(int words, char **word) {
    const struct option options[] = {{.word = "--laps", .number = &laps}, {0}};
    return driver_main(words, word, "ring [--laps NUMBER]", options, run);
}
