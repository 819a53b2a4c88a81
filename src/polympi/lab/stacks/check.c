// Says who it is and which library it runs on: what tells a working stack from a mismatched launcher.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size, length;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    Dl_info where = {0};
    void *symbol = dlsym(RTLD_DEFAULT, "MPI_Init");
    if (rank == 0)
        printf("size=%d\nsum=%d\nlibrary=%s\nlibmpi=%s\n", size, sum, library,
               symbol && dladdr(symbol, &where) ? where.dli_fname : "");
    MPI_Finalize();
    return 0;
}
