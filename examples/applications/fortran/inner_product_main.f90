! The inner product in Fortran: mpiexec -n 2 ./inner_product [--length ELEMENTS] [--iterations NUMBER]
program inner_product_main
  use driver
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use inner_products
  implicit none
  type(inner_product) :: solver
  type(option) :: options(2) = [option("--length", 2_int64**18), option("--iterations", 100_int64)]
  integer :: code = 2

  call begin()
  if (.not. options_read(options)) then
    call complain("usage: inner_product [--length ELEMENTS] [--iterations NUMBER]")
  else if (.not. solver%create(options(1)%number)) then
    call complain("There is no memory for vectors of this many elements.")
  else
    code = run(options(1)%number, options(2)%number)
    call solver%free()
  end if
  call finish(code)

contains

  ! Computes, and says how long it took and how exact it is. Gives the exit code.
  function run(length, iterations) result(code)
    integer(int64), intent(in) :: length, iterations
    integer :: code
    integer(int64) :: before
    real(real64) :: begun, times(2), exact, error
    call solver%advance(1_int64) ! finds the vectors in the cache, as later ones do
    before = solver%communication_ns
    call MPI_Barrier(MPI_COMM_WORLD)
    begun = MPI_Wtime()
    call solver%advance(iterations)
    times = largest([MPI_Wtime() - begun, (solver%communication_ns - before) * 1e-9_real64])
    exact = real(6 * (length / 3) + merge(3_int64, mod(length, 3_int64), mod(length, 3_int64) == 2), real64)
    error = abs(solver%value / exact - 1)
    call MPI_Bcast(error, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
    if (rank == 0) then
      print "(i0,a,i0,2a)", length, " elements, ", iterations, " times, ", ranks_in_words()
      print "(6a)", fixed(times(1), 3), " s, ", fixed(1e-6_real64 * length * iterations / times(1), 1), &
        " million elements a second, at most ", fixed(100 * times(2) / times(1), 1), " % of it in reductions"
      print "(a,g0,a,es7.1)", "inner product: ", solver%value, ", relative error ", error
    end if
    code = judge(error <= 1e-12_real64) ! what is added up in another order differs in its last digits
  end function run

end program inner_product_main
