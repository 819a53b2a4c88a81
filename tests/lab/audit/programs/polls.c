/* Rank 1 sends half a second late; rank 0 looks for the message again and again, and between two looks does
   nothing, sleeps or computes, as the argument says. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* As long on a busy machine, where a rank may lose its processor. */
static void compute(double seconds) {
    for (double end = processor_time() + seconds; processor_time() < end;)
        ;
}

static void between(const char *how) {
    if (strcmp(how, "sleeps") == 0)
        usleep(2000);
    if (strcmp(how, "computes") == 0)
        compute(0.002);
}

int main(int argc, char **argv) {
    int rank, flag = 0, value = 7;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        usleep(500000);
        MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
        for (MPI_Test(&request, &flag, MPI_STATUS_IGNORE); !flag;
             MPI_Test(&request, &flag, MPI_STATUS_IGNORE))
            between(argv[1]);
    }
    MPI_Finalize();
    return value != 7;
}
