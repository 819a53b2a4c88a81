/* Messages through memory that all ranks of a host share: each rank writes its own and reads that of the rank
   before it. */
#define _DEFAULT_SOURCE
#include "delay.h"
#include "exchange.h"

#include <stdio.h>
#include <string.h>

/* What a rank has written before is there for the others after. */
INLINED void synchronize(const struct exchange *x) {
    MPI_Win_sync(x->memory);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(x->memory);
}

INLINED void through_memory(const struct exchange *x) {
    planted_delay();
    memcpy(x->mine, x->outgoing, x->bytes);
    synchronize(x);
    memcpy(x->incoming, x->theirs, x->bytes);
    MPI_Barrier(MPI_COMM_WORLD); /* before the next message takes the place of this one */
}

DEFINE_COLLECTIVE_LOOPS(through_memory);

const struct loops *shared_memory_loops(void) { return &through_memory_loops; }

bool all_on_one_host(void) {
    int near, all;
    MPI_Comm host;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &near);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    MPI_Comm_free(&host);
    return near == all;
}

/* Each rank has its own pages: messages of several ranks in a cache line would slow each other down. */
void shared_memory_make(const struct polympi_case *c, struct exchange *exchange) {
    const MPI_Aint bytes = (MPI_Aint)polympi_arena_stride(c->bytes);
    MPI_Aint size;
    int unit;
    MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &exchange->mine, &exchange->memory);
    MPI_Win_shared_query(exchange->memory, exchange->previous, &size, &unit, &exchange->theirs);
    memset(exchange->mine, 0, (size_t)bytes);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, exchange->memory);
    synchronize(exchange);
}

void shared_memory_free(struct exchange *exchange) {
    MPI_Win_unlock_all(exchange->memory);
    MPI_Win_free(&exchange->memory);
}
