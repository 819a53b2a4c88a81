#include "samples.h"

#include <errno.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANNOT_WRITE = 3 }; /* the protocol's exit code */

struct samples {
    FILE *file;
    const char *path;
};

struct samples *samples_open(const char *path, char *complaint, size_t room) {
    struct samples *samples = malloc(sizeof *samples);
    FILE *file = samples ? fopen(path, "w") : NULL;
    if (!file) {
        snprintf(complaint, room, "Cannot write the samples '%s': %s.", path, strerror(errno));
        free(samples);
        return NULL;
    }
    *samples = (struct samples){file, path};
    samples_record(samples, "polympi-samples 2");
    return samples;
}

void samples_record(struct samples *samples, const char *format, ...) {
    if (!samples)
        return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(samples->file, format, arguments);
    va_end(arguments);
    fputc('\n', samples->file);
}

void samples_times(struct samples *samples, const char *kind, int id, const int64_t *ns, int count) {
    if (!samples || count == 0)
        return;
    fprintf(samples->file, "%s %d", kind, id);
    for (int i = 0; i < count; i++)
        fprintf(samples->file, " %" PRId64, ns[i]);
    fputc('\n', samples->file);
}

void samples_flush(struct samples *samples) {
    if (!samples || (fflush(samples->file) == 0 && !ferror(samples->file)))
        return;
    /* The other ranks are on their way into the next exchange: only an abort reaches them. */
    fprintf(stderr, "Cannot write the samples '%s': %s.\n", samples->path, strerror(errno));
    MPI_Abort(MPI_COMM_WORLD, CANNOT_WRITE);
}

void samples_close(struct samples *samples) {
    if (!samples)
        return;
    samples_flush(samples);
    fclose(samples->file);
    free(samples);
}
