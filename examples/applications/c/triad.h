/* A triad, the measure of a memory's bandwidth: a_i = b_i + s c_i, in long arrays.

   After J. D. McCalpin, STREAM: Sustainable memory bandwidth in high performance computers, 1995. An element
   takes 24 bytes of memory traffic: two values are read and one is written. Processors mostly read what they
   are about to write, too, because they write whole lines of the cache: 8 bytes that STREAM does not count.
   In place, a_i = b_i + s a_i, there are none of these, because what is written has been read: the 24 bytes
   are all.

   b_i = 10 + i mod 7, c_i = i mod 5 and s = -1, so that values stay small, and exact, in any number of
   passes. In place a begins as c: after an odd number of passes it is b - c, too. */
#ifndef TRIAD_H
#define TRIAD_H

#include "application.h"

#include <mpi.h>

struct triad;

/* Arrays of this many elements, divided among the ranks. All ranks call it. in_place: two arrays instead of
   three. NULL, on all ranks: a rank has no memory, or no element. */
struct triad *triad_create(MPI_Comm comm, int64_t length, int in_place);

/* The state before the first pass. */
void triad_restart(struct triad *t);

/* So many passes over the arrays. The ranks do not wait for each other. */
void triad_advance(struct triad *t, int64_t passes);

/* Where this rank's part of a is. */
void triad_part(const struct triad *t, struct application_part *part);

/* Nanoseconds that this rank has spent in communication: none. */
int64_t triad_communication_ns(const struct triad *t);

/* What element i has to be after this many passes. */
double triad_value(int64_t i, int64_t passes, int in_place);

/* t may be NULL. */
void triad_free(struct triad *t);

#endif
