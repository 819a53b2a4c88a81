/* Small memory for many messages at a time, from lists of blocks used before. For a window of messages,
 * malloc's own lists are too short, and it merges and splits what is freed: a tenth of the time of a message
 * of 512 bytes. All calls need the GIL. */
#pragma once

#include <stddef.h>

/* Memory of this many bytes, not cleared; NULL without any, and no exception is set. */
void *block_take(size_t nbytes);

/* Give it back, with the same size; NULL is fine. */
void block_give(void *block, size_t nbytes);
