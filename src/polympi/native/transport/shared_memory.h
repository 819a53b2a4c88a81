/* Memory shared by the ranks of one machine: one file per job and machine, which all of them have mapped.
 *
 * Its addresses are reserved at the start, at no cost; pages are allocated and freed with the objects there.
 * Each rank allocates from its own stretches, so no rank waits for another one, and none holds a lock that
 * others need when it is killed. The file has no name: it disappears with the last of its processes, however
 * that ends.
 */
#pragma once

#include "transport/transport.h"

/* Places count units of this size from the beginning of the memory, and are the same on all ranks. */
enum { SHARED_UNIT = 64 };
typedef uint32_t SharedPlace;
enum { NOWHERE = 0 }; /* nothing is allocated at the beginning */

/* Set it up; collective over the ranks of a machine. There is none if one of them has no memory for it, or
 * has POLYMPI_MAILBOXES=0. An MPI error code. */
int shared_open(MPI_Comm machine);

/* A number of this machine that no other one has; 0: without shared memory. */
extern uint32_t shared_machine;
/* How many ranks share it. */
extern int shared_ranks;

extern char *shared_base;
static inline void *shared_at(SharedPlace place) { return shared_base + (size_t)place * SHARED_UNIT; }
static inline SharedPlace shared_place(const void *at) {
    return (SharedPlace)((size_t)((const char *)at - shared_base) / SHARED_UNIT);
}

/* Allocate uninitialised memory; NOWHERE if there is none. From any thread. */
SharedPlace shared_take(size_t nbytes, size_t alignment);
/* Free what this rank has allocated, and no other rank uses. */
void shared_give(SharedPlace place, size_t nbytes);

/* ---- for tests ---- */

/* The memory that the machine has allocated for all ranks. */
size_t shared_bytes(void);
/* This rank's allocations fail. */
extern bool shared_refused;
