/* A sample sort in C: mpiexec -n 2 ./sort [--length KEYS] [--iterations NUMBER]

   Built by  mpicc -O3 -march=native -std=c11 -o sort sort.c sort_main.c  */
#include "sort.h"

#include <inttypes.h>
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

/* Whether this rank's part is as it has to be, and all parts together are complete. All ranks call it. */
static int is_right(const struct application_part *part, int64_t length) {
    int right = 1, all_right;
    int64_t all;
    for (int64_t i = 0; i < part->count[0]; i++)
        right = right && part->values[i] == (double)(part->start[0] + i);
    MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    MPI_Allreduce(&part->count[0], &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all_right && all == length;
}

/* Sorts, and says how long it took. Gives the exit code. */
static int run(struct sort *s, const struct options *o) {
    int rank, ranks;
    int64_t most;
    double times[2]; /* of this rank, then the largest of all: seconds in all, and in the exchange */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    sort_advance(s, 1); /* finds the memory that later ones have, too */
    const int64_t before = sort_communication_ns(s);
    MPI_Barrier(MPI_COMM_WORLD);
    times[0] = -MPI_Wtime();
    sort_advance(s, o->iterations);
    times[0] += MPI_Wtime();
    times[1] = (double)(sort_communication_ns(s) - before) * 1e-9;
    MPI_Allreduce(MPI_IN_PLACE, times, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);

    struct application_part part;
    sort_part(s, &part);
    MPI_Allreduce(&part.count[0], &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    const int right = is_right(&part, o->length);
    if (rank == 0) {
        printf("%" PRId64 " keys, %" PRId64 " times, %d rank%s\n", o->length, o->iterations, ranks,
               ranks == 1 ? "" : "s");
        printf("%.3f s, %.1f million keys a second, at most %.1f %% of it in the exchange\n", times[0],
               1e-6 * (double)o->length * (double)o->iterations / times[0], 100 * times[1] / times[0]);
        printf("largest part: %" PRId64 " keys, %.2f of the mean\n", most,
               (double)most * ranks / (double)o->length);
        if (!right)
            fprintf(stderr, "The result is wrong.\n");
    }
    return right ? 0 : 1;
}

int main(int words, char **word) {
    struct options o = {1 << 20, 10};
    int rank, code = 2;
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!read_options(words, word, &o)) {
        if (rank == 0)
            fprintf(stderr, "usage: sort [--length KEYS] [--iterations NUMBER]\n");
    } else {
        struct sort *s = sort_create(MPI_COMM_WORLD, o.length);
        if (s)
            code = run(s, &o);
        else if (rank == 0)
            fprintf(stderr,
                    "%" PRId64 " keys cannot be sorted: their number has to be at least that of the ranks, "
                    "and to fit in memory.\n",
                    o.length);
        sort_free(s);
    }
    MPI_Finalize();
    return code;
}
