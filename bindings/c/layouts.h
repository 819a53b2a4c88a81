/* The benchmark datatype: messages whose elements do not lie side by side, as a derived datatype describes
   them, or packed by hand. */
#ifndef POLYMPI_LAYOUTS_H
#define POLYMPI_LAYOUTS_H

#include "exchange.h"

/* Makes the datatype of a case, with which a message is sent as it lies; layouts_end frees it. */
void layouts_begin(const struct polympi_case *c, struct exchange *exchange);
void layouts_end(struct exchange *exchange);

/* The loops of rank 0 or 1 that pack by hand; not for the contiguous layout. */
const struct loops *layout_packing_loops(const struct polympi_case *c, int rank);

#endif
