! The inner product of two vectors, of which each rank has a part.
module inner_products
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  private
  public :: inner_product

  ! A compiler may not change the order of additions, so the sum is made of LANES sums, which vectors hold.
  integer, parameter :: LANES = 32

  type :: inner_product
    private
    real(real64), public :: value = 0 ! on rank 0
    integer(int64), public :: communication_ns = 0
    real(real64), allocatable :: x(:), y(:)
  contains
    procedure :: create, restart, advance, free
  end type inner_product

contains

  ! x_i = 1 / i and y_i = i (1 + (i - 1) mod 3), i = 1, ... Whether all ranks have memory for their parts. Collective.
  function create(self, length) result(made)
    class(inner_product), intent(inout) :: self
    integer(int64), intent(in) :: length
    logical :: made, here
    integer(int64) :: i, start, count
    integer :: ranks, rank, failed
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    start = length / ranks * rank + min(int(rank, int64), mod(length, int(ranks, int64)))
    count = length / ranks + merge(1, 0, rank < mod(length, int(ranks, int64)))
    allocate (self%x(count), self%y(count), stat=failed)
    here = failed == 0
    call MPI_Allreduce(here, made, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD)
    self%communication_ns = 0
    call self%restart()
    if (.not. made) call self%free()
    do i = 1, merge(count, 0_int64, made)
      self%x(i) = 1 / real(start + i, real64)
      self%y(i) = real(start + i, real64) * (1 + mod(start + i - 1, 3_int64))
    end do
  end function create

  subroutine restart(self)
    class(inner_product), intent(inout) :: self
    self%value = 0
  end subroutine restart

  ! So many inner products. Collective.
  subroutine advance(self, iterations)
    class(inner_product), intent(inout) :: self
    integer(int64), intent(in) :: iterations
    integer(int64) :: iteration, begun, ended, rate
    real(real64) :: mine
    do iteration = 1, iterations
      mine = multiplied(self%x, self%y, size(self%x, kind=int64))
      call system_clock(begun, rate)
      call MPI_Reduce(mine, self%value, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
      call system_clock(ended)
      self%communication_ns = self%communication_ns + (ended - begun) * (1000000000_int64 / rate)
    end do
  end subroutine advance

  pure function multiplied(x, y, count) result(sum_of_all)
    integer(int64), intent(in) :: count
    real(real64), intent(in) :: x(count), y(count)
    real(real64) :: sum_of_all, sums(LANES)
    integer(int64) :: i, whole
    integer :: lane
    whole = count / LANES * LANES
    sums = 0
    do i = 0, whole - LANES, LANES
      do lane = 1, LANES
        sums(lane) = sums(lane) + x(i + lane) * y(i + lane)
      end do
    end do
    sum_of_all = sum(sums) + dot_product(x(whole + 1:), y(whole + 1:))
  end function multiplied

  subroutine free(self)
    class(inner_product), intent(inout) :: self
    if (allocated(self%x)) deallocate (self%x)
    if (allocated(self%y)) deallocate (self%y)
  end subroutine free

end module inner_products
