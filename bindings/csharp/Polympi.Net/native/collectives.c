/* Collective calls and reduction operations. */
#include "handles.h"

int32_t polympi_net_barrier(intptr_t comm) { return MPI_Barrier(COMM(comm)); }

int32_t polympi_net_bcast(void *message, int32_t count, intptr_t type, int32_t root, intptr_t comm) {
    return MPI_Bcast(message, count, TYPE(type), root, COMM(comm));
}

int32_t polympi_net_reduce(const void *outgoing, void *incoming, int32_t count, intptr_t type, intptr_t op,
                           int32_t root, intptr_t comm) {
    return MPI_Reduce(outgoing, incoming, count, TYPE(type), OP(op), root, COMM(comm));
}

int32_t polympi_net_allreduce(const void *outgoing, void *incoming, int32_t count, intptr_t type, intptr_t op,
                              intptr_t comm) {
    return MPI_Allreduce(outgoing, incoming, count, TYPE(type), OP(op), COMM(comm));
}

int32_t polympi_net_scan(const void *outgoing, void *incoming, int32_t count, intptr_t type, intptr_t op,
                         intptr_t comm) {
    return MPI_Scan(outgoing, incoming, count, TYPE(type), OP(op), COMM(comm));
}

int32_t polympi_net_exscan(const void *outgoing, void *incoming, int32_t count, intptr_t type, intptr_t op,
                           intptr_t comm) {
    return MPI_Exscan(outgoing, incoming, count, TYPE(type), OP(op), COMM(comm));
}

int32_t polympi_net_reduce_scatter(const void *outgoing, void *incoming, const int32_t *counts, intptr_t type,
                                   intptr_t op, intptr_t comm) {
    return MPI_Reduce_scatter(outgoing, incoming, counts, TYPE(type), OP(op), COMM(comm));
}

int32_t polympi_net_gather(const void *outgoing, void *incoming, int32_t count, intptr_t type, int32_t root,
                           intptr_t comm) {
    return MPI_Gather(outgoing, count, TYPE(type), incoming, count, TYPE(type), root, COMM(comm));
}

int32_t polympi_net_gatherv(const void *outgoing, int32_t count, void *incoming, const int32_t *counts,
                            const int32_t *places, intptr_t type, int32_t root, intptr_t comm) {
    return MPI_Gatherv(outgoing, count, TYPE(type), incoming, counts, places, TYPE(type), root, COMM(comm));
}

int32_t polympi_net_scatter(const void *outgoing, void *incoming, int32_t count, intptr_t type, int32_t root,
                            intptr_t comm) {
    return MPI_Scatter(outgoing, count, TYPE(type), incoming, count, TYPE(type), root, COMM(comm));
}

int32_t polympi_net_scatterv(const void *outgoing, const int32_t *counts, const int32_t *places,
                             void *incoming, int32_t count, intptr_t type, int32_t root, intptr_t comm) {
    return MPI_Scatterv(outgoing, counts, places, TYPE(type), incoming, count, TYPE(type), root, COMM(comm));
}

int32_t polympi_net_allgather(const void *outgoing, void *incoming, int32_t count, intptr_t type,
                              intptr_t comm) {
    return MPI_Allgather(outgoing, count, TYPE(type), incoming, count, TYPE(type), COMM(comm));
}

int32_t polympi_net_allgatherv(const void *outgoing, int32_t count, void *incoming, const int32_t *counts,
                               const int32_t *places, intptr_t type, intptr_t comm) {
    return MPI_Allgatherv(outgoing, count, TYPE(type), incoming, counts, places, TYPE(type), COMM(comm));
}

int32_t polympi_net_alltoall(const void *outgoing, void *incoming, int32_t count, intptr_t type,
                             intptr_t comm) {
    return MPI_Alltoall(outgoing, count, TYPE(type), incoming, count, TYPE(type), COMM(comm));
}

int32_t polympi_net_alltoallv(const void *outgoing, const int32_t *outgoing_counts,
                              const int32_t *outgoing_places, void *incoming, const int32_t *incoming_counts,
                              const int32_t *incoming_places, intptr_t type, intptr_t comm) {
    return MPI_Alltoallv(outgoing, outgoing_counts, outgoing_places, TYPE(type), incoming, incoming_counts,
                         incoming_places, TYPE(type), COMM(comm));
}

/* `function` has the type of MPI_User_function; its last argument is not used in C#. */
int32_t polympi_net_op_create(MPI_User_function *function, int32_t commutes, intptr_t *op) {
    MPI_Op made = MPI_OP_NULL;
    const int code = MPI_Op_create(function, commutes, &made);
    *op = HANDLE(made);
    return code;
}
