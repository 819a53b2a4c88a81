/* A rank of C in a job with ranks of polympi: what docs/raw.md says a partner does. Ranks 0 and 1 of the
 * job are polympi, this is rank 2, rank 3 is mpi4py. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PYTHON = 0, LARGE = 3000000 };

static void check(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "C: %s\n", what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int argc, char **argv) {
    MPI_Comm coupled, ends;
    MPI_Status status;
    int rank, size, count;
    MPI_Init(&argc, &argv);
    MPI_Comm_split(MPI_COMM_WORLD, 7, 0, &coupled);
    MPI_Comm_rank(coupled, &rank);
    MPI_Comm_size(coupled, &size);
    check(rank == 2 && size == 4, "rank 2 of 4");

    double small[3] = {0}, *large = malloc(LARGE * sizeof *large);
    MPI_Recv(small, 3, MPI_DOUBLE, PYTHON, 1, coupled, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    check(count == 3 && small[0] == 1.5 && small[2] == 3.5, "three doubles");
    MPI_Send(small, 2, MPI_DOUBLE, PYTHON, 2, coupled);
    int numbers[] = {4, 5, 6, 7, 8};
    MPI_Send(numbers, 5, MPI_INT, PYTHON, 3, coupled);
    MPI_Recv(large, LARGE, MPI_DOUBLE, PYTHON, 4, coupled, MPI_STATUS_IGNORE);
    for (int i = 0; i < LARGE; i++)
        check(large[i] == i, "large numbers");
    MPI_Send(large, LARGE, MPI_DOUBLE, PYTHON, 5, coupled);
    MPI_Datatype column; /* into every second element */
    MPI_Type_vector(LARGE / 2, 1, 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Recv(large, 1, column, PYTHON, 6, coupled, MPI_STATUS_IGNORE);
    check(large[0] == -1 && large[1] == 1 && large[LARGE - 2] == -1, "a strided array");
    char text[64] = "";
    MPI_Recv(text, sizeof text, MPI_BYTE, PYTHON, 7, coupled, &status);
    check(strcmp(text, "bytes") == 0, "bytes");

    MPI_Comm_split(coupled, MPI_UNDEFINED, 0, &ends); /* the others make a world of their own */
    double sum, mine = rank + 1, all[4];
    MPI_Barrier(coupled);
    MPI_Bcast(numbers, 5, MPI_INT, 2, coupled);
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, coupled);
    check(sum == 10, "allreduce");
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_MAX, coupled);
    check(sum == 4, "allreduce of the greatest");
    MPI_Allgather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, coupled);
    check(all[0] == 1 && all[3] == 4, "allgather");
    MPI_Gather(&mine, 1, MPI_DOUBLE, NULL, 0, MPI_DOUBLE, 0, coupled);
    MPI_Scatter(NULL, 0, MPI_DOUBLE, &mine, 1, MPI_DOUBLE, 0, coupled);
    check(mine == 20, "scatter");
    int counts[] = {0, 1, 2, 3}, places[] = {0, 0, 1, 3}, pieces[6], own[] = {2, 2};
    MPI_Allgatherv(own, 2, MPI_INT, pieces, counts, places, MPI_INT, coupled);
    check(pieces[0] == 1 && pieces[1] == 2 && pieces[5] == 3, "allgatherv");
    double *sums = malloc(LARGE * sizeof *sums);
    for (int i = 0; i < LARGE; i++)
        large[i] = rank;
    MPI_Allreduce(large, sums, LARGE, MPI_DOUBLE, MPI_SUM, coupled);
    check(sums[0] == 6 && sums[LARGE - 1] == 6, "a large allreduce");

    /* A message that Python has begun to send and does not wait for, received late: after all of polympi's
     * ranks have come to their ends. */
    MPI_Comm_dup(coupled, &ends);
    sleep(3);
    MPI_Recv(large, LARGE, MPI_DOUBLE, PYTHON, 9, ends, MPI_STATUS_IGNORE);
    check(large[0] == 9 && large[LARGE - 1] == 9, "the last message");
    printf("C done\n");
    MPI_Finalize();
    return 0;
}
