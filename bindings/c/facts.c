#define _DEFAULT_SOURCE
#include "facts.h"
#include "clock.h"
#include "common_start.h"

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

bool thread_level(const char *name, int *level) {
    for (int i = 0; i < THREAD_LEVELS; i++)
        if (strcmp(name, thread_levels[i].name) == 0) {
            *level = thread_levels[i].level;
            return true;
        }
    return false;
}

static const char *thread_level_name(void) {
    int level;
    MPI_Query_thread(&level);
    for (int i = 0; i < THREAD_LEVELS; i++)
        if (thread_levels[i].level == level)
            return thread_levels[i].name;
    return "unknown";
}

struct memory memory_now(void) {
    struct memory memory = {0, 0};
    char line[256];
    long long kib;
    FILE *rollup = fopen("/proc/self/smaps_rollup", "r");
    if (!rollup)
        return memory;
    while (fgets(line, sizeof line, rollup))
        if (sscanf(line, "Pss: %lld kB", &kib) == 1)
            memory.pss = 1024 * kib;
        else if (sscanf(line, "Rss: %lld kB", &kib) == 1)
            memory.rss = 1024 * kib;
    fclose(rollup);
    return memory;
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

/* What the time of a call from a common start contains besides the call: the median of starts without one. */
static int64_t start_cost_ns(void) {
    enum { STARTS = 101 };
    int64_t ns[STARTS];
    common_start_agree();
    for (int i = 0; i < STARTS;) {
        const int64_t start = common_start_wait();
        ns[i] = now_ns() - start;
        i += common_start_agree();
    }
    qsort(ns, STARTS, sizeof *ns, ascending);
    return ns[STARTS / 2];
}

void facts_write(struct samples *samples, struct ranks ranks, const char *binding, struct startup startup,
                 struct memory memory) {
    char library[MPI_MAX_LIBRARY_VERSION_STRING], host[MPI_MAX_PROCESSOR_NAME];
    int length;
    int64_t largest[2] = {memory.pss, memory.rss};
    largest_over_ranks(ranks, largest, 2);
    const int64_t start_cost = start_cost_ns();
    if (!samples)
        return;
    MPI_Get_library_version(library, &length);
    tidy_first_line(library);
    MPI_Get_processor_name(host, &length);
    samples_record(samples, "binding %s", binding);
    samples_record(samples, "mpi %s", library);
    samples_record(samples, "ranks %d", ranks.size);
    samples_record(samples, "threads %s", thread_level_name());
    samples_record(samples, "clock %" PRId64 " %.1f", clock_resolution_ns(), clock_cost_ns());
    samples_record(samples, "host %s", host);
    samples_record(samples, "startup %" PRId64 " 0 %" PRId64, startup.ready, startup.init);
    samples_record(samples, "memory %" PRId64 " %" PRId64, largest[0], largest[1]);
    samples_record(samples, "start %" PRId64 " %" PRId64, start_cost, common_start_clock_error());
    samples_flush(samples);
}

void facts_write_pages(struct samples *samples, struct ranks ranks, const struct arena *arena) {
    int64_t bytes[2] = {arena_huge_bytes(arena), (int64_t)arena->size};
    MPI_Reduce(ranks.rank == 0 ? MPI_IN_PLACE : bytes, bytes, 2, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    samples_record(samples, "pages %" PRId64 " %" PRId64, bytes[0], bytes[1]);
}
