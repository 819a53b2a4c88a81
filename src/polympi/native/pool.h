/* Memory for large arrays that are received: blocks of whole huge pages, used again when an array dies.
 *
 * Fresh memory costs a page fault every 4 KiB, which is more than the transfer itself. All calls need the GIL.
 */
#ifndef POLYMPI_POOL_H
#define POLYMPI_POOL_H

#include "core.h"

/* Memory for nbytes (any size, 0 too; at least 64-byte aligned); NULL with MemoryError. Not cleared. */
char *pool_allocate(Py_ssize_t nbytes);

/* Give back memory of pool_allocate, with the same size. */
void pool_release(char *memory, Py_ssize_t nbytes);

/* A new writable object with the buffer protocol that owns memory of pool_allocate and gives it back when it dies.
 * Takes over `memory` (also on failure). */
PyObject *pool_memory(char *memory, Py_ssize_t nbytes);

/* NumPy's allocator (NEP 49, a capsule "mem_handler", borrowed) whose free and realloc are the pool's, so that an array
 * over memory of pool_allocate can own its data. NumPy must be loaded. NULL with an exception. */
PyObject *pool_handler(void);

#endif
