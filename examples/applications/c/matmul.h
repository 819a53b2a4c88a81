/* The product of two square matrices by SUMMA, after R. van de Geijn and J. Watts, Concurrency: Practice and
   Experience 9 (1997).

   With A_ik = sin(i) + cos(k) and B_kj = cos(k) + sin(j) the product is known:

       C_ij = (sin(i) + sin(j)) S + n sin(i) sin(j) + T,    S = sum of cos(k),  T = sum of cos(k)^2 */
#ifndef MATMUL_H
#define MATMUL_H

#include "application.h"

#include <mpi.h>

struct matmul;

/* Matrices of edge^2 elements, each cut into one block a rank. All ranks call it. NULL, on all ranks: a rank
   has no memory, or would have no elements. */
struct matmul *matmul_create(MPI_Comm comm, int64_t edge);

/* Forgets the result. */
void matmul_restart(struct matmul *s);

/* Multiplies this many times. All ranks call it. */
void matmul_advance(struct matmul *s, int64_t iterations);

/* Where this rank's block of C is. */
void matmul_part(const struct matmul *s, struct application_part *part);

/* Nanoseconds that this rank has spent in broadcasts. */
int64_t matmul_communication_ns(const struct matmul *s);

/* All ranks call it; s may be NULL. */
void matmul_free(struct matmul *s);

#endif
