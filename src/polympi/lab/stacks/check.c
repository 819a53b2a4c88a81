// Says who it is, on which hosts, and which library it runs on: what tells a working stack from a mismatched
// launcher.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_hosts(int rank, int size) {
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length;
    MPI_Get_processor_name(name, &length);
    char(*names)[MPI_MAX_PROCESSOR_NAME] = calloc((size_t)size, sizeof *names);
    if (!names)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Gather(name, sizeof name, MPI_CHAR, names, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; i++)
        printf("%s%s", i ? "," : "hosts=", names[i]);
    if (rank == 0)
        printf("\n");
    free(names);
}

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
    print_hosts(rank, size);
    MPI_Finalize();
    return 0;
}
