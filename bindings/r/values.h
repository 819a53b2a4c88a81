/* Messages of the harness as values of R, and back. */
#ifndef POLYMPI_R_VALUES_H
#define POLYMPI_R_VALUES_H

#include "polympi_harness.h"

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

/* The value in a message of this many elements. */
SEXP value_of_message(const struct polympi_case *c, const void *message, int64_t count);

/* Writes a value where a message belongs; nothing if it is none of that payload. */
void message_of_value(const struct polympi_case *c, SEXP value, void *message, int64_t count);

/* A vector of doubles. */
SEXP doubles_at(const double *from, int64_t count);

#endif
