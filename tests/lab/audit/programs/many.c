/* One program for many checks, on three ranks; what the recorder must have seen is in test_recorder.py. */
#include <mpi.h>
#include <stdlib.h>

static int rank, size;

/* A message around the ring, in every way of completing it. */
static void ring(MPI_Comm comm, int way) {
    double out[8] = {0}, in[16];
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int index, number, indices[2], flag = 0;
    MPI_Irecv(in, 16, MPI_DOUBLE, way % 2 ? MPI_ANY_SOURCE : (rank + size - 1) % size,
              way % 2 ? MPI_ANY_TAG : way, comm, &requests[0]);
    MPI_Isend(out, 8, MPI_DOUBLE, (rank + 1) % size, way, comm, &requests[1]);
    switch (way) {
    case 0:
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        break;
    case 1:
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[1], statuses);
        break;
    case 2:
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        MPI_Waitany(2, requests, &index, statuses);
        break;
    case 3:
        for (int done = 0; done < 2; done += number)
            MPI_Waitsome(2, requests, &number, indices, MPI_STATUSES_IGNORE);
        break;
    case 4:
        while (!flag)
            MPI_Testall(2, requests, &flag, statuses);
        break;
    case 5:
        for (int done = 0; done < 2;) {
            MPI_Testsome(2, requests, &number, indices, statuses);
            done += number;
        }
        break;
    case 6:
        for (int done = 0; done < 2; done += flag)
            MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
        break;
    default:
        while (!flag)
            MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
        MPI_Request_free(&requests[1]);
    }
}

static void persistent(MPI_Comm comm) {
    int out = rank, in;
    MPI_Request requests[2];
    MPI_Recv_init(&in, 1, MPI_INT, (rank + size - 1) % size, 30, comm, &requests[0]);
    MPI_Send_init(&out, 1, MPI_INT, (rank + 1) % size, 30, comm, &requests[1]);
    for (int k = 0; k < 4; k++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    for (int k = 0; k < 2; k++)
        MPI_Request_free(&requests[k]);
}

static void blocking(MPI_Comm comm) {
    char bytes[1000] = {0};
    MPI_Status status;
    MPI_Message message;
    if (rank == 0) {
        for (int k = 0; k < 5; k++)
            MPI_Send(bytes, 100 * k, MPI_BYTE, 1, 7, comm);
        MPI_Send(bytes, 3, MPI_SHORT, MPI_PROC_NULL, 7, comm);
    } else if (rank == 1) {
        for (int k = 0; k < 4; k++)
            MPI_Recv(bytes, 1000, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm,
                     k % 2 ? &status : MPI_STATUS_IGNORE);
        MPI_Mprobe(MPI_ANY_SOURCE, 7, comm, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(bytes, 1000, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    }
    MPI_Sendrecv(bytes, 24, MPI_BYTE, (rank + 1) % size, 9, bytes + 500, 100, MPI_BYTE, MPI_ANY_SOURCE, 9,
                 comm, MPI_STATUS_IGNORE);
}

static void collectives(MPI_Comm comm) {
    int numbers[64] = {0}, more[64], counts[3] = {1, 2, 3}, places[3] = {0, 1, 3};
    MPI_Request request;
    MPI_Bcast(numbers, 10, MPI_INT, 2, comm);
    MPI_Allreduce(MPI_IN_PLACE, numbers, 4, MPI_INT, MPI_SUM, comm);
    MPI_Gather(numbers, 2, MPI_INT, more, 2, MPI_INT, 1, comm);
    MPI_Allgatherv(numbers, rank + 1, MPI_INT, more, counts, places, MPI_INT, comm);
    MPI_Alltoall(numbers, 3, MPI_INT, more, 3, MPI_INT, comm);
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void communicators(void) {
    MPI_Comm parts, again, inverse, cart, group_comm;
    MPI_Group world, group;
    int dims[1] = {size}, periods[1] = {1}, members[2] = {0, 2}, out[2] = {0, 0}, in[2];
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1, 0, &parts);
    MPI_Comm_set_name(parts, rank == 1 ? "odd" : "even");
    MPI_Barrier(parts);
    MPI_Comm_dup(MPI_COMM_WORLD, &again);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &inverse);
    if (rank == 2) /* which is rank 0 of it */
        MPI_Send(out, 2, MPI_INT, 2, 40, inverse);
    else if (rank == 0)
        MPI_Recv(in, 2, MPI_INT, 0, 40, inverse, MPI_STATUS_IGNORE);
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &cart);
    int gathered[2];
    MPI_Neighbor_allgather(out, 1, MPI_INT, gathered, 1, MPI_INT, cart);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, members, &group);
    if (rank != 1) {
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &group_comm);
        MPI_Barrier(group_comm);
        MPI_Comm_free(&group_comm);
    }
    MPI_Comm_free(&again);
    MPI_Comm_free(&inverse);
    MPI_Comm_free(&cart);
}

static void windows(void) {
    int memory[4] = {0}, mine = rank;
    MPI_Win window;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&mine, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static void types(MPI_Comm comm) {
    MPI_Datatype type;
    char bytes[64] = {0};
    for (int k = 1; k < 4; k++) { /* their handles are the same */
        MPI_Type_contiguous(k, MPI_SHORT, &type);
        MPI_Type_commit(&type);
        if (rank == 0)
            MPI_Send(bytes, 5, type, 2, 50 + k, comm);
        else if (rank == 2)
            MPI_Recv(bytes, 5, type, 0, 50 + k, comm, MPI_STATUS_IGNORE);
        MPI_Type_free(&type);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int way = 0; way < 8; way++)
        ring(MPI_COMM_WORLD, way);
    persistent(MPI_COMM_WORLD);
    blocking(MPI_COMM_WORLD);
    collectives(MPI_COMM_WORLD);
    communicators();
    windows();
    types(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
