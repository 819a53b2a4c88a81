/* What a launch says about itself in addition to its cases. */
#ifndef POLYMPI_FACTS_H
#define POLYMPI_FACTS_H

#include "polympi_harness.h"

/* Writes the records from `binding` to `start`; called by all ranks, after common_start_begin. */
void facts_write(struct polympi_samples *samples, const struct polympi_launch *launch);

/* Writes the records `place`, one for each rank; called by all of them. */
void facts_write_places(struct polympi_samples *samples);

/* Writes the record `pages`, over all ranks; called by all of them. */
void facts_write_pages(struct polympi_samples *samples, const struct polympi_arena *arena);

/* Writes the record `clocks` after the last case, unless there is one clock for all. */
void facts_write_clocks(struct polympi_samples *samples);

#endif
