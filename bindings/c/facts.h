/* What a launch says about itself before the first case. */
#ifndef POLYMPI_FACTS_H
#define POLYMPI_FACTS_H

#include "arena.h"
#include "ranks.h"
#include "samples.h"

/* Times that only the beginning of the program could take, in ns. */
struct startup {
    int64_t init;  /* how long MPI_Init_thread took */
    int64_t ready; /* the monotonic clock after the first barrier */
};

/* MPI's constant for `single`, `funneled`, `serialized` or `multiple`; false for another name. */
bool thread_level(const char *name, int *level);

/* Memory of the process as the system counts it, in bytes; zeros where it does not tell. */
struct memory {
    int64_t pss;
    int64_t rss;
};

struct memory memory_now(void);

/* Writes the records from `binding` to `start`; called by all ranks, after common_start_begin. */
void facts_write(struct samples *samples, struct ranks ranks, const char *binding, struct startup startup,
                 struct memory memory);

/* Writes the record `pages`, over all ranks; called by all of them. */
void facts_write_pages(struct samples *samples, struct ranks ranks, const struct arena *arena);

#endif
