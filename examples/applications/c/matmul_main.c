/* A product of matrices in C: mpiexec -n 2 ./matmul [--edge ROWS] [--iterations NUMBER]

   Built by  mpicc -O3 -march=native -std=c11 -o matmul matmul.c matmul_main.c -lm  */
#include "matmul.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    int64_t edge, iterations;
};

/* Whether the words of the command line have a meaning. */
static int read_options(int words, char **word, struct options *o) {
    for (int i = 1; i < words; i += 2) {
        int64_t *number = strcmp(word[i], "--edge") == 0         ? &o->edge
                          : strcmp(word[i], "--iterations") == 0 ? &o->iterations
                                                                 : NULL;
        char *end = NULL;
        if (!number || i + 1 == words)
            return 0;
        *number = strtoll(word[i + 1], &end, 10);
        if (end == word[i + 1] || *end || *number < 1)
            return 0;
    }
    return 1;
}

/* The largest error of this rank's block. */
static double largest_error(const struct application_part *part, int64_t edge) {
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

/* Multiplies, and says how long it took and how exact it is. Gives the exit code. */
static int run(struct matmul *s, const struct options *o) {
    int rank, ranks, dims[2] = {0, 0};
    double times[2]; /* of this rank, then the largest of all: seconds in all, and in broadcasts */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, dims);
    MPI_Barrier(MPI_COMM_WORLD);
    times[0] = -MPI_Wtime();
    matmul_advance(s, o->iterations);
    times[0] += MPI_Wtime();
    times[1] = (double)matmul_communication_ns(s) * 1e-9;
    MPI_Allreduce(MPI_IN_PLACE, times, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);

    struct application_part part;
    matmul_part(s, &part);
    double error = largest_error(&part, o->edge);
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const double edge = (double)o->edge;
    const int right = error <= 1e-12 * edge; /* sums of so many terms below 4, added up in another order */
    if (rank == 0) {
        printf("%" PRId64 "^2 elements, %" PRId64 " times, ranks %d x %d\n", o->edge, o->iterations, dims[0],
               dims[1]);
        printf("%.3f s, %.1f billion operations a second, at most %.1f %% of it in broadcasts\n", times[0],
               2e-9 * edge * edge * edge * (double)o->iterations / times[0], 100 * times[1] / times[0]);
        printf("largest error: %.1e\n", error);
        if (!right)
            fprintf(stderr, "The result is wrong.\n");
    }
    return right ? 0 : 1;
}

int main(int words, char **word) {
    struct options o = {1024, 3};
    int rank, code = 2;
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!read_options(words, word, &o)) {
        if (rank == 0)
            fprintf(stderr, "usage: matmul [--edge ROWS] [--iterations NUMBER]\n");
    } else {
        struct matmul *s = matmul_create(MPI_COMM_WORLD, o.edge);
        if (s)
            code = run(s, &o);
        else if (rank == 0)
            fprintf(stderr,
                    "There is no memory for %" PRId64 " rows, or they are too few: each rank needs one.\n",
                    o.edge);
        matmul_free(s);
    }
    MPI_Finalize();
    return code;
}
