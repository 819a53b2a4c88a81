/* The inner product in C: mpiexec -n 2 ./inner_product [--length ELEMENTS] [--iterations NUMBER]

   Built by  mpicc -O3 -march=native -std=c11 -o inner_product inner_product.c inner_product_main.c -lm  */
#include "inner_product.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    int64_t length, iterations;
};

/* Whether the words of the command line have a meaning. */
static int read_options(int words, char **word, struct options *o) {
    for (int i = 1; i < words; i += 2) {
        int64_t *number = strcmp(word[i], "--length") == 0       ? &o->length
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

/* Computes, and says how long it took and how exact it is. Gives the exit code. */
static int run(struct inner_product *s, const struct options *o) {
    int rank, ranks;
    double times[2]; /* of this rank, then the largest of all: seconds in all, and in reductions */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    inner_product_advance(s, 1); /* finds the vectors in the cache, as later ones do */
    const int64_t before = inner_product_communication_ns(s);
    MPI_Barrier(MPI_COMM_WORLD);
    times[0] = -MPI_Wtime();
    inner_product_advance(s, o->iterations);
    times[0] += MPI_Wtime();
    times[1] = (double)(inner_product_communication_ns(s) - before) * 1e-9;
    MPI_Allreduce(MPI_IN_PLACE, times, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);

    struct application_part part;
    inner_product_part(s, &part);
    const int64_t rest = o->length % 3, exact = 6 * (o->length / 3) + (rest == 2 ? 3 : rest);
    double error = part.count[0] ? fabs(part.values[0] / (double)exact - 1) : 0;
    MPI_Bcast(&error, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    const int right = error <= 1e-12; /* what is added up in another order differs in its last digits */
    if (rank == 0) {
        printf("%" PRId64 " elements, %" PRId64 " times, %d rank%s\n", o->length, o->iterations, ranks,
               ranks == 1 ? "" : "s");
        printf("%.3f s, %.1f million elements a second, at most %.1f %% of it in reductions\n", times[0],
               1e-6 * (double)o->length * (double)o->iterations / times[0], 100 * times[1] / times[0]);
        printf("inner product: %.17g, relative error %.1e\n", part.values[0], error);
        if (!right)
            fprintf(stderr, "The result is wrong.\n");
    }
    return right ? 0 : 1;
}

int main(int words, char **word) {
    struct options o = {1 << 18, 100};
    int rank, code = 2;
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!read_options(words, word, &o)) {
        if (rank == 0)
            fprintf(stderr, "usage: inner_product [--length ELEMENTS] [--iterations NUMBER]\n");
    } else {
        struct inner_product *s = inner_product_create(MPI_COMM_WORLD, o.length);
        if (s)
            code = run(s, &o);
        else if (rank == 0)
            fprintf(stderr, "There is no memory for vectors of %" PRId64 " elements.\n", o.length);
        inner_product_free(s);
    }
    MPI_Finalize();
    return code;
}
