! The loops that are timed. They call an iteration through a pointer, as the reference in C calls MPI.
module loops
  use, intrinsic :: iso_c_binding
  use harness
  implicit none
  private
  public :: action, batch, singly, singly_together

  abstract interface
    subroutine action()
    end subroutine action
  end interface

  ! One iteration of the case that is running.
  procedure(action), pointer, public :: iteration_of_case => null()

contains

  subroutine batch(context, iterations) bind(C, name="")
    type(c_ptr), value :: context
    integer(c_int32_t), value :: iterations
    procedure(action), pointer :: iteration
    integer :: i
    iteration => iteration_of_case
    do i = 1, iterations
      call iteration()
    end do
  end subroutine batch

  subroutine singly(context, iterations, ns) bind(C, name="")
    type(c_ptr), value :: context
    integer(c_int32_t), value :: iterations
    integer(c_int64_t), intent(out) :: ns(iterations)
    procedure(action), pointer :: iteration
    integer(c_int64_t) :: start
    integer :: i
    iteration => iteration_of_case
    do i = 1, iterations
      start = polympi_clock()
      call iteration()
      ns(i) = polympi_clock() - start
    end do
  end subroutine singly

  ! The same of all ranks, each from a common start: an iteration that a rank began too late is made again.
  subroutine singly_together(context, iterations, ns) bind(C, name="")
    type(c_ptr), value :: context
    integer(c_int32_t), value :: iterations
    integer(c_int64_t), intent(out) :: ns(iterations)
    procedure(action), pointer :: iteration
    integer(c_int64_t) :: start
    integer :: i, k, in_time
    iteration => iteration_of_case
    in_time = common_start_agree()
    i = 1
    do while (i <= iterations)
      do k = 1, UNTIMED_CALLS
        call iteration()
      end do
      start = common_start_wait()
      call iteration()
      ns(i) = polympi_clock() - start
      i = i + common_start_agree()
    end do
  end subroutine singly_together

end module loops
