/* The bandwidth of the memory, by a triad in C: mpiexec -n 2 ./triad [--length ELEMENTS] [--passes NUMBER]
   [--in-place]

   Built by  mpicc -O3 -march=native -std=c11 -o triad triad.c triad_main.c  */
#include "triad.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 24 /* that an element takes: two values read, one written */ };

struct options {
    int64_t length, passes;
    int in_place;
};

/* Whether the words of the command line have a meaning. */
static int read_options(int words, char **word, struct options *o) {
    for (int i = 1; i < words; i++) {
        int64_t *number = strcmp(word[i], "--length") == 0   ? &o->length
                          : strcmp(word[i], "--passes") == 0 ? &o->passes
                                                             : NULL;
        char *end = NULL;
        if (strcmp(word[i], "--in-place") == 0) {
            o->in_place = 1;
            continue;
        }
        if (!number || ++i == words)
            return 0;
        *number = strtoll(word[i], &end, 10);
        if (end == word[i] || *end || *number < 1)
            return 0;
    }
    return 1;
}

/* Whether the parts of all ranks are as they have to be. All ranks call it. */
static int is_right(const struct triad *t, int64_t passes, int in_place) {
    struct application_part part;
    int right = 1, all_right;
    triad_part(t, &part);
    for (int64_t i = 0; i < part.count[0]; i++)
        right = right && part.values[i] == triad_value(part.start[0] + i, passes, in_place);
    MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all_right;
}

/* Makes the passes, and says how long they took. Gives the exit code. */
static int run(struct triad *t, const struct options *o) {
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    triad_advance(t, 1); /* whose pages are served and whose processor is awake by then */
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = -MPI_Wtime();
    triad_advance(t, o->passes);
    seconds += MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const int right = is_right(t, 1 + o->passes, o->in_place);
    if (rank == 0) {
        printf("%" PRId64 " elements, %" PRId64 " passes, %d rank%s, %s\n", o->length, o->passes, ranks,
               ranks == 1 ? "" : "s", o->in_place ? "in place" : "three arrays");
        printf("%.3f s, %.2f GB/s\n", seconds,
               1e-9 * BYTES * (double)o->length * (double)o->passes / seconds);
        if (!right)
            fprintf(stderr, "The result is wrong.\n");
    }
    return right ? 0 : 1;
}

int main(int words, char **word) {
    struct options o = {1 << 24, 20, 0};
    int rank, code = 2;
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!read_options(words, word, &o)) {
        if (rank == 0)
            fprintf(stderr, "usage: triad [--length ELEMENTS] [--passes NUMBER] [--in-place]\n");
    } else {
        struct triad *t = triad_create(MPI_COMM_WORLD, o.length, o.in_place);
        if (t)
            code = run(t, &o);
        else if (rank == 0)
            fprintf(stderr,
                    "Arrays of %" PRId64
                    " elements do not fit in memory, or have less than one for each rank.\n",
                    o.length);
        triad_free(t);
    }
    MPI_Finalize();
    return code;
}
