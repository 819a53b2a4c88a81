#define _DEFAULT_SOURCE
#include "facts.h"
#include "samples.h"

#include <ctype.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int level;
} thread_levels[] = {{"single", MPI_THREAD_SINGLE},
                     {"funneled", MPI_THREAD_FUNNELED},
                     {"serialized", MPI_THREAD_SERIALIZED},
                     {"multiple", MPI_THREAD_MULTIPLE}};

enum { THREAD_LEVELS = sizeof thread_levels / sizeof *thread_levels };

static const char *thread_level_name(void) {
    int level;
    MPI_Query_thread(&level);
    for (int i = 0; i < THREAD_LEVELS; i++)
        if (thread_levels[i].level == level)
            return thread_levels[i].name;
    return "unknown";
}

void polympi_memory(int64_t *pss, int64_t *rss) {
    char line[256];
    long long kib;
    *pss = *rss = 0;
    FILE *rollup = fopen("/proc/self/smaps_rollup", "r");
    if (!rollup)
        return;
    while (fgets(line, sizeof line, rollup))
        if (sscanf(line, "Pss: %lld kB", &kib) == 1)
            *pss = 1024 * kib;
        else if (sscanf(line, "Rss: %lld kB", &kib) == 1)
            *rss = 1024 * kib;
    fclose(rollup);
}

/* The first line, its runs of blanks as single spaces. */
static void tidy_first_line(char *text) {
    char *to = text;
    for (const char *from = text; *from && *from != '\n'; from++)
        if (!isspace((unsigned char)*from))
            *to++ = *from;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    if (to > text && to[-1] == ' ')
        to--;
    *to = '\0';
}

static int ascending(const void *a, const void *b) {
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* The longest list of CPUs that is reported: every other one of 300 in a row. */
enum { CPU_LIST_BYTES = 1024 };

/* Where a rank runs: the CPUs that it may use, as the kernel lists them, or "-", and the name of its host. */
struct place {
    char cpus[CPU_LIST_BYTES];
    char host[MPI_MAX_PROCESSOR_NAME];
};

static void find_place(struct place *place) {
    static const char key[] = "Cpus_allowed_list:";
    char line[sizeof key + CPU_LIST_BYTES];
    int length;
    memset(place, 0, sizeof *place);
    strcpy(place->cpus, "-");
    MPI_Get_processor_name(place->host, &length);
    FILE *status = fopen("/proc/self/status", "r");
    if (!status)
        return;
    while (fgets(line, sizeof line, status))
        if (!strncmp(line, key, sizeof key - 1) &&
            strchr(line, '\n')) /* else it was cut: it names other CPUs */
            sscanf(line + sizeof key - 1, "%1023s", place->cpus);
    fclose(status);
}

void facts_write_places(struct polympi_samples *samples) {
    struct place mine, *places = NULL;
    int rank, ranks;
    find_place(&mine);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0 && !(places = malloc((size_t)ranks * sizeof *places))) {
        fprintf(stderr, "There is no memory for where %d ranks run.\n", ranks);
        polympi_abort(POLYMPI_CANNOT_DO_THE_PLAN);
    }
    MPI_Gather(&mine, sizeof mine, MPI_BYTE, places, sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int i = 0; places && i < ranks; i++)
        samples_format(samples, "place %d %s %s", i, places[i].cpus, places[i].host);
    free(places);
}

/* What the time of a call from a common start contains beyond the call: the median of starts without one. */
static int64_t start_cost_ns(void) {
    enum { STARTS = 101 };
    int64_t ns[STARTS];
    common_start_agree();
    for (int i = 0; i < STARTS;) {
        const int64_t start = common_start_wait();
        ns[i] = polympi_now() - start;
        i += common_start_agree();
    }
    qsort(ns, STARTS, sizeof *ns, ascending);
    return ns[STARTS / 2];
}

void facts_write(struct polympi_samples *samples, const struct polympi_launch *launch) {
    char library[MPI_MAX_LIBRARY_VERSION_STRING], host[MPI_MAX_PROCESSOR_NAME];
    int length, ranks;
    int64_t largest[2] = {launch->pss_bytes, launch->rss_bytes}, pss_of_all = 0;
    polympi_largest_over_ranks(largest, 2);
    MPI_Reduce(&launch->pss_bytes, &pss_of_all, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    const int64_t ready = common_start_latest(launch->ready_ns);
    const int64_t ready_error = common_start_clock_error();
    const int64_t start_cost = start_cost_ns();
    if (!samples)
        return;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Get_library_version(library, &length);
    tidy_first_line(library);
    MPI_Get_processor_name(host, &length);
    samples_format(samples, "binding %s", launch->binding);
    samples_format(samples, "mpi %s", library);
    samples_format(samples, "ranks %d", ranks);
    samples_format(samples, "threads %s", thread_level_name());
    samples_format(samples, "clock %" PRId64 " %.1f", polympi_clock_resolution(), polympi_clock_cost());
    samples_format(samples, "host %s", host);
    samples_format(samples, "startup %" PRId64 " %" PRId64 " %" PRId64, ready, launch->load_ns,
                   launch->init_ns);
    samples_format(samples, "memory %" PRId64 " %" PRId64 " %" PRId64, largest[0], largest[1],
                   pss_of_all / ranks);
    samples_format(samples, "start %" PRId64 " %" PRId64, start_cost, ready_error);
    polympi_samples_flush(samples);
}

void facts_write_pages(struct polympi_samples *samples, const struct polympi_arena *arena) {
    int64_t mine[2] = {polympi_arena_huge_bytes(arena), arena->size}, bytes[2] = {0, 0};
    MPI_Reduce(mine, bytes, 2, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    samples_format(samples, "pages %" PRId64 " %" PRId64, bytes[0], bytes[1]);
}

void facts_write_clocks(struct polympi_samples *samples) {
    if (common_start_clock_error() > 0)
        samples_format(samples, "clocks %" PRId64, common_start_clock_error());
}
