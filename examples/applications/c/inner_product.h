/* The inner product of two vectors: x_i = 1 / (i + 1), y_i = (i + 1) (1 + i mod 3). Each term is 1 + i mod 3,
   so the sum is known. Each rank takes the inner product of its parts; a reduction adds these up on rank 0.
 */
#ifndef INNER_PRODUCT_H
#define INNER_PRODUCT_H

#include "application.h"

#include <mpi.h>

struct inner_product;

/* Vectors of length elements, divided among the ranks, whose parts differ by one element at most. All ranks
   call it. NULL, on all ranks: a rank has no memory, or the vectors would have no elements. */
struct inner_product *inner_product_create(MPI_Comm comm, int64_t length);

/* Forgets the result. */
void inner_product_restart(struct inner_product *s);

/* Takes the inner product this many times. All ranks call it. */
void inner_product_advance(struct inner_product *s, int64_t iterations);

/* The inner product, one element on rank 0 and none on the others. */
void inner_product_part(const struct inner_product *s, struct application_part *part);

/* Nanoseconds that this rank has spent in reductions. */
int64_t inner_product_communication_ns(const struct inner_product *s);

/* s may be NULL. */
void inner_product_free(struct inner_product *s);

#endif
