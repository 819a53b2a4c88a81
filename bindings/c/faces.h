/* A face of a cube of doubles, as programs on meshes exchange it with their neighbours.

   The cube has edge^3 elements in C order, u[i][j][k]. The first face in a direction is sent and the last one
   is received: u[0][][] and u[edge - 1][][] (contiguous), u[][0][] and u[][edge - 1][] (rows of `edge`
   elements), u[][][0] and u[][][edge - 1] (single elements). */
#ifndef POLYMPI_FACES_H
#define POLYMPI_FACES_H

#include "plan.h"

#include <stddef.h>

struct exchange;
struct loops;

enum { LARGEST_EDGE = 258 }; /* 256 and a layer of neighbours at both ends: a cube of 137 MB */

/* The edge whose face has so many bytes, or 0 where no cube that takes part has such a face. */
size_t face_edge(size_t bytes);

/* Makes the datatype of a face, between place and the first iteration; frees it after the last. */
void faces_begin(const struct plan_case *c, struct exchange *exchange);
void faces_end(const struct plan_case *c, struct exchange *exchange);

/* Bytes from the face that is sent to the one that is received. */
size_t face_distance(const struct plan_case *c, size_t edge);

/* Overwrites the cube, but for the face that rank `origin` sends. */
void faces_fill(const struct plan_case *c, const struct exchange *exchange, int origin);

/* Checks the face that came from rank `origin`, and that nothing beside it was written to. */
void faces_check(const struct plan_case *c, const struct exchange *exchange, int origin, char *complaint);

/* Loops of rank 0 or 1 that pack a face by hand, and unpack what arrives. A face sent by its datatype takes
   those of latency. */
const struct loops *packing_loops(const struct plan_case *c, int rank);

#endif
