/* Memory that the ranks of one machine share: one file a job and machine, which all of them have mapped.
 *
 * Its addresses are set apart at the start, and cost nothing; pages are taken from the system with what is
 * put there, and go back with it. Each rank takes from stretches of its own, so that no rank waits for
 * another to take or to give back, and none holds a lock that others need when it is killed. The file has no
 * name: it goes with the last of its processes, whatever way that ends.
 */
#ifndef POLYMPI_SHARED_MEMORY_H
#define POLYMPI_SHARED_MEMORY_H

#include "transport/transport.h"

/* Places are counted in units of this size, from the beginning of the memory, which is the same place at all
 * ranks. What is taken begins at a multiple of it. */
enum { SHARED_UNIT = 64 };
typedef uint32_t SharedPlace;
enum { NOWHERE = 0 }; /* nothing is put at the very beginning */

/* Set it up, on all ranks of a machine together; there is none where one of them has no memory for it, or
 * POLYMPI_MAILBOXES is 0 at one of them. An MPI error code. */
int shared_open(MPI_Comm machine);

/* A number that the ranks which share the memory have, and those of no other machine; 0: there is none. */
extern uint32_t shared_machine;
/* How many those are. */
extern int shared_ranks;

extern char *shared_base;
static inline void *shared_at(SharedPlace place) { return shared_base + (size_t)place * SHARED_UNIT; }
static inline SharedPlace shared_place(const void *at) {
    return (SharedPlace)((size_t)((const char *)at - shared_base) / SHARED_UNIT);
}

/* Take so many bytes, aligned to `alignment`, with anything in them; NOWHERE where there are none. From any
 * thread. */
SharedPlace shared_take(size_t nbytes, size_t alignment);
/* Give back what was taken by this rank, when no other looks at it any more. */
void shared_give(SharedPlace place, size_t nbytes);

/* ---- for tests ---- */

/* The memory that the machine has given for it all. */
size_t shared_bytes(void);
/* This rank gets no more. */
extern bool shared_refused;

#endif
