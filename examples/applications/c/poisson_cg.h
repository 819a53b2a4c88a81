/* Poisson's equation lap(u) = -f on the unit square, u = 0 on its boundary, by conjugate gradients.

   edge x edge unknowns at the spacing h = 1 / (edge + 1), central differences: the matrix A has 4 on its
   diagonal and -1 for each of four neighbours, b = h^2 f. With f = 2 (x (1 - x) + y (1 - y)) the solution is
   x (1 - x) y (1 - y), which central differences give exactly.

   The method is that of M. R. Hestenes and E. Stiefel, J. Res. Natl. Bur. Stand. 49 (1952); merged, that of
   A. T. Chronopoulos and C. W. Gear, J. Comput. Appl. Math. 25 (1989), whose two sums take one reduction. */
#ifndef POISSON_CG_H
#define POISSON_CG_H

#include "application.h"

#include <mpi.h>

struct poisson_cg;

enum poisson_cg_variant {
    POISSON_CG_BLOCKING,
    POISSON_CG_OVERLAPPED, /* rows that need no remote value are multiplied while the values are in flight */
    POISSON_CG_MERGED      /* one reduction an iteration instead of two */
};

/* A mesh of edge^2 unknowns, divided among the ranks. All ranks call it. NULL, on all ranks: a rank has no
   memory, or would have no unknowns. */
struct poisson_cg *poisson_cg_create(MPI_Comm comm, int64_t edge, enum poisson_cg_variant variant);

/* The state before the first iteration, x = b. All ranks call it. */
void poisson_cg_restart(struct poisson_cg *s);

/* So many iterations. Where rho = <r, r> has reached its first value times POISSON_CG_SMALLEST, the next one
   is the first again. All ranks call it. */
void poisson_cg_advance(struct poisson_cg *s, int64_t iterations);
#define POISSON_CG_SMALLEST 1e-8

/* <r, r> over its first value, as the recurrence has it. */
double poisson_cg_residual(const struct poisson_cg *s);

/* The same, computed again from x. What the next iteration needs is lost: poisson_cg_restart follows. All
   ranks call it. */
double poisson_cg_recomputed(struct poisson_cg *s);

/* Where this rank's part of x is. */
void poisson_cg_part(const struct poisson_cg *s, struct application_part *part);

/* Nanoseconds that this rank has spent in exchanges and reductions. */
int64_t poisson_cg_communication_ns(const struct poisson_cg *s);

/* All ranks call it; s may be NULL. */
void poisson_cg_free(struct poisson_cg *s);

#endif
