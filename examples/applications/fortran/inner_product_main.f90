! The inner product in Fortran: mpiexec -n 2 ./inner_product [--length ELEMENTS] [--iterations NUMBER]
!
! Built by  mpifort -O3 -march=native -o inner_product figures.f90 inner_product.f90 inner_product_main.f90
program inner_product_main
  use figures, only: fixed
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  use inner_products
  implicit none
  type(inner_product) :: solver
  integer(int64) :: length = 2_int64**18, iterations = 100
  integer :: code = 2, rank

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  if (.not. options_read()) then
    call complain("usage: inner_product [--length ELEMENTS] [--iterations NUMBER]")
  else if (.not. solver%create(length)) then
    call complain("There is no memory for vectors of this many elements.")
  else
    code = run()
    call solver%free()
  end if
  call MPI_Finalize()
  stop code, quiet=.true.

contains

  subroutine complain(sentence)
    character(*), intent(in) :: sentence
    if (rank == 0) write (error_unit, "(a)") sentence
  end subroutine complain

  ! Whether the words of the command line have a meaning.
  function options_read() result(fine)
    logical :: fine
    character(32) :: word, number
    integer(int64) :: value
    integer :: i, failed
    fine = .true.
    do i = 1, command_argument_count(), 2
      call get_command_argument(i, word)
      call get_command_argument(i + 1, number)
      read (number, *, iostat=failed) value
      fine = failed == 0 .and. verify(trim(number), "0123456789") == 0
      if (fine) fine = value > 0
      if (fine .and. word == "--length") then
        length = value
      else if (fine .and. word == "--iterations") then
        iterations = value
      else
        fine = .false.
        return
      end if
    end do
  end function options_read

  ! Computes, and says how long it took and how exact it is. Gives the exit code.
  function run() result(code)
    integer :: code, ranks
    integer(int64) :: before
    real(real64) :: mine(2), times(2), exact, error
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call solver%advance(1_int64) ! finds the vectors in the cache, as later ones do
    before = solver%communication_ns
    call MPI_Barrier(MPI_COMM_WORLD)
    mine(1) = -MPI_Wtime()
    call solver%advance(iterations)
    mine = [mine(1) + MPI_Wtime(), (solver%communication_ns - before) * 1e-9_real64]
    call MPI_Allreduce(mine, times, 2, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    exact = real(6 * (length / 3) + merge(3_int64, mod(length, 3_int64), mod(length, 3_int64) == 2), real64)
    error = abs(solver%value / exact - 1)
    call MPI_Bcast(error, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
    code = merge(0, 1, error <= 1e-12_real64) ! what is added up in another order differs in its last digits
    if (rank == 0) then
      print "(i0,a,i0,a,i0,a)", length, " elements, ", iterations, " times, ", ranks, trim(merge(" rank ", " ranks", ranks == 1))
      print "(6a)", fixed(times(1), 3), " s, ", fixed(1e-6_real64 * length * iterations / times(1), 1), &
        " million elements a second, at most ", fixed(100 * times(2) / times(1), 1), " % of it in reductions"
      print "(a,g0,a,es7.1)", "inner product: ", solver%value, ", relative error ", error
    end if
    if (code /= 0) call complain("The result is wrong.")
  end function run

end program inner_product_main
