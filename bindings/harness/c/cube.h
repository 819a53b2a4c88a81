/* The cube of doubles of the benchmark faces: where its two faces lie, filled, checked.

   The cube has edge^3 elements in C order, u[i][j][k]. The first face in a direction is sent and the last one
   is received: u[0][][] and u[edge - 1][][] (contiguous), u[][0][] and u[][edge - 1][] (rows of `edge`
   elements), u[][][0] and u[][][edge - 1] (single elements). */
#ifndef POLYMPI_CUBE_H
#define POLYMPI_CUBE_H

#include "polympi_harness.h"

/* The edge whose face has this many bytes, or 0 where no cube that takes part has such a face. */
int64_t cube_edge(int64_t bytes);

/* Bytes from the face that is sent to the one that is received. */
int64_t cube_face_distance(const struct polympi_case *c, int64_t edge);

/* Overwrites the cube, except the face that rank `origin` sends. */
void cube_fill(const struct polympi_case *c, const struct polympi_buffers *buffers, int32_t origin);

/* Checks the face that came from rank `origin`, and that nothing next to it was written to. */
void cube_check(const struct polympi_case *c, const struct polympi_buffers *buffers, int32_t origin,
                char *complaint);

#endif
