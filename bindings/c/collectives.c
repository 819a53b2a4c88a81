/* One collective call an iteration, root 0. */
#define _DEFAULT_SOURCE
#include "delay.h"
#include "exchange.h"

#define WORLD MPI_COMM_WORLD

INLINED void barrier(const struct exchange *x) {
    (void)x;
    planted_delay();
    MPI_Barrier(WORLD);
}

INLINED void bcast(const struct exchange *x) {
    planted_delay();
    MPI_Bcast(x->incoming, x->count, x->type, 0, WORLD);
}

INLINED void reduce(const struct exchange *x) {
    planted_delay();
    MPI_Reduce(x->outgoing, x->incoming, x->count, x->type, MPI_SUM, 0, WORLD);
}

INLINED void allreduce(const struct exchange *x) {
    planted_delay();
    MPI_Allreduce(x->outgoing, x->incoming, x->count, x->type, MPI_SUM, WORLD);
}

INLINED void gather(const struct exchange *x) {
    planted_delay();
    MPI_Gather(x->outgoing, x->count, x->type, x->incoming, x->count, x->type, 0, WORLD);
}

INLINED void scatter(const struct exchange *x) {
    planted_delay();
    MPI_Scatter(x->outgoing, x->count, x->type, x->incoming, x->count, x->type, 0, WORLD);
}

INLINED void allgather(const struct exchange *x) {
    planted_delay();
    MPI_Allgather(x->outgoing, x->count, x->type, x->incoming, x->count, x->type, WORLD);
}

INLINED void alltoall(const struct exchange *x) {
    planted_delay();
    MPI_Alltoall(x->outgoing, x->count, x->type, x->incoming, x->count, x->type, WORLD);
}

INLINED void gatherv(const struct exchange *x) {
    planted_delay();
    MPI_Gatherv(x->outgoing, x->sent.counts[0], x->type, x->incoming, x->received.counts, x->received.places,
                x->type, 0, WORLD);
}

INLINED void scatterv(const struct exchange *x) {
    planted_delay();
    MPI_Scatterv(x->outgoing, x->sent.counts, x->sent.places, x->type, x->incoming, x->received.counts[0],
                 x->type, 0, WORLD);
}

INLINED void allgatherv(const struct exchange *x) {
    planted_delay();
    MPI_Allgatherv(x->outgoing, x->sent.counts[0], x->type, x->incoming, x->received.counts,
                   x->received.places, x->type, WORLD);
}

INLINED void alltoallv(const struct exchange *x) {
    planted_delay();
    MPI_Alltoallv(x->outgoing, x->sent.counts, x->sent.places, x->type, x->incoming, x->received.counts,
                  x->received.places, x->type, WORLD);
}

INLINED void reduce_scatter(const struct exchange *x) {
    planted_delay();
    MPI_Reduce_scatter_block(x->outgoing, x->incoming, x->count, x->type, MPI_SUM, WORLD);
}

INLINED void ibcast(const struct exchange *x) {
    planted_delay();
    MPI_Ibcast(x->incoming, x->count, x->type, 0, WORLD, x->requests);
    MPI_Wait(x->requests, MPI_STATUS_IGNORE);
}

INLINED void iallreduce(const struct exchange *x) {
    planted_delay();
    MPI_Iallreduce(x->outgoing, x->incoming, x->count, x->type, MPI_SUM, WORLD, x->requests);
    MPI_Wait(x->requests, MPI_STATUS_IGNORE);
}

INLINED void neighbor_alltoall(const struct exchange *x) {
    planted_delay();
    MPI_Neighbor_alltoall(x->outgoing, x->count, x->type, x->incoming, x->count, x->type, x->ring);
}

INLINED void dup_and_free(const struct exchange *x) {
    MPI_Comm made;
    (void)x;
    planted_delay();
    MPI_Comm_dup(WORLD, &made);
    MPI_Comm_free(&made);
}

INLINED void split_and_free(const struct exchange *x) {
    MPI_Comm made;
    planted_delay();
    MPI_Comm_split(WORLD, 0, -x->rank, &made);
    MPI_Comm_free(&made);
}

DEFINE_COLLECTIVE_LOOPS(barrier);
DEFINE_COLLECTIVE_LOOPS(bcast);
DEFINE_COLLECTIVE_LOOPS(reduce);
DEFINE_COLLECTIVE_LOOPS(allreduce);
DEFINE_COLLECTIVE_LOOPS(gather);
DEFINE_COLLECTIVE_LOOPS(scatter);
DEFINE_COLLECTIVE_LOOPS(allgather);
DEFINE_COLLECTIVE_LOOPS(alltoall);
DEFINE_COLLECTIVE_LOOPS(gatherv);
DEFINE_COLLECTIVE_LOOPS(scatterv);
DEFINE_COLLECTIVE_LOOPS(allgatherv);
DEFINE_COLLECTIVE_LOOPS(alltoallv);
DEFINE_COLLECTIVE_LOOPS(reduce_scatter);
DEFINE_COLLECTIVE_LOOPS(ibcast);
DEFINE_COLLECTIVE_LOOPS(iallreduce);
DEFINE_COLLECTIVE_LOOPS(neighbor_alltoall);
DEFINE_COLLECTIVE_LOOPS(dup_and_free);
DEFINE_COLLECTIVE_LOOPS(split_and_free);

const struct loops *collective_loops(int32_t benchmark) {
    static const struct loops *const loops[POLYMPI_BENCHMARKS] = {
        [POLYMPI_BARRIER] = &barrier_loops,
        [POLYMPI_BCAST] = &bcast_loops,
        [POLYMPI_REDUCE] = &reduce_loops,
        [POLYMPI_ALLREDUCE] = &allreduce_loops,
        [POLYMPI_GATHER] = &gather_loops,
        [POLYMPI_SCATTER] = &scatter_loops,
        [POLYMPI_ALLGATHER] = &allgather_loops,
        [POLYMPI_ALLTOALL] = &alltoall_loops,
        [POLYMPI_GATHERV] = &gatherv_loops,
        [POLYMPI_SCATTERV] = &scatterv_loops,
        [POLYMPI_ALLGATHERV] = &allgatherv_loops,
        [POLYMPI_ALLTOALLV] = &alltoallv_loops,
        [POLYMPI_REDUCE_SCATTER] = &reduce_scatter_loops,
        [POLYMPI_IBCAST] = &ibcast_loops,
        [POLYMPI_IALLREDUCE] = &iallreduce_loops,
        [POLYMPI_NEIGHBOR_ALLTOALL] = &neighbor_alltoall_loops,
        [POLYMPI_DUP] = &dup_and_free_loops,
        [POLYMPI_SPLIT] = &split_and_free_loops};
    return loops[benchmark];
}
