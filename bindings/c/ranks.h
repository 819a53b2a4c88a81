/* What the ranks of a launch do together outside timed loops. */
#ifndef POLYMPI_RANKS_H
#define POLYMPI_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COMPLAINT_BYTES = 512 }; /* room for one sentence with a path in it */

/* This process among all. */
struct ranks {
    int rank;
    int size;
};

/* The program's own barrier, so that the library's does not leak into what follows it: in round k rank r
   sends an empty message to r + 2^k and receives one from r - 2^k (Hensgen, Finkel, Manber 1988). */
void dissemination_barrier(struct ranks ranks);

/* Whether any rank has a complaint (a text that is not empty); then all ranks hold that of the lowest. */
bool share_complaint(struct ranks ranks, char complaint[COMPLAINT_BYTES]);

/* The element-wise largest values over all ranks, on rank 0. */
void largest_over_ranks(struct ranks ranks, int64_t *values, int count);

#endif
