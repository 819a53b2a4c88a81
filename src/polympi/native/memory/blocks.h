/* Small memory that many messages take at once and soon give back, from lists of blocks used before.
 *
 * Where a window of messages is under way, the lists of malloc are too short for it, and it merges and splits
 * what it gets back: a tenth of the time of a message of 512 bytes. All calls need the GIL.
 */
#ifndef POLYMPI_BLOCKS_H
#define POLYMPI_BLOCKS_H

#include <stddef.h>

/* Memory of so many bytes, not cleared; NULL without any, and no exception is set. */
void *block_take(size_t nbytes);

/* Give it back, with the same size; NULL is fine. */
void block_give(void *block, size_t nbytes);

#endif
