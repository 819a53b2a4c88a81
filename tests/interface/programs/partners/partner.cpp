// A rank of C++ in a job with a rank of polympi: what languages.py expects of each partner.
#include <mpi.h>

#include <complex>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace {

void check(bool holds, const char *what) {
    if (!holds) {
        std::cerr << "C++: " << what << std::endl;
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

std::vector<double> receive(int count, int tag, MPI_Comm comm) {
    std::vector<double> numbers(static_cast<std::size_t>(count));
    MPI_Recv(numbers.data(), count, MPI_DOUBLE, 0, tag, comm, MPI_STATUS_IGNORE);
    return numbers;
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm coupled;
    MPI_Comm_split(MPI_COMM_WORLD, 7, 0, &coupled);
    int rank, shape[2];
    MPI_Comm_rank(coupled, &rank);
    MPI_Bcast(shape, 2, MPI_INT, 0, coupled);
    const int rows = shape[0], columns = shape[1];
    check(rows == 12 && columns == 5, "the shape");

    const auto table = receive(rows * columns, 1, coupled), column = receive(rows, 2, coupled),
               again = receive(rows * columns, 3, coupled);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            check(table[static_cast<std::size_t>(i * columns + j)] == i * columns + j, "the table");
            check(again[static_cast<std::size_t>(j * rows + i)] == i * columns + j, "the table of Fortran");
        }
    std::complex<float> pair[2];
    MPI_Recv(pair, 2, MPI_C_FLOAT_COMPLEX, 0, 4, coupled, MPI_STATUS_IGNORE);
    check(pair[0] == std::complex<float>(1, 2) && pair[1] == std::complex<float>(3, -4), "complex numbers");
    std::string text(4, ' ');
    MPI_Recv(text.data(), 4, MPI_BYTE, 0, 5, coupled, MPI_STATUS_IGNORE);
    check(text == "halo", "bytes");

    std::vector<double> doubled(column);
    for (double &number : doubled)
        number *= 2;
    MPI_Send(doubled.data(), rows, MPI_DOUBLE, 0, 6, coupled);
    const std::int64_t numbers[] = {rank, std::int64_t(1) << 40, -1};
    MPI_Send(numbers, 3, MPI_INT64_T, 0, 7, coupled);
    for (auto &number : pair)
        number = std::conj(number);
    MPI_Send(pair, 2, MPI_C_FLOAT_COMPLEX, 0, 8, coupled);

    double mine[] = {rank + 1.0, 10.0}, sums[2];
    MPI_Allreduce(mine, sums, 2, MPI_DOUBLE, MPI_SUM, coupled);
    check(sums[0] == 10 && sums[1] == 40, "allreduce");
    MPI_Reduce(&rank, nullptr, 1, MPI_INT, MPI_MAX, 0, coupled);
    const std::vector<float> piece(static_cast<std::size_t>(rank), static_cast<float>(rank));
    MPI_Gatherv(piece.data(), rank, MPI_FLOAT, nullptr, nullptr, nullptr, MPI_FLOAT, 0, coupled);
    int to[4], from[4];
    for (int other = 0; other < 4; other++)
        to[other] = 10 * rank + other;
    MPI_Alltoall(to, 1, MPI_INT, from, 1, MPI_INT, coupled);
    check(from[0] == rank && from[3] == 30 + rank, "alltoall");
    MPI_Barrier(coupled);
    std::cout << "C++ done\n" << std::flush;
    MPI_Finalize();
}
