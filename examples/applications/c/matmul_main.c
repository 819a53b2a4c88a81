/* A product of matrices in C: mpiexec -n 2 ./matmul [--edge ROWS] [--iterations NUMBER] */
#include "driver.h"
#include "matmul.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static int64_t edge = 1024, iterations = 3;

/* The largest error of this rank's block. */
static double largest_error(const struct application_part *part) {
    double sum = 0, squares = 0, error = 0;
    for (int64_t k = 0; k < edge; k++) {
        sum += cos((double)k);
        squares += cos((double)k) * cos((double)k);
    }
    for (int64_t i = 0; i < part->count[0]; i++)
        for (int64_t j = 0; j < part->count[1]; j++) {
            const double row = sin((double)(part->start[0] + i)), column = sin((double)(part->start[1] + j));
            const double exact = (row + column) * sum + (double)edge * row * column + squares;
            error = fmax(error, fabs(part->values[i * part->stride[0] + j] - exact));
        }
    return error;
}

/* Multiplies, and says how long it took and how exact it is. Returns the exit code. */
static int run(int rank, int ranks) {
    int dims[2] = {0, 0};
    struct matmul *s = matmul_create(MPI_COMM_WORLD, edge);
    if (!s)
        return driver_refuse(
            rank, "There is no memory for %" PRId64 " rows, or they are too few: each rank needs one.\n",
            edge);
    MPI_Dims_create(ranks, 2, dims);
    struct times times = driver_begin(matmul_communication_ns(s));
    matmul_advance(s, iterations);
    times = driver_end(times, matmul_communication_ns(s));

    struct application_part part;
    matmul_part(s, &part);
    double error = largest_error(&part);
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const double rows = (double)edge;
    if (rank == 0) {
        printf("%" PRId64 "^2 elements, %" PRId64 " times, ranks %d x %d\n", edge, iterations, dims[0],
               dims[1]);
        printf("%.3f s, %.1f billion operations a second, at most %.1f %% of it in broadcasts\n", times.all,
               2e-9 * rows * rows * rows * (double)iterations / times.all,
               100 * times.communication / times.all);
        printf("largest error: %.1e\n", error);
    }
    matmul_free(s);
    return driver_judge(rank,
                        error <= 1e-12 * rows); /* sums of rows terms below 4, added up in another order */
}

int main(int words, char **word) {
    const struct option options[] = {
        {.word = "--edge", .number = &edge}, {.word = "--iterations", .number = &iterations}, {0}};
    return driver_main(words, word, "matmul [--edge ROWS] [--iterations NUMBER]", options, run);
}
