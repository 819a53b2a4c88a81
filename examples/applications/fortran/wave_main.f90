! The wave equation in Fortran: mpiexec -n 2 ./wave [--mesh POINTS] [--steps NUMBER] [--overlapped]
!
! Built by  mpifort -O3 -march=native -o wave figures.f90 wave.f90 wave_main.f90
program wave_main
  use figures, only: fixed
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  use wave_equation
  implicit none
  real(real64), parameter :: PI = acos(-1.0_real64)
  type(wave) :: solver
  integer :: edge = 129, steps = 0, code = 2, rank ! steps 0: up to the time 2
  logical :: overlapped = .false.

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  if (.not. options_read()) then
    call complain("usage: wave [--mesh POINTS] [--steps NUMBER] [--overlapped]")
  else if (.not. solver%create(edge, overlapped)) then
    call complain("There is no memory for the mesh, or it is too small: each rank needs 3 points along each axis.")
  else
    if (steps == 0) steps = ceiling(2 / time_step(edge))
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
    integer :: i, failed, value
    fine = .true.
    i = 1
    do while (fine .and. i <= command_argument_count())
      call get_command_argument(i, word)
      if (word == "--overlapped") then
        overlapped = .true.
        i = i + 1
        cycle
      end if
      call get_command_argument(i + 1, number)
      read (number, *, iostat=failed) value
      fine = failed == 0 .and. verify(trim(number), "0123456789") == 0 .and. any(word == ["--mesh ", "--steps"])
      if (fine) fine = value > 0
      if (fine .and. word == "--mesh") edge = value
      if (fine .and. word == "--steps") steps = value
      i = i + 2
    end do
    fine = fine .and. edge > 1
  end function options_read

  ! Makes the steps, and says how long they took and how exact they are. Gives the exit code.
  function run() result(code)
    integer :: code, ranks
    real(real64) :: mine(2), times(2), errors(2), points
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call MPI_Barrier(MPI_COMM_WORLD)
    mine(1) = -MPI_Wtime()
    call solver%advance(int(steps, int64))
    mine = [mine(1) + MPI_Wtime(), solver%communication_ns * 1e-9_real64]
    call MPI_Allreduce(mine, times, 2, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    mine = errors_here()
    call MPI_Allreduce(mine, errors, 2, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    code = merge(0, 1, errors(1) < 1e-11_real64)
    if (rank == 0) then
      points = real(edge, real64)**3
      print "(i0,a,i0,a,i0,3a)", edge, "^3 points, ", steps, " steps, ", ranks, " rank", trim(merge(", ", "s,", ranks == 1)), &
        trim(merge(" overlapped", " blocking  ", overlapped))
      print "(6a)", fixed(times(1), 3), " s, ", fixed(1e-6_real64 * points * steps / times(1), 1), &
        " million points a second, at most ", fixed(100 * times(2) / times(1), 1), " % of it in the exchange"
      print "(a,es7.1,a,es7.1,a,es7.1,a)", "largest error: ", errors(1), " against the closed form of the scheme, ", &
        errors(2), " (", errors(2) * real(edge - 1, real64)**2, " dx^2) against the wave"
    end if
    if (code /= 0) call complain("The result is wrong.")
  end function run

  ! The largest differences of this rank's block from the closed form of the scheme and from the wave itself.
  function errors_here() result(errors)
    real(real64) :: errors(2), scheme, exact, shape, h, a
    real(real64), pointer, contiguous :: u(:, :, :)
    integer :: i, j, k
    h = 1 / real(edge - 1, real64)
    a = (time_step(edge) / h)**2
    scheme = cos(steps * acos(1 + 3 * a * (cos(PI * h) - 1)))
    exact = cos(sqrt(3.0_real64) * PI * steps * time_step(edge))
    u => solver%values()
    errors = 0
    associate (n => solver%n, start => solver%start - 1)
      do i = 1, n(1)
        do j = 1, n(2)
          do k = 1, n(3)
            shape = 2 * cos(PI * (start(1) + i) * h) * cos(PI * (start(2) + j) * h) * cos(PI * (start(3) + k) * h)
            errors = max(errors, abs(u(k, j, i) - shape * [scheme, exact]))
          end do
        end do
      end do
    end associate
  end function errors_here

end program wave_main
