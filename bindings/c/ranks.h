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

/* Whether any rank has a complaint (a text that is not empty); then all ranks hold that of the lowest. */
bool share_complaint(struct ranks ranks, char complaint[COMPLAINT_BYTES]);

/* The element-wise largest values over all ranks, on rank 0. */
void largest_over_ranks(struct ranks ranks, int64_t *values, int count);

#endif
