/* The benchmark halo: six faces of a cube exchanged with the other rank, by datatypes or packed by hand. */
#ifndef POLYMPI_HALO_H
#define POLYMPI_HALO_H

#include "exchange.h"

/* Makes the datatypes of the faces and of the ghost layers that they go to, before the first iteration; frees
   them after the last. */
void halo_begin(struct exchange *exchange);
void halo_end(struct exchange *exchange);

const struct loops *halo_loops(void);

/* Loops that pack the faces by hand, and unpack what arrives. */
const struct loops *halo_packing_loops(void);

#endif
