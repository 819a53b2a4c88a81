// Every rank says which it is: what a program needs before it does anything.
#include <iostream>
#include <mpi.h>
#include <string>

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::cout << "Hello from rank " + std::to_string(rank) + " of " + std::to_string(size) + "\n";
    MPI_Finalize();
}
