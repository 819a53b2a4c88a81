/* Applications: the sizes of their arrays, and what they have to compute (docs/protocol.md). */
#ifndef POLYMPI_APPLICATIONS_H
#define POLYMPI_APPLICATIONS_H

#include "polympi_harness.h"

/* Iterations before a result is checked: some in a row, as a batch makes them, then some as events. */
enum { VALIDATED_IN_A_ROW = 3, VALIDATED_ITERATIONS = 5 };

/* The iterates of conjugate gradients for the Poisson equation, by a plain program on this rank alone: writes
   x, edge * edge values, after so many iterations; 0 without the memory for it. */
int32_t poisson_iterate(int64_t edge, int64_t iterations, double *x);

#endif
