/* A sample sort in C: mpiexec -n 2 ./sort [--length KEYS] [--iterations NUMBER] */
#include "driver.h"
#include "sort.h"

#include <inttypes.h>
#include <stdio.h>

static int64_t length = 1 << 20, iterations = 10;

/* Whether this rank's part is as it has to be, and all parts together are complete. All ranks call it. */
static int is_right(const struct application_part *part) {
    int right = 1, all_right;
    int64_t all;
    for (int64_t i = 0; i < part->count[0]; i++)
        right = right && part->values[i] == (double)(part->start[0] + i);
    MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    MPI_Allreduce(&part->count[0], &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all_right && all == length;
}

/* Sorts, and says how long it took. Returns the exit code. */
static int run(int rank, int ranks) {
    struct sort *s = sort_create(MPI_COMM_WORLD, length);
    if (!s)
        return driver_refuse(rank,
                             "%" PRId64
                             " keys cannot be sorted: their number has to be at least that of the ranks, "
                             "and to fit in memory.\n",
                             length);
    sort_advance(s, 1); /* finds the memory that later ones have, too */
    struct times times = driver_begin(sort_communication_ns(s));
    sort_advance(s, iterations);
    times = driver_end(times, sort_communication_ns(s));

    struct application_part part;
    int64_t most;
    sort_part(s, &part);
    MPI_Allreduce(&part.count[0], &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    const int right = is_right(&part);
    if (rank == 0) {
        printf("%" PRId64 " keys, %" PRId64 " times, %d rank%s\n", length, iterations, ranks,
               ranks == 1 ? "" : "s");
        printf("%.3f s, %.1f million keys a second, at most %.1f %% of it in the exchange\n", times.all,
               1e-6 * (double)length * (double)iterations / times.all, 100 * times.communication / times.all);
        printf("largest part: %" PRId64 " keys, %.2f of the mean\n", most,
               (double)most * ranks / (double)length);
    }
    sort_free(s);
    return driver_judge(rank, right);
}

int main(int words, char **word) {
    const struct option options[] = {
        {.word = "--length", .number = &length}, {.word = "--iterations", .number = &iterations}, {0}};
    return driver_main(words, word, "sort [--length KEYS] [--iterations NUMBER]", options, run);
}
