/* A sample sort of n doubles, after H. Shi and J. Schaeffer, Parallel sorting by regular sampling, J.
   Parallel Distrib. Comput. 14 (1992).

   Key number i of n is (SORT_FACTOR i + 12345) mod n. The factor is prime, so the keys are 0, 1, ..., n - 1
   in another order, and number g of the sorted ones is g. */
#ifndef SORT_H
#define SORT_H

#include "application.h"

#include <mpi.h>

struct sort;

/* So many keys, divided among the ranks, whose parts differ by one key at most at first. All ranks call it.
   NULL, on all ranks: a rank has no memory, or the length is smaller than the number of ranks, or too large
   for counts of MPI, which are of type int. */
#define SORT_FACTOR UINT32_C(2654435761)
struct sort *sort_create(MPI_Comm comm, int64_t length);

/* Forgets the result. */
void sort_restart(struct sort *s);

/* Sorts the keys, as they were at first, this many times. All ranks call it. */
void sort_advance(struct sort *s, int64_t iterations);

/* This rank's keys, sorted; valid until the next call of sort_advance. All ranks call it, to learn how many
   keys the others have. */
void sort_part(const struct sort *s, struct application_part *part);

/* Nanoseconds that this rank has spent in sending and receiving keys, samples included. */
int64_t sort_communication_ns(const struct sort *s);

/* s may be NULL. */
void sort_free(struct sort *s);

#endif
