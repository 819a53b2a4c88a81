/* Writes lines that are not samples to the samples file, and ends well. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FILE *samples = rank == 0 && argc > 2 ? fopen(argv[2], "w") : NULL;
    if (samples) {
        fputs("polympi-samples 2\nbatch of cookies: a dozen\n\xff\xfe\x01 -7 nan\nend of the joke\n",
              samples);
        fclose(samples);
    }
    MPI_Finalize();
    return 0;
}
