#define _DEFAULT_SOURCE
#include "facts.h"
#include "clock.h"

#include <ctype.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
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

void facts_write(struct samples *samples, struct ranks ranks, const char *binding, struct startup startup,
                 struct memory memory) {
    char library[MPI_MAX_LIBRARY_VERSION_STRING], host[MPI_MAX_PROCESSOR_NAME];
    int length;
    int64_t largest[2] = {memory.pss, memory.rss};
    largest_over_ranks(ranks, largest, 2);
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
    samples_flush(samples);
}
