/* Where there is one rank, the result is what that rank gives. */
#include "serial.h"

static int copy(const void *data, void *result, int count, MPI_Datatype type, MPI_Request *request) {
    if (data != MPI_IN_PLACE && result)
        type_unpack(result, count, type, data, (size_t)count * type->nbytes);
    if (request)
        *request = &serial_complete;
    return MPI_SUCCESS;
}

static int check(int root, MPI_Request *request) {
    if (request)
        *request = &serial_complete;
    return root == 0 ? MPI_SUCCESS : MPI_ERR_ROOT;
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) { return check(root, NULL); }

int MPI_Ibcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request) {
    return check(root, request);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request) { return check(0, request); }

int MPI_Barrier(MPI_Comm comm) { return MPI_SUCCESS; }

int MPI_Gather(const void *data, int count, MPI_Datatype type, void *result, int result_count,
               MPI_Datatype result_type, int root, MPI_Comm comm) {
    int code = check(root, NULL);
    return code == MPI_SUCCESS ? copy(data, result, count, type, NULL) : code;
}

int MPI_Gatherv(const void *data, int count, MPI_Datatype type, void *result, const int *counts,
                const int *places, MPI_Datatype result_type, int root, MPI_Comm comm) {
    return MPI_Gather(data, count, type, result, counts[0], result_type, root, comm);
}

int MPI_Scatter(const void *data, int count, MPI_Datatype type, void *result, int result_count,
                MPI_Datatype result_type, int root, MPI_Comm comm) {
    return MPI_Gather(data, count, type, result, result_count, result_type, root, comm);
}

int MPI_Scatterv(const void *data, const int *counts, const int *places, MPI_Datatype type, void *result,
                 int result_count, MPI_Datatype result_type, int root, MPI_Comm comm) {
    return MPI_Gather(data, counts[0], type, result, result_count, result_type, root, comm);
}

int MPI_Allgatherv(const void *data, int count, MPI_Datatype type, void *result, const int *counts,
                   const int *places, MPI_Datatype result_type, MPI_Comm comm) {
    return MPI_Gatherv(data, count, type, result, counts, places, result_type, 0, comm);
}

int MPI_Alltoall(const void *data, int count, MPI_Datatype type, void *result, int result_count,
                 MPI_Datatype result_type, MPI_Comm comm) {
    return MPI_Gather(data, count, type, result, result_count, result_type, 0, comm);
}

int MPI_Alltoallv(const void *data, const int *counts, const int *places, MPI_Datatype type, void *result,
                  const int *result_counts, const int *result_places, MPI_Datatype result_type,
                  MPI_Comm comm) {
    return MPI_Gatherv(data, counts[0], type, result, result_counts, result_places, result_type, 0, comm);
}

int MPI_Allgather(const void *data, int count, MPI_Datatype type, void *result, int result_count,
                  MPI_Datatype result_type, MPI_Comm comm) {
    return copy(data, result, count, type, NULL);
}

int MPI_Reduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
    return MPI_Ireduce(data, result, count, type, op, root, comm, NULL);
}

int MPI_Ireduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm, MPI_Request *request) {
    int code = check(root, request);
    return code == MPI_SUCCESS ? copy(data, result, count, type, request) : code;
}

int MPI_Allreduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return copy(data, result, count, type, NULL);
}

int MPI_Iallreduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request) {
    return copy(data, result, count, type, request);
}

int MPI_Scan(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return copy(data, result, count, type, NULL);
}

int MPI_Iscan(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
              MPI_Request *request) {
    return copy(data, result, count, type, request);
}

/* The result of rank 0 is undefined, and left as it was. */
int MPI_Exscan(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return MPI_SUCCESS;
}

int MPI_Iexscan(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                MPI_Request *request) {
    return check(0, request);
}

int MPI_Reduce_scatter(const void *data, void *result, const int *counts, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm) {
    return copy(data, result, counts[0], type, NULL);
}

int MPI_Ireduce_scatter(const void *data, void *result, const int *counts, MPI_Datatype type, MPI_Op op,
                        MPI_Comm comm, MPI_Request *request) {
    return copy(data, result, counts[0], type, request);
}

int MPI_Reduce_scatter_block(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm) {
    return copy(data, result, count, type, NULL);
}
