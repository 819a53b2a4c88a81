#define _DEFAULT_SOURCE
#include "plan.h"
#include "faces.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PLAN_VERSION = 2,
    MOST_FIELDS = 11, /* one more than a case record has, to see a superfluous one */
    MOST_WINDOW =
        1 << 20 /* so many messages of 2^34 bytes, the most an int counts, still add up in 64 bits */
};

static const char *const benchmark_names[BENCHMARKS] = {
    "latency", "bandwidth", "bibandwidth", "stream",  "faces",     "barrier", "bcast",
    "reduce",  "allreduce", "gather",      "scatter", "allgather", "alltoall"};
static const char *const send_mode_names[SEND_MODES] = {"standard", "synchronous", "buffered", "ready",
                                                        "sendrecv"};
static const char *const completion_suffixes[COMPLETIONS] = {"", "-nonblocking", "-persistent"};
static const char *const face_names[FACE_MODES] = {"contiguous", "rows", "elements"};
static const char *const page_names[] = {[HUGE_PAGES] = "huge", [PLAIN_PAGES] = "plain"};
static const char *const payload_names[PAYLOADS] = {"none",  "bytes", "float64", "int",
                                                    "float", "dict",  "array"};

/* A position in the plan, so that a complaint can name the line. */
struct reader {
    const char *path;
    int line;
    char *complaint;
    size_t room;
};

static bool complain(struct reader *reader, const char *what, const char *value) {
    snprintf(reader->complaint, reader->room, "The plan '%s', line %d: %s '%.80s'.", reader->path,
             reader->line, what, value);
    return false;
}

/* Index of a name, or -1. */
static int find(const char *name, const char *const names[], int count) {
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
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

static bool read_int(struct reader *reader, const char *text, int most, int *number) {
    long long wide;
    if (!read_number(reader, text, most, &wide))
        return false;
    *number = (int)wide;
    return true;
}

/* The modes of faces say how a face lies in memory. All others are a send mode with the suffix of a
 * completion; only latency has others than `standard`. */
static bool read_mode(struct reader *reader, const char *text, struct plan_case *c) {
    const int face = find(text, face_names, FACE_MODES);
    if ((c->benchmark == FACES) != (face >= 0))
        return complain(reader, "unknown mode", text);
    if (face >= 0) {
        c->face = (enum face)face;
        return true;
    }
    const size_t stem = strcspn(text, "-");
    const int completion = find(text + stem, completion_suffixes, COMPLETIONS);
    int send_mode = -1;
    for (int i = 0; i < SEND_MODES; i++)
        if (strlen(send_mode_names[i]) == stem && strncmp(text, send_mode_names[i], stem) == 0)
            send_mode = i;
    const bool plain = send_mode == STANDARD && completion == BLOCKING;
    if (send_mode < 0 || completion < 0 || (send_mode == SENDRECV && completion != BLOCKING) ||
        (c->benchmark != LATENCY && !plain))
        return complain(reader, "unknown mode", text);
    c->send_mode = (enum send_mode)send_mode;
    c->completion = (enum completion)completion;
    return true;
}

static bool has_legal_size(const struct plan_case *c) {
    if (c->benchmark == FACES && face_edge(c->bytes) == 0)
        return false;
    switch (c->payload) {
    case NONE:
        return c->bytes == 0;
    case INT:
    case FLOAT:
        return c->bytes == 8;
    case DICT:
        return c->bytes == 24;
    case FLOAT64:
    case ARRAY:
        return c->bytes % 8 == 0;
    default:
        return true;
    }
}

static bool read_case(struct reader *reader, char *fields[], struct plan_case *c) {
    const int benchmark = find(fields[2], benchmark_names, BENCHMARKS);
    const int payload = find(fields[4], payload_names, PAYLOADS);
    long long bytes;
    if (benchmark < 0)
        return complain(reader, "unknown benchmark", fields[2]);
    *c = (struct plan_case){.benchmark = (enum benchmark)benchmark};
    if (!read_mode(reader, fields[3], c))
        return false;
    if (payload < 0)
        return complain(reader, "unknown payload", fields[4]);
    c->payload = (enum payload)payload;
    if (!read_int(reader, fields[1], INT_MAX, &c->id) || !read_number(reader, fields[5], LLONG_MAX, &bytes) ||
        !read_int(reader, fields[6], INT_MAX, &c->warmup) ||
        !read_int(reader, fields[7], INT_MAX, &c->batches) ||
        !read_int(reader, fields[8], INT_MAX, &c->iterations) ||
        !read_int(reader, fields[9], INT_MAX, &c->events))
        return false;
    c->bytes = (size_t)bytes;
    return has_legal_size(c) || complain(reader, "the payload cannot have the size", fields[5]);
}

static bool append_case(struct reader *reader, struct plan *plan, char *fields[]) {
    /* Growing at powers of two: the array is full exactly when its count is one. */
    if ((plan->count & (plan->count - 1)) == 0) {
        const size_t capacity = plan->count ? 2 * plan->count : 1;
        struct plan_case *larger = realloc(plan->cases, capacity * sizeof *larger);
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

static bool read_pages(struct reader *reader, const char *text, struct plan *plan) {
    const int pages = find(text, page_names, sizeof page_names / sizeof *page_names);
    if (pages < 0)
        return complain(reader, "unknown pages", text);
    plan->pages = (enum pages)pages;
    return true;
}

/* One record after the first line; sets `ended` at the last. */
static bool read_record(struct reader *reader, struct plan *plan, char *fields[], int count, bool *ended) {
    if (strcmp(fields[0], "window") == 0 && count == 2)
        return read_int(reader, fields[1], MOST_WINDOW, &plan->window) &&
               (plan->window > 0 || complain(reader, "the window has at least one message, not", fields[1]));
    if (strcmp(fields[0], "pages") == 0 && count == 2)
        return read_pages(reader, fields[1], plan);
    if (strcmp(fields[0], "start") == 0 && count > 1)
        return true; /* the library that other languages load: this program has its functions in itself */
    if (strcmp(fields[0], "case") == 0 && count == 10)
        return append_case(reader, plan, fields);
    if (strcmp(fields[0], "end") == 0 && count == 1) {
        *ended = true;
        return true;
    }
    return complain(reader, "unknown or incomplete record", fields[0]);
}

static bool read_lines(FILE *file, struct reader *reader, struct plan *plan) {
    char *line = NULL, *fields[MOST_FIELDS];
    size_t capacity = 0;
    int version;
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

void plan_free(struct plan *plan) {
    free(plan->cases);
    *plan = (struct plan){0};
}

bool plan_read(const char *path, struct plan *plan, char *complaint, size_t room) {
    struct reader reader = {path, 0, complaint, room};
    *plan = (struct plan){.window = 1};
    FILE *file = fopen(path, "r");
    if (!file) {
        snprintf(complaint, room, "Cannot read the plan '%s': %s.", path, strerror(errno));
        return false;
    }
    bool good = read_lines(file, &reader, plan);
    if (ferror(file)) {
        snprintf(complaint, room, "Cannot read the plan '%s' to its end.", path);
        good = false;
    }
    fclose(file);
    return good;
}
