#define _DEFAULT_SOURCE
#include "catalogue.h"
#include "cube.h"
#include "ghosts.h"
#include "layout.h"
#include "polympi_harness.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PLAN_VERSION = 2,
    MOST_FIELDS = 11, /* one more than a case record has, to see a superfluous one */
    MOST_WINDOW =
        1 << 20 /* this many messages of 2^34 bytes, the most an int counts, still add up in 64 bits */
};

/* A position in the plan, so that a complaint can name the line. */
struct reader {
    const char *path;
    int line;
    char *complaint;
};

static bool complain(struct reader *reader, const char *what, const char *value) {
    snprintf(reader->complaint, POLYMPI_COMPLAINT_BYTES, "The plan '%s', line %d: %s '%.80s'.", reader->path,
             reader->line, what, value);
    return false;
}

/* Number of a name in the catalogue, or -1. */

static int32_t find_benchmark(const char *name) {
    for (int32_t i = 0; i < POLYMPI_BENCHMARKS; i++)
        if (strcmp(name, benchmark_facts[i].name) == 0)
            return i;
    return -1;
}

static int32_t find_mode(const char *name, int32_t benchmark) {
    for (int32_t i = 0; i < POLYMPI_MODES; i++)
        if (strcmp(name, mode_facts[i].name) == 0)
            return benchmark_facts[benchmark].modes >> i & 1 ? i : -1;
    return -1;
}

static int32_t find_payload(const char *name) {
    for (int32_t i = 0; i < POLYMPI_PAYLOADS; i++)
        if (strcmp(name, payload_facts[i].name) == 0)
            return i;
    return -1;
}

static int32_t find_pages(const char *name) {
    for (int32_t i = 0; i < POLYMPI_PAGES; i++)
        if (strcmp(name, page_names[i]) == 0)
            return i;
    return -1;
}

static bool read_number(struct reader *reader, const char *text, long long most, long long *number) {
    char *end;
    errno = 0;
    *number = strtoll(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || *number > most)
        return complain(reader, "expected a whole number, not negative and not too large, found", text);
    return true;
}

static bool read_int(struct reader *reader, const char *text, int most, int32_t *number) {
    long long wide;
    if (!read_number(reader, text, most, &wide))
        return false;
    *number = (int)wide;
    return true;
}

/* Without pow, for which programs would have to be linked with libm. */
static double power(double base, int32_t exponent) {
    double product = 1.0;
    while (exponent-- > 0)
        product *= base;
    return product;
}

int64_t polympi_problem_edge(const struct polympi_case *c) {
    const int32_t dimensions = benchmark_facts[c->benchmark].dimensions;
    const int64_t elements = c->bytes / (int64_t)sizeof(double);
    int64_t low = POLYMPI_SMALLEST_EDGE, high = elements;
    while (low < high) { /* the first edge with this many elements or more */
        const int64_t middle = low + (high - low) / 2;
        if (power((double)middle, dimensions) < (double)elements)
            low = middle + 1;
        else
            high = middle;
    }
    return power((double)low, dimensions) == (double)elements && low * 8 <= c->bytes ? low : 0;
}

static bool has_legal_size(const struct polympi_case *c) {
    const struct payload_facts *facts = &payload_facts[c->payload];
    const enum shape shape = benchmark_facts[c->benchmark].shape;
    if (shape == FACE && cube_edge(c->bytes) == 0)
        return false;
    if (shape == HALO && ghosts_edge(c->bytes) == 0)
        return false;
    if (shape == LAYOUT && !layout_allows(c->bytes))
        return false;
    if (benchmark_facts[c->benchmark].dimensions && polympi_problem_edge(c) == 0)
        return false;
    return c->bytes % facts->element_bytes == 0 && c->bytes >= facts->least_bytes &&
           c->bytes <= facts->most_bytes;
}

static bool read_case(struct reader *reader, char *fields[], struct polympi_case *c) {
    const int32_t benchmark = find_benchmark(fields[2]), payload = find_payload(fields[4]);
    long long bytes;
    if (benchmark < 0)
        return complain(reader, "unknown benchmark", fields[2]);
    const int32_t mode = find_mode(fields[3], benchmark);
    if (mode < 0)
        return complain(reader, "unknown mode", fields[3]);
    if (payload < 0)
        return complain(reader, "unknown payload", fields[4]);
    *c = (struct polympi_case){.benchmark = benchmark,
                               .kind = benchmark_facts[benchmark].kind,
                               .mode = mode,
                               .send_mode = mode_facts[mode].send_mode,
                               .completion = mode_facts[mode].completion,
                               .face = mode_facts[mode].face,
                               .layout = mode_facts[mode].layout,
                               .variant = mode_facts[mode].variant,
                               .payload = payload};
    if (!read_int(reader, fields[1], INT_MAX, &c->id) || !read_number(reader, fields[5], LLONG_MAX, &bytes) ||
        !read_int(reader, fields[6], INT_MAX, &c->warmup) ||
        !read_int(reader, fields[7], INT_MAX, &c->batches) ||
        !read_int(reader, fields[8], INT_MAX, &c->iterations) ||
        !read_int(reader, fields[9], INT_MAX, &c->events))
        return false;
    c->bytes = bytes;
    return has_legal_size(c) || complain(reader, "the payload cannot have the size", fields[5]);
}

static bool append_case(struct reader *reader, struct polympi_plan *plan, char *fields[]) {
    /* Growing at powers of two: the array is full exactly when its count is one. */
    if ((plan->count & (plan->count - 1)) == 0) {
        const size_t capacity = plan->count ? 2 * (size_t)plan->count : 1;
        struct polympi_case *larger = realloc(plan->cases, capacity * sizeof *larger);
        if (!larger)
            return complain(reader, "no memory for case", fields[1]);
        plan->cases = larger;
    }
    if (!read_case(reader, fields, &plan->cases[plan->count]))
        return false;
    plan->count++;
    return true;
}

/* Splits a line at its spaces; returns the number of fields, at most MOST_FIELDS. */
static int split(char *line, char *fields[]) {
    int count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *field = line; field && count < MOST_FIELDS; count++) {
        fields[count] = field;
        field = strchr(field, ' ');
        if (field)
            *field++ = '\0';
    }
    return count;
}

static bool read_pages(struct reader *reader, const char *text, struct polympi_plan *plan) {
    const int32_t pages = find_pages(text);
    if (pages < 0)
        return complain(reader, "unknown pages", text);
    plan->pages = pages;
    return true;
}

/* One record after the first line; sets `ended` at the last. */
static bool read_record(struct reader *reader, struct polympi_plan *plan, char *fields[], int count,
                        bool *ended) {
    if (strcmp(fields[0], "window") == 0 && count == 2)
        return read_int(reader, fields[1], MOST_WINDOW, &plan->window) &&
               (plan->window > 0 || complain(reader, "the window has at least one message, not", fields[1]));
    if (strcmp(fields[0], "pages") == 0 && count == 2)
        return read_pages(reader, fields[1], plan);
    if (strcmp(fields[0], "start") == 0 && count > 1)
        return true; /* the library that others load: what is linked with this has its functions in itself */
    if (strcmp(fields[0], "case") == 0 && count == 10)
        return append_case(reader, plan, fields);
    if (strcmp(fields[0], "end") == 0 && count == 1) {
        *ended = true;
        return true;
    }
    return complain(reader, "unknown or incomplete record", fields[0]);
}

static bool read_lines(FILE *file, struct reader *reader, struct polympi_plan *plan) {
    char *line = NULL, *fields[MOST_FIELDS];
    size_t capacity = 0;
    int32_t version;
    bool good = true, ended = false;
    while (good && !ended && getline(&line, &capacity, file) >= 0) {
        const int count = split(line, fields);
        if (++reader->line > 1)
            good = read_record(reader, plan, fields, count, &ended);
        else if (strcmp(fields[0], "polympi-plan") != 0 || count != 2)
            good = complain(reader, "a plan begins with 'polympi-plan', not with", fields[0]);
        else
            good = read_int(reader, fields[1], INT_MAX, &version) &&
                   (version == PLAN_VERSION || complain(reader, "unknown version", fields[1]));
    }
    free(line);
    if (good && !ended)
        return complain(reader, "the plan is cut off: its last line is not", "end");
    return good;
}

void polympi_plan_free(struct polympi_plan *plan) {
    free(plan->cases);
    *plan = (struct polympi_plan){0};
}

int32_t polympi_plan_read(const char *path, struct polympi_plan *plan, char *complaint) {
    struct reader reader = {path, 0, complaint};
    *plan = (struct polympi_plan){.window = 1};
    FILE *file = fopen(path, "r");
    if (!file) {
        snprintf(complaint, POLYMPI_COMPLAINT_BYTES, "Cannot read the plan '%s': %s.", path, strerror(errno));
        return false;
    }
    bool good = read_lines(file, &reader, plan);
    if (ferror(file)) {
        snprintf(complaint, POLYMPI_COMPLAINT_BYTES, "Cannot read the plan '%s' to its end.", path);
        good = false;
    }
    fclose(file);
    return good;
}

const char *polympi_benchmark_name(int32_t benchmark) { return benchmark_facts[benchmark].name; }
const char *polympi_mode_name(int32_t mode) { return mode_facts[mode].name; }
const char *polympi_payload_name(int32_t payload) { return payload_facts[payload].name; }

int32_t polympi_benchmark_number(const char *name) {
    for (int32_t benchmark = 0; benchmark < POLYMPI_BENCHMARKS; benchmark++)
        if (strcmp(name, benchmark_facts[benchmark].name) == 0)
            return benchmark;
    return -1;
}
