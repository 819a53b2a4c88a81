/* How a face of the cube (docs/protocol.md) gets into a message: as a datatype, or packed by hand. */
#ifndef POLYMPI_FACES_H
#define POLYMPI_FACES_H

#include "polympi_harness.h"

struct exchange;
struct loops;

/* Makes the datatype of a face, before the first iteration; frees it after the last. */
void faces_begin(const struct polympi_case *c, struct exchange *exchange);
void faces_end(const struct polympi_case *c, struct exchange *exchange);

/* Loops of rank 0 or 1 that pack a face by hand, and unpack what arrives. A face sent by its datatype takes
   those of latency. */
const struct loops *packing_loops(const struct polympi_case *c, int rank);

#endif
