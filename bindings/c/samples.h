/* The samples file (docs/protocol.md). Only rank 0 holds an open one; on other ranks all of this does
 * nothing. */
#ifndef POLYMPI_SAMPLES_H
#define POLYMPI_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct samples; /* NULL on all ranks but 0 */

/* Opens the file and writes its first line; on failure writes one sentence to `complaint`. */
struct samples *samples_open(const char *path, char *complaint, size_t room);

/* Writes one record, formatted as printf does; the newline is added. */
void samples_record(struct samples *samples, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes `KIND ID NS...`; no record when there is no time. */
void samples_times(struct samples *samples, const char *kind, int id, const int64_t *ns, int count);

/* Hands what was written to the system, so that a crash cannot lose it; ends the launch if that fails. */
void samples_flush(struct samples *samples);

void samples_close(struct samples *samples);

#endif
