/* The partner of coupled.py: a program in C that knows nothing of polympi. */
#include <mpi.h>
#include <stdlib.h>

enum { FIELD = 1, SUM = 2 }; /* tags that both programs know */

int main(int argc, char **argv) {
    MPI_Comm none;
    MPI_Status status;
    int rank, count;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &none); /* the others make their own world */

    double parameters[] = {100.0, 0.5}, sum = 0;
    MPI_Bcast(parameters, 2, MPI_DOUBLE, rank, MPI_COMM_WORLD);

    MPI_Probe(0, FIELD, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    double *field = malloc((size_t)count * sizeof *field);
    MPI_Recv(field, count, MPI_DOUBLE, 0, FIELD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++)
        sum += field[i];
    MPI_Send(&sum, 1, MPI_DOUBLE, 0, SUM, MPI_COMM_WORLD);
    free(field);
    MPI_Finalize();
    return 0;
}
