! The programs of examples/applications as cases: their callbacks, and what the harness checks of their results.
module applications
  use mpi_f08, only: MPI_Abort, MPI_Barrier, MPI_COMM_WORLD
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use harness
  use inner_products
  use loops
  use wave_equation
  implicit none
  private
  public :: applications_opted_in, prepare_application

  ! The case that is running: one after the other.
  type(wave) :: waves
  type(inner_product), target :: product_of_vectors
  type(polympi_part), pointer :: part
  logical :: is_wave, is_root

contains

  ! A bit for each benchmark that there is a solver for.
  function applications_opted_in() result(bits)
    integer(c_int64_t) :: bits
    bits = ior(shiftl(1_c_int64_t, benchmark_number("wave")), shiftl(1_c_int64_t, benchmark_number("inner-product")))
  end function applications_opted_in

  subroutine prepare_application(benchmark, mode, buffers, callbacks)
    character(*), intent(in) :: benchmark, mode
    type(polympi_buffers), intent(in) :: buffers
    type(polympi_callbacks), intent(inout) :: callbacks
    logical :: made
    call c_f_pointer(buffers%part, part)
    is_wave = benchmark == "wave"
    is_root = buffers%rank == 0
    if (is_wave) then
      made = waves%create(int(buffers%edge), mode == "overlapped")
      iteration_of_case => step
      callbacks%singly = c_funloc(singly)
    else
      made = product_of_vectors%create(buffers%edge)
      iteration_of_case => multiply
      callbacks%singly = c_funloc(singly_together)
    end if
    if (.not. made) then
      if (is_root) write (error_unit, "(a)") "The mesh does not fit: a rank has no memory for its part, or no points."
      call MPI_Barrier(MPI_COMM_WORLD) ! else another rank may end rank 0 before it has told
      call MPI_Abort(MPI_COMM_WORLD, NO_MEMORY)
    end if
    callbacks%begin = c_funloc(begin)
    callbacks%batch = c_funloc(batch)
    callbacks%show = c_funloc(show)
    callbacks%release = c_funloc(release)
    callbacks%communication = c_funloc(communication)
    callbacks%check = c_funloc(polympi_application_check)
  end subroutine prepare_application

  subroutine step()
    call waves%advance(1_c_int64_t)
  end subroutine step

  subroutine multiply()
    call product_of_vectors%advance(1_c_int64_t)
  end subroutine multiply

  subroutine begin(context) bind(C, name="")
    type(c_ptr), value :: context
    if (is_wave) then
      call waves%restart()
    else
      call product_of_vectors%restart()
    end if
  end subroutine begin

  ! The axes of an array of Fortran are in reverse order, and it begins with its ghost layers.
  subroutine show(context) bind(C, name="")
    type(c_ptr), value :: context
    real(c_double), pointer, contiguous :: u(:, :, :)
    if (is_wave) then
      u => waves%values()
      part%values = c_loc(u(1, 1, 1))
      part%start = waves%start
      part%count = waves%n
      part%stride = [int(size(u, 1), c_int64_t) * size(u, 2), int(size(u, 1), c_int64_t), 1_c_int64_t]
    else
      part%values = c_loc(product_of_vectors%value)
      part%start = 0
      part%count = [merge(1, 0, is_root), 1, 1]
      part%stride = [1, 0, 0]
    end if
  end subroutine show

  subroutine release(context) bind(C, name="")
    type(c_ptr), value :: context
    if (is_wave) then
      call waves%free()
    else
      call product_of_vectors%free()
    end if
  end subroutine release

  function communication(context) bind(C, name="") result(ns)
    type(c_ptr), value :: context
    integer(c_int64_t) :: ns
    ns = merge(waves%communication_ns, product_of_vectors%communication_ns, is_wave)
  end function communication

end module applications
