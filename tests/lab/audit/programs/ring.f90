! Messages around a ring, by the module mpi.
program ring
    use mpi
    implicit none
    integer :: rank, ranks, error, k, requests(2), status(MPI_STATUS_SIZE), copy, place
    double precision :: out(100), in(100)
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, error)
    out = rank
    do k = 1, 5
        if (rank == 0) call MPI_Send(out, 100, MPI_DOUBLE_PRECISION, 1, 7, copy, error)
        if (rank == 1) call MPI_Recv(in, 100, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 7, copy, MPI_STATUS_IGNORE, error)
        call MPI_Allreduce(MPI_IN_PLACE, out, 10, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
        call MPI_Irecv(in, 50, MPI_INTEGER, mod(rank + 1, ranks), 3, MPI_COMM_WORLD, requests(1), error)
        call MPI_Isend(out, 40, MPI_INTEGER, mod(rank + ranks - 1, ranks), 3, MPI_COMM_WORLD, requests(2), error)
        if (k < 3) then
            call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
        else
            call MPI_Waitany(2, requests, place, status, error)
            call MPI_Waitany(2, requests, place, MPI_STATUS_IGNORE, error)
        end if
    end do
    call MPI_Comm_free(copy, error)
    call MPI_Finalize(error)
end program
