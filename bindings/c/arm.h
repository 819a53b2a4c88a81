/* An arm: a way in which this program does what a case asks for. */
#ifndef POLYMPI_ARM_H
#define POLYMPI_ARM_H

#include "polympi_harness.h"

enum way {
    BY_LIBRARY, /* with the calls of MPI that are made for it */
    BY_SPINNING,
    BY_PACKING,    /* messages with gaps packed by hand, and nothing else */
    UNACKNOWLEDGED /* the time of the sends of a stream alone, of which none is known to have arrived */
};

/* What the harness calls back; between arm_begin, after MPI has started, and arm_end. Benchmarks with a file
   have it beside the plan. */
struct polympi_program arm_begin(enum way way, const char *plan);
void arm_end(void);

/* The benchmarks that it has loops for, as struct polympi_launch takes them. */
int64_t arm_opts_in(void);

#endif
