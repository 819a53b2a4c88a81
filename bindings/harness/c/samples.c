#define _DEFAULT_SOURCE
#include "samples.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct polympi_samples {
    FILE *file;
    const char *path;
};

struct polympi_samples *polympi_samples_open(const char *path, char *complaint) {
    struct polympi_samples *samples = malloc(sizeof *samples);
    FILE *file = samples ? fopen(path, "w") : NULL;
    if (!file) {
        snprintf(complaint, POLYMPI_COMPLAINT_BYTES, "Cannot write the samples '%s': %s.", path,
                 strerror(errno));
        free(samples);
        return NULL;
    }
    *samples = (struct polympi_samples){file, path};
    polympi_samples_record(samples, "polympi-samples 2");
    return samples;
}

void samples_format(struct polympi_samples *samples, const char *format, ...) {
    if (!samples)
        return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(samples->file, format, arguments);
    va_end(arguments);
    fputc('\n', samples->file);
}

void polympi_samples_record(struct polympi_samples *samples, const char *line) {
    samples_format(samples, "%s", line);
}

void polympi_samples_times(struct polympi_samples *samples, const char *kind, int32_t id, const int64_t *ns,
                           int32_t count) {
    if (!samples || count == 0)
        return;
    fprintf(samples->file, "%s %" PRId32, kind, id);
    for (int i = 0; i < count; i++)
        fprintf(samples->file, " %" PRId64, ns[i]);
    fputc('\n', samples->file);
}

void polympi_samples_flush(struct polympi_samples *samples) {
    if (!samples || (fflush(samples->file) == 0 && !ferror(samples->file)))
        return;
    /* The other ranks are on their way into the next exchange: only an abort reaches them. */
    fprintf(stderr, "Cannot write the samples '%s': %s.\n", samples->path, strerror(errno));
    polympi_abort(POLYMPI_CANNOT_DO_THE_PLAN);
}

void polympi_samples_close(struct polympi_samples *samples) {
    if (!samples)
        return;
    polympi_samples_flush(samples);
    fclose(samples->file);
    free(samples);
}
