/* Records of the samples file that are formatted. */
#ifndef POLYMPI_SAMPLES_H
#define POLYMPI_SAMPLES_H

#include "polympi_harness.h"

/* Writes one record as printf does; the newline is added. */
void samples_format(struct polympi_samples *samples, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
