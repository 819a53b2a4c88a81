/* Memory for arrays that are received, and for strided arrays that are packed: on huge pages, used again.
 *
 * New memory costs a page fault every 4 KiB, which takes longer than the transfer itself. And where a message
 * goes from process to process in one copy, the kernel looks up each page of the sender: from huge pages, 256
 * KiB to 4 MiB arrive in a third of the time (both MPI libraries, Linux 6). All calls need the GIL.
 */
#pragma once

#include "base/state.h"

/* Read POLYMPI_POOL_BYTES before MPI is started, so that a wrong value is not found in the middle of a
 * message. -1 with ValueError. */
int pool_prepare(void);

/* How many bytes are kept unused at most; below 0 before pool_prepare. */
Py_ssize_t pool_limit(void);

/* Memory for nbytes (any size, 0 too; at least 64-byte aligned); NULL with MemoryError, or with ValueError
 * when POLYMPI_POOL_BYTES is not a number of bytes. Not cleared. */
char *pool_allocate(Py_ssize_t nbytes);

/* Give back memory of pool_allocate, with the same size. */
void pool_release(char *memory, Py_ssize_t nbytes);

/* Give back memory of pool_allocate, or of malloc, of any size. */
void pool_free(char *memory);

/* The usable bytes of memory of pool_allocate; 0 if it is from malloc. */
size_t pool_room(const char *memory);

/* A new writable object with the buffer protocol that owns memory of pool_allocate and gives it back when it
 * dies. Takes over `memory` (also on failure). */
PyObject *pool_memory(char *memory, Py_ssize_t nbytes);

/* NumPy's allocator (NEP 49, a capsule "mem_handler", borrowed) whose free and realloc are the pool's, so
 * that an array over memory of pool_allocate can own its data. */
PyObject *pool_handler(void);

/* A new dict: `live` pieces of memory that are in use, `kept` slabs that wait for their next use and their
 * `kept_bytes`, `mapped_bytes` of all slabs. Small pieces, which malloc provides, do not count. */
PyObject *pool_statistics(void);
