/* The cube of the benchmark halo, with a layer of ghost elements around it: filled, checked.

   The cube has (n + 2)^3 doubles in C order, u[i][j][k]; its inner elements have indices from 1 to n. Of each
   of its six faces the inner layer is sent, and the other rank receives it into the ghost layer of the
   opposite side, where it continues that rank's cube. Edges and corners of the ghost layers stay. */
#ifndef POLYMPI_GHOSTS_H
#define POLYMPI_GHOSTS_H

#include "polympi_harness.h"

/* Elements along an edge, with both ghost layers, of the cube whose six faces have this many bytes; 0 where
   no cube that takes part has such faces. */
int64_t ghosts_edge(int64_t bytes);

/* Fills the inner elements as rank `origin` has them, and overwrites the ghost layers. */
void ghosts_fill(const struct polympi_case *c, const struct polympi_buffers *buffers, int32_t origin);

/* Checks the ghost layers that came from rank `origin`, and that nothing else was written to. */
void ghosts_check(const struct polympi_case *c, const struct polympi_buffers *buffers, int32_t origin,
                  char *complaint);

#endif
