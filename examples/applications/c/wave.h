/* The wave equation u_tt = lap(u) on the unit cube, whose boundary reflects: n . grad u = 0.

   Leapfrog in time, central differences in space: a point and its six neighbours give the next value,

       u^{l+1} = a (sum of the six u) + (2 - 6 a) u - u^{l-1},    a = (time step / spacing)^2

   after H. P. Langtangen, Computational Partial Differential Equations, Springer 2003. The wave begins at
   rest, as u = 2 cos(pi x) cos(pi y) cos(pi z). */
#ifndef WAVE_H
#define WAVE_H

#include "application.h"

#include <mpi.h>

struct wave;

/* A mesh of edge^3 points, divided among the ranks. All ranks call it.
   overlapped: points that need no neighbour are updated while the faces are in flight.
   NULL, on all ranks: a rank has no memory, or would have fewer than WAVE_LEAST_POINTS points along an axis.
 */
struct wave *wave_create(MPI_Comm comm, int64_t edge, int overlapped);
#define WAVE_LEAST_POINTS 3

/* The state before the first step. All ranks call it. */
void wave_restart(struct wave *w);

/* So many time steps. All ranks call it. */
void wave_advance(struct wave *w, int64_t steps);

/* Where this rank's part of u is; valid until the next call of wave_advance. */
void wave_part(const struct wave *w, struct application_part *part);

/* Nanoseconds that this rank has spent in the exchange of faces. */
int64_t wave_communication_ns(const struct wave *w);

/* The time step: 0.57728 of the spacing; the scheme is stable up to 1 / sqrt(3) = 0.57735 of it. */
double wave_time_step(int64_t edge);

/* All ranks call it; w may be NULL. */
void wave_free(struct wave *w);

#endif
