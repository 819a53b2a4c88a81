! Messages around a ring, by the module mpi_f08, mostly without the error code.
program ring
    use mpi_f08
    implicit none
    integer :: rank, ranks, error, k
    type(MPI_Request) :: requests(2)
    type(MPI_Status) :: statuses(2)
    type(MPI_Comm) :: copy
    double precision :: out(100), in(100)
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy)
    out = rank
    do k = 1, 5
        if (rank == 0) call MPI_Send(out, 100, MPI_DOUBLE_PRECISION, 1, 7, copy)
        if (rank == 1) call MPI_Recv(in, 100, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 7, copy, MPI_STATUS_IGNORE)
        call MPI_Allreduce(MPI_IN_PLACE, out, 10, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
        call MPI_Irecv(in, 50, MPI_INTEGER, mod(rank + 1, ranks), 3, MPI_COMM_WORLD, requests(1))
        call MPI_Isend(out, 40, MPI_INTEGER, mod(rank + ranks - 1, ranks), 3, MPI_COMM_WORLD, requests(2))
        if (k < 3) then
            call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
        else
            call MPI_Waitall(2, requests, statuses, error)
        end if
    end do
    call MPI_Comm_free(copy)
    call MPI_Finalize()
end program
