/* The bandwidth of the memory, by a triad in C: mpiexec -n 2 ./triad [--length ELEMENTS] [--passes NUMBER]
   [--in-place] */
#include "driver.h"
#include "triad.h"

#include <inttypes.h>
#include <stdio.h>

enum { BYTES = 24 /* that an element takes: two values read, one written */ };

static int64_t length = 1 << 24, passes = 20, in_place;

/* Whether the parts of all ranks are as they have to be. All ranks call it. */
static int is_right(const struct triad *t) {
    struct application_part part;
    int right = 1, all_right;
    triad_part(t, &part);
    for (int64_t i = 0; i < part.count[0]; i++)
        right = right && part.values[i] == triad_value(part.start[0] + i, 1 + passes, (int)in_place);
    MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all_right;
}

/* Makes the passes, and says how long they took. Returns the exit code. */
static int run(int rank, int ranks) {
    struct triad *t = triad_create(MPI_COMM_WORLD, length, (int)in_place);
    if (!t)
        return driver_refuse(rank,
                             "Arrays of %" PRId64
                             " elements do not fit in memory, or have less than one for each rank.\n",
                             length);
    triad_advance(t, 1); /* whose pages are served and whose processor is awake by then */
    struct times times = driver_begin(0);
    triad_advance(t, passes);
    times = driver_end(times, 0);
    const int right = is_right(t);
    if (rank == 0) {
        printf("%" PRId64 " elements, %" PRId64 " passes, %d rank%s, %s\n", length, passes, ranks,
               ranks == 1 ? "" : "s", in_place ? "in place" : "three arrays");
        printf("%.3f s, %.2f GB/s\n", times.all, 1e-9 * BYTES * (double)length * (double)passes / times.all);
    }
    triad_free(t);
    return driver_judge(rank, right);
}

int main(int words, char **word) {
    const struct option options[] = {{.word = "--length", .number = &length},
                                     {.word = "--passes", .number = &passes},
                                     {.word = "--in-place", .flag = &in_place},
                                     {0}};
    return driver_main(words, word, "triad [--length ELEMENTS] [--passes NUMBER] [--in-place]", options, run);
}
