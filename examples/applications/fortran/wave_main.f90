! The wave equation in Fortran: mpiexec -n 2 ./wave [--mesh POINTS] [--steps NUMBER] [--overlapped]
program wave_main
  use driver
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use wave_equation
  implicit none
  real(real64), parameter :: PI = acos(-1.0_real64)
  type(wave) :: solver
  type(option) :: options(3) = & ! steps 0: up to the time 2
    [option("--mesh", 129_int64), option("--steps", 0_int64), option("--overlapped", 0_int64, alone=.true.)]
  integer(int64) :: steps
  integer :: edge, code = 2
  logical :: fine, overlapped

  call begin()
  fine = options_read(options)
  if (fine) fine = options(1)%number > 1 .and. options(1)%number <= huge(edge)
  edge = int(merge(options(1)%number, 2_int64, fine))
  overlapped = options(3)%number > 0
  if (.not. fine) then
    call complain("usage: wave [--mesh POINTS] [--steps NUMBER] [--overlapped]")
  else if (.not. solver%create(edge, overlapped)) then
    call complain("There is no memory for the mesh, or it is too small: each rank needs 3 points along each axis.")
  else
    steps = options(2)%number
    if (steps == 0) steps = ceiling(2 / time_step(edge))
    code = run()
    call solver%free()
  end if
  call finish(code)

contains

  ! Makes the steps, and says how long they took and how exact they are. Gives the exit code.
  function run() result(code)
    integer :: code
    real(real64) :: begun, times(2), errors(2), points
    call MPI_Barrier(MPI_COMM_WORLD)
    begun = MPI_Wtime()
    call solver%advance(steps)
    times = largest([MPI_Wtime() - begun, solver%communication_ns * 1e-9_real64])
    errors = largest(errors_here())
    if (rank == 0) then
      points = real(edge, real64)**3
      print "(i0,a,i0,4a)", edge, "^3 points, ", steps, " steps, ", ranks_in_words(), ", ", &
        trim(merge("overlapped", "blocking  ", overlapped))
      print "(6a)", fixed(times(1), 3), " s, ", fixed(1e-6_real64 * points * steps / times(1), 1), &
        " million points a second, at most ", fixed(100 * times(2) / times(1), 1), " % of it in the exchange"
      print "(a,es7.1,a,es7.1,a,es7.1,a)", "largest error: ", errors(1), " against the closed form of the scheme, ", &
        errors(2), " (", errors(2) * real(edge - 1, real64)**2, " dx^2) against the wave"
    end if
    code = judge(errors(1) < 1e-11_real64)
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
