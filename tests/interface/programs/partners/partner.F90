! A rank of Fortran in a job with a rank of polympi: what languages.py expects of each partner.
program partner
#ifndef BY_MPIF
    use mpi
#endif
    use, intrinsic :: iso_fortran_env, only: int64, real32, real64
    implicit none
#ifdef BY_MPIF
    include 'mpif.h'
#endif
    integer :: coupled, rank, error, shape_of_table(2), rows, columns, i, j, to(3), from(3), nothing(3)
    real(real64), allocatable :: table(:, :), again(:, :), column(:)
    real(real64) :: mine(2), sums(2)
    real(real32) :: piece(2), unused(1)
    complex(real32) :: pair(2)
    integer(int64) :: numbers(3)
    character(len=4) :: text

    call MPI_Init(error)
    call MPI_Comm_split(MPI_COMM_WORLD, 7, 0, coupled, error)
    call MPI_Comm_rank(coupled, rank, error)
    call MPI_Bcast(shape_of_table, 2, MPI_INTEGER, 0, coupled, error)
    rows = shape_of_table(1)
    columns = shape_of_table(2)
    call check(rows == 12 .and. columns == 5, 'the shape')

    ! Elements in C's order are the transposed table here.
    allocate(table(columns, rows), again(rows, columns), column(rows))
    call MPI_Recv(table, rows * columns, MPI_DOUBLE_PRECISION, 0, 1, coupled, MPI_STATUS_IGNORE, error)
    call MPI_Recv(column, rows, MPI_DOUBLE_PRECISION, 0, 2, coupled, MPI_STATUS_IGNORE, error)
    call MPI_Recv(again, rows * columns, MPI_DOUBLE_PRECISION, 0, 3, coupled, MPI_STATUS_IGNORE, error)
    do i = 1, rows
        do j = 1, columns
            call check(nint(table(j, i)) == (i - 1) * columns + j - 1, 'the table')
            call check(nint(again(i, j)) == (i - 1) * columns + j - 1, 'the table of Fortran')
        end do
    end do
    call MPI_Recv(pair, 2, MPI_COMPLEX, 0, 4, coupled, MPI_STATUS_IGNORE, error)
    call check(abs(pair(1) - (1, 2)) < 1e-6 .and. abs(pair(2) - (3, -4)) < 1e-6, 'complex numbers')
    call MPI_Recv(text, 4, MPI_BYTE, 0, 5, coupled, MPI_STATUS_IGNORE, error)
    call check(text == 'halo', 'bytes')

    column = 2 * column
    call MPI_Send(column, rows, MPI_DOUBLE_PRECISION, 0, 6, coupled, error)
    numbers = [int(rank, int64), 2_int64**40, -1_int64]
    call MPI_Send(numbers, 3, MPI_INTEGER8, 0, 7, coupled, error)
    pair = conjg(pair)
    call MPI_Send(pair, 2, MPI_COMPLEX, 0, 8, coupled, error)

    mine = [rank + 1.0_real64, 10.0_real64]
    call MPI_Allreduce(mine, sums, 2, MPI_DOUBLE_PRECISION, MPI_SUM, coupled, error)
    call check(nint(sums(1)) == 6 .and. nint(sums(2)) == 30, 'allreduce')
    call MPI_Reduce(rank, nothing, 1, MPI_INTEGER, MPI_MAX, 0, coupled, error)
    piece = rank
    call MPI_Gatherv(piece, rank, MPI_REAL, unused, nothing, nothing, MPI_REAL, 0, coupled, error)
    to = 10 * rank + [0, 1, 2]
    call MPI_Alltoall(to, 1, MPI_INTEGER, from, 1, MPI_INTEGER, coupled, error)
    call check(from(1) == rank .and. from(3) == 20 + rank, 'alltoall')
    call MPI_Barrier(coupled, error)
    print '(a)', 'Fortran done'
    call MPI_Finalize(error)

contains

    subroutine check(holds, what)
        logical, intent(in) :: holds
        character(len=*), intent(in) :: what
        if (.not. holds) then
            print '(2a)', 'Fortran: ', what
            call MPI_Abort(MPI_COMM_WORLD, 1, error)
        end if
    end subroutine check
end program partner
