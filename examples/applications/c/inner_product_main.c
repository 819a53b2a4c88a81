/* The inner product in C: mpiexec -n 2 ./inner_product [--length ELEMENTS] [--iterations NUMBER] */
#include "driver.h"
#include "inner_product.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static int64_t length = 1 << 18, iterations = 100;

/* Computes, and says how long it took and how exact it is. Returns the exit code. */
static int run(int rank, int ranks) {
    struct inner_product *s = inner_product_create(MPI_COMM_WORLD, length);
    if (!s)
        return driver_refuse(rank, "There is no memory for vectors of %" PRId64 " elements.\n", length);
    inner_product_advance(s, 1); /* finds the vectors in the cache, as later ones do */
    struct times times = driver_begin(inner_product_communication_ns(s));
    inner_product_advance(s, iterations);
    times = driver_end(times, inner_product_communication_ns(s));

    struct application_part part;
    inner_product_part(s, &part);
    const int64_t rest = length % 3, exact = 6 * (length / 3) + (rest == 2 ? 3 : rest);
    double error = part.count[0] ? fabs(part.values[0] / (double)exact - 1) : 0;
    MPI_Bcast(&error, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%" PRId64 " elements, %" PRId64 " times, %d rank%s\n", length, iterations, ranks,
               ranks == 1 ? "" : "s");
        printf("%.3f s, %.1f million elements a second, at most %.1f %% of it in reductions\n", times.all,
               1e-6 * (double)length * (double)iterations / times.all, 100 * times.communication / times.all);
        printf("inner product: %.17g, relative error %.1e\n", part.values[0], error);
    }
    inner_product_free(s);
    return driver_judge(rank, error <= 1e-12); /* added up in another order it differs in its last digits */
}

int main(int words, char **word) {
    const struct option options[] = {
        {.word = "--length", .number = &length}, {.word = "--iterations", .number = &iterations}, {0}};
    return driver_main(words, word, "inner_product [--length ELEMENTS] [--iterations NUMBER]", options, run);
}
