! Every rank says which it is: what a program needs before it does anything.
program hello
    use mpi
    implicit none
    integer :: rank, size, code

    call MPI_Init(code)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
    call MPI_Comm_size(MPI_COMM_WORLD, size, code)
    print '(a, i0, a, i0)', 'Hello from rank ', rank, ' of ', size
    call MPI_Finalize(code)
end program hello
