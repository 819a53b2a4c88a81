/* The inner product in C++: mpiexec -n 2 ./inner_product [--length ELEMENTS] [--iterations NUMBER] */
#include "driver.hpp"
#include "inner_product.hpp"

#include <cmath>
#include <cstdio>

namespace {

/* Computes, and says how long it took and how exact it is. Whether it is. */
bool run(InnerProduct &product, std::int64_t length, std::int64_t iterations) {
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    product.advance(1); /* finds the vectors in the cache, as later ones do */
    const std::int64_t before = product.communication_ns();
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    product.advance(iterations);
    std::array<double, 2> most = {MPI_Wtime() - begun,
                                  static_cast<double>(product.communication_ns() - before) * 1e-9};
    MPI_Allreduce(MPI_IN_PLACE, most.data(), 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const std::int64_t rest = length % 3, exact = 6 * (length / 3) + (rest == 2 ? 3 : rest);
    double error = std::abs(*product.part().values / static_cast<double>(exact) - 1);
    MPI_Bcast(&error, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        std::printf("%lld elements, %lld times, %d rank%s\n", static_cast<long long>(length),
                    static_cast<long long>(iterations), ranks, ranks == 1 ? "" : "s");
        std::printf("%.3f s, %.1f million elements a second, at most %.1f %% of it in reductions\n", most[0],
                    1e-6 * static_cast<double>(length) * static_cast<double>(iterations) / most[0],
                    100 * most[1] / most[0]);
        std::printf("inner product: %.17g, relative error %.1e\n", *product.part().values, error);
    }
    return error <= 1e-12; /* what is added up in another order differs in its last digits */
}

} // namespace

int main(int words, char **word) {
    const Options defaults{{{"--length", 1 << 18}, {"--iterations", 100}}, {}};
    const auto solve = [](Options &options) {
        InnerProduct product(MPI_COMM_WORLD, options.numbers["--length"]);
        return run(product, options.numbers["--length"], options.numbers["--iterations"]);
    };
    return driver_main(words, word, "inner_product [--length ELEMENTS] [--iterations NUMBER]", defaults,
                       solve);
}
