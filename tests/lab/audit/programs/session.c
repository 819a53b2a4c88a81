/* A session and a communicator, without MPI_COMM_WORLD. */
#include <mpi.h>

int main(void) {
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int rank, size, out = 1, in;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 1, &in, 1, MPI_INT, (rank + size - 1) % size, 1, comm,
                 MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&comm);
    MPI_Session_finalize(&session);
    return 0;
}
