! Every rank says which it is: what a program needs before it does anything.
program hello
    use mpi_f08
    implicit none
    integer :: rank, size

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    print '(a, i0, a, i0)', 'Hello from rank ', rank, ' of ', size
    call MPI_Finalize()
end program hello
