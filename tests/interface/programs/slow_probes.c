/* An MPI_Iprobe that now and then takes longer than a rank waits before it looks at what the others call: as
 * if the rank had lost its processor between two looks. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *found, MPI_Status *status) {
    static unsigned seed;
    if (!seed)
        seed = (unsigned)getpid();
    if (rand_r(&seed) % 40 == 0)
        nanosleep(&(struct timespec){.tv_nsec = 120000000}, NULL);
    return PMPI_Iprobe(source, tag, comm, found, status);
}
