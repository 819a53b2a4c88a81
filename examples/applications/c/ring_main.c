/* A number that goes around all ranks, each of which adds one: mpiexec -n 4 ./ring [--laps NUMBER]

   Built by  mpicc -O3 -march=native -std=c11 -o ring ring_main.c  */
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sends the number around so many times. All ranks call it; rank 0 returns the number that came home. */
static int64_t ring(MPI_Comm comm, int64_t laps) {
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const int before = (rank + ranks - 1) % ranks, behind = (rank + 1) % ranks;
    int64_t number = 0;
    for (int64_t lap = 0; lap < laps; lap++)
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

/* Whether the words of the command line have a meaning. */
static int read_options(int words, char **word, int64_t *laps) {
    char *end = NULL;
    if (words == 1)
        return 1;
    if (words != 3 || strcmp(word[1], "--laps") != 0)
        return 0;
    *laps = strtoll(word[2], &end, 10);
    return end != word[2] && !*end && *laps > 0;
}

int main(int words, char **word) {
    int64_t laps = 1000;
    int rank, ranks, code = 2;
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (read_options(words, word, &laps)) {
        ring(MPI_COMM_WORLD, 1);
        MPI_Barrier(MPI_COMM_WORLD);
        const double begun = MPI_Wtime();
        const int64_t number = ring(MPI_COMM_WORLD, laps);
        const double hop = (MPI_Wtime() - begun) / ((double)laps * ranks);
        code = rank == 0 && number != laps * ranks;
        MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (rank == 0)
            printf("%" PRId64 " laps of %d ranks: the number is %" PRId64 ", a hop takes %.2f us\n", laps,
                   ranks, number, 1e6 * hop);
        if (rank == 0 && code)
            fprintf(stderr, "The number is wrong.\n");
    } else if (rank == 0) {
        fprintf(stderr, "usage: ring [--laps NUMBER]\n");
    }
    MPI_Finalize();
    return code;
}
