/* A message round all ranks: from rank 0 to rank 1, from every rank to the next, from the last to rank 0. */
#define _DEFAULT_SOURCE
#include "delay.h"
#include "exchange.h"

INLINED void pass_on(const struct exchange *x, const void *message) {
    planted_delay();
    x->send(message, x->count, x->type, x->next, POLYMPI_PAYLOAD_TAG, MPI_COMM_WORLD);
}

INLINED void await(const struct exchange *x) {
    x->receive(x->incoming, x->count, x->type, x->previous, POLYMPI_PAYLOAD_TAG, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

INLINED void lap_begun(const struct exchange *x) {
    pass_on(x, x->outgoing);
    await(x);
}

INLINED void lap_gone_on(const struct exchange *x) {
    await(x);
    pass_on(x, x->incoming);
}

DEFINE_LOOPS(lap_begun);
DEFINE_LOOPS(lap_gone_on);

const struct loops *ring_loops(int rank) { return rank == 0 ? &lap_begun_loops : &lap_gone_on_loops; }
