! The wave equation in a cube whose boundary reflects, on a mesh of ranks that exchange the faces of their blocks.
!
! u_tt = u_xx + u_yy + u_zz in the unit cube, by central differences. Axis 1 is cut first; an array has the axes in
! reverse order, so that a face across axis 1 is contiguous.
module wave_equation
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_int, c_intptr_t, c_loc, c_size_t
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  private
  public :: wave, time_step, LEAST_POINTS

  integer, parameter :: LEAST_POINTS = 3 ! along an axis of a rank
  integer, parameter :: MOST_POINTS = 46338 ! so that the points of a face are counted by an integer
  integer, parameter :: PAGE = 4096 / 8 ! in numbers

  ! Side 2 a - 1 is the lower one of axis a, side 2 a the upper one. Behind MPI_PROC_NULL is the boundary.
  type :: side_of_block
    integer :: neighbor = MPI_PROC_NULL
    real(real64), allocatable :: outgoing(:, :), incoming(:, :)
  end type side_of_block

  type :: field
    real(real64), pointer, contiguous :: u(:, :, :) => null()
  end type field

  type :: wave
    private
    integer, public :: n(3) = 0, start(3) = 0 ! this rank's points, and where they begin, counted from 0
    integer(int64), public :: communication_ns = 0
    type(MPI_Comm) :: mesh
    type(side_of_block) :: sides(6)
    type(field) :: fields(2) ! of u and of the step before it, by turns; 0 and n + 1 are ghost layers
    real(real64), pointer, contiguous :: memory(:) => null() ! of both
    integer :: edge = 0, current = 1, outstanding = 0
    integer(int64) :: steps = 0
    logical :: overlapped = .false.
    type(MPI_Request) :: requests(12)
  contains
    procedure :: create, restart, advance, values
    procedure :: free => free_wave
  end type wave

  interface
    function madvise(address, bytes, advice) bind(C) result(code)
      import :: c_int, c_intptr_t, c_size_t
      integer(c_intptr_t), value :: address
      integer(c_size_t), value :: bytes
      integer(c_int), value :: advice
      integer(c_int) :: code
    end function madvise
  end interface

contains

  ! The step in time that all programs take.
  pure function time_step(edge) result(dt)
    integer, intent(in) :: edge
    real(real64) :: dt
    dt = 0.004510_real64 * 128 / (edge - 1)
  end function time_step

  ! Whether all ranks have their blocks; else one has no memory, or too few points. Collective.
  function create(self, edge, overlapped) result(made)
    class(wave), intent(inout) :: self
    integer, intent(in) :: edge
    logical, intent(in) :: overlapped
    logical :: made, here
    self%edge = edge
    self%overlapped = overlapped
    self%communication_ns = 0
    call divide(self)
    here = allocated_here(self)
    call MPI_Allreduce(here, made, 1, MPI_LOGICAL, MPI_LAND, self%mesh)
    if (made) then
      call self%restart()
    else
      call self%free()
    end if
  end function create

  ! The mesh of ranks, and which points are this rank's: the first ranks get one more of those that are left over.
  subroutine divide(self)
    class(wave), intent(inout) :: self
    integer :: ranks, rank, axis, dims(3), coords(3)
    dims = 0
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call MPI_Dims_create(ranks, 3, dims)
    call MPI_Cart_create(MPI_COMM_WORLD, 3, dims, [.false., .false., .false.], .false., self%mesh)
    call MPI_Comm_rank(self%mesh, rank)
    call MPI_Cart_coords(self%mesh, rank, 3, coords)
    self%n = self%edge / dims + merge(1, 0, coords < mod(self%edge, dims))
    self%start = self%edge / dims * coords + min(coords, mod(self%edge, dims))
    do axis = 1, 3
      call MPI_Cart_shift(self%mesh, axis - 1, 1, self%sides(2 * axis - 1)%neighbor, self%sides(2 * axis)%neighbor)
    end do
  end subroutine divide

  ! The second field begins elsewhere in a page: else a processor takes values of it that are written for those of the
  ! first one with the same place in a page, and waits.
  function allocated_here(self) result(done)
    class(wave), intent(inout) :: self
    logical :: done
    integer(int64) :: points, second
    integer :: s, failed
    done = all(self%n >= LEAST_POINTS) .and. all(self%n <= MOST_POINTS)
    if (.not. done) return
    points = product(int(self%n + 2, int64))
    second = (points + PAGE - 1) / PAGE * PAGE + PAGE / 2 + 8
    allocate (self%memory(second + points), stat=failed)
    if (failed == 0) call ask_for_huge_pages(self%memory)
    do s = 3, 6
      if (failed /= 0 .or. self%sides(s)%neighbor == MPI_PROC_NULL) cycle
      associate (across => merge(self%n(2), self%n(1), s > 4))
        if (s > 4) allocate (self%sides(s)%outgoing(across, self%n(1)), self%sides(s)%incoming(across, self%n(1)), stat=failed)
        if (s < 5) allocate (self%sides(s)%outgoing(self%n(3), across), self%sides(s)%incoming(self%n(3), across), stat=failed)
      end associate
    end do
    done = failed == 0
    if (.not. done) return
    associate (n => self%n)
      self%fields(1)%u(0:n(3) + 1, 0:n(2) + 1, 0:n(1) + 1) => self%memory(:points)
      self%fields(2)%u(0:n(3) + 1, 0:n(2) + 1, 0:n(1) + 1) => self%memory(second + 1:)
    end associate
  end function allocated_here

  ! Where Linux has huge pages, for memory that was not touched yet: a plane is then in few of them, and the processor
  ! knows where these are.
  subroutine ask_for_huge_pages(memory)
    real(real64), target, contiguous, intent(inout) :: memory(:)
    integer(c_int), parameter :: MADV_HUGEPAGE = 14
    integer(c_intptr_t) :: address, before
    integer(c_int) :: code
    address = transfer(c_loc(memory), address)
    before = modulo(-address, 8_c_intptr_t * PAGE)
    code = madvise(address + before, max(8 * size(memory, kind=c_size_t) - before, 0_c_size_t), MADV_HUGEPAGE)
    if (code /= 0) return ! without them it takes longer
  end subroutine ask_for_huge_pages

  ! The state before the first step: u = 2 cos(pi x) cos(pi y) cos(pi z) at rest.
  subroutine restart(self)
    class(wave), intent(inout) :: self
    real(real64) :: x(self%n(1)), y(self%n(2)), z(self%n(3))
    integer :: i, j
    x = cosines(self%start(1), self%n(1), self%edge)
    y = cosines(self%start(2), self%n(2), self%edge)
    z = cosines(self%start(3), self%n(3), self%edge)
    self%fields(1)%u = 0
    self%fields(2)%u = 0 ! the first step takes nothing from before it
    associate (u => self%fields(1)%u, n => self%n(3))
      do i = 1, self%n(1)
        do j = 1, self%n(2)
          u(1:n, j, i) = 2 * x(i) * y(j) * z
          u(0, j, i) = u(2, j, i) ! ghost points of a neighbour are overwritten by what it sends
          u(n + 1, j, i) = u(n - 1, j, i)
        end do
      end do
    end associate
    self%current = 1
    self%steps = 0
  end subroutine restart

  pure function cosines(start, count, edge) result(of)
    integer, intent(in) :: start, count, edge
    real(real64) :: of(count)
    real(real64), parameter :: PI = acos(-1.0_real64)
    integer :: i
    of = [(cos(PI * (start + i - 1) / (edge - 1)), i = 1, count)]
  end function cosines

  ! So many steps. u_t = 0 at the beginning, so u^{-1} = u^1, and half of each term makes the first step.
  subroutine advance(self, steps)
    class(wave), intent(inout) :: self
    integer(int64), intent(in) :: steps
    real(real64) :: a, c
    integer(int64) :: step
    do step = 1, steps
      a = (time_step(self%edge) * (self%edge - 1))**2
      c = 2 - 6 * a
      if (self%steps == 0) then
        a = a / 2
        c = c / 2
      end if
      call start_exchange(self)
      if (self%overlapped) then
        call update_around_exchange(self, a, c)
      else
        call finish_exchange(self)
        call update(self, [1, 1, 1], self%n, a, c)
      end if
      self%current = 3 - self%current
      self%steps = self%steps + 1
    end do
  end subroutine advance

  ! The faces are under way while the points inside are updated. Those beside ghost layers follow, each of them once.
  subroutine update_around_exchange(self, a, c)
    class(wave), intent(inout) :: self
    real(real64), intent(in) :: a, c
    integer :: first(3), last(3), from(3), to(3), axis
    first = merge(1, 2, self%sides(1::2)%neighbor == MPI_PROC_NULL)
    last = self%n - merge(0, 1, self%sides(2::2)%neighbor == MPI_PROC_NULL)
    call update(self, first, last, a, c)
    call finish_exchange(self)
    from = first
    to = last
    do axis = 3, 1, -1
      if (first(axis) == 2) then
        to(axis) = 1
        from(axis) = 1
        call update(self, from, to, a, c)
      end if
      if (last(axis) < self%n(axis)) then
        from(axis) = self%n(axis)
        to(axis) = self%n(axis)
        call update(self, from, to, a, c)
      end if
      from(axis) = 1
      to(axis) = self%n(axis)
    end do
  end subroutine update_around_exchange

  ! The next values of a box of points overwrite the values before last.
  subroutine update(self, first, last, a, c)
    class(wave), intent(inout) :: self
    integer, intent(in) :: first(3), last(3)
    real(real64), intent(in) :: a, c
    call update_box(self%fields(3 - self%current)%u, self%fields(self%current)%u, self%n, &
                    self%sides%neighbor == MPI_PROC_NULL, first, last, a, c)
  end subroutine update

  ! Two planes at a time. A row beside a boundary takes its mirror image for the ghost row: u_0 = u_2. Only at the ends
  ! of rows the ghost points are written, while the row is in the cache.
  pure subroutine update_box(next, u, n, mirror, first, last, a, c)
    integer, intent(in) :: n(3), first(3), last(3)
    real(real64), intent(inout) :: next(0:n(3) + 1, 0:n(2) + 1, 0:n(1) + 1)
    real(real64), intent(in) :: u(0:n(3) + 1, 0:n(2) + 1, 0:n(1) + 1), a, c
    logical, intent(in) :: mirror(6)
    integer :: i, j, other, below, above, left, right
    do i = first(1), last(1), 2
      other = min(i + 1, last(1)) ! an odd last plane is alone
      below = merge(2, i - 1, mirror(1) .and. i == 1)
      above = merge(other - 1, other + 1, mirror(2) .and. other == n(1))
      do j = first(2), last(2)
        left = merge(2, j - 1, mirror(3) .and. j == 1)
        right = merge(j - 1, j + 1, mirror(4) .and. j == n(2))
        if (other > i) then
          call update_pair(next(:, j, i), next(:, j, other), u(:, j, i), u(:, j, other), u(:, j, below), u(:, j, above), &
                           u(:, left, i), u(:, right, i), u(:, left, other), u(:, right, other), n(3), first(3), last(3), a, c)
        else
          call update_row(next(:, j, i), u(:, j, i), u(:, j, below), u(:, j, above), u(:, left, i), u(:, right, i), &
                          n(3), first(3), last(3), a, c)
        end if
        if (mirror(5) .and. first(3) == 1) next(0, j, i:other) = next(2, j, i:other)
        if (mirror(6) .and. last(3) == n(3)) next(n(3) + 1, j, i:other) = next(n(3) - 1, j, i:other)
      end do
    end do
  end subroutine update_box

  ! What a row needs of others lies in rows, too: those below and above along axis 1, left and right along axis 2.
  pure subroutine update_row(next, u, below, above, left, right, n, first, last, a, c)
    integer, intent(in) :: n, first, last
    real(real64), intent(inout) :: next(0:n + 1)
    real(real64), intent(in), dimension(0:n + 1) :: u, below, above, left, right
    real(real64), intent(in) :: a, c
    integer :: k
    do k = first, last
      next(k) = updated(next(k), u(k), below(k) + above(k), left(k) + right(k), u(k - 1) + u(k + 1), a, c)
    end do
  end subroutine update_row

  ! A row of a plane and the same one of the plane above it: each is the other's neighbour, so that both are loaded once
  ! for two rows. It takes less time than two rows apart.
  pure subroutine update_pair(next, next_above, u, u_above, below, above, left, right, left_above, right_above, &
                              n, first, last, a, c)
    integer, intent(in) :: n, first, last
    real(real64), intent(inout), dimension(0:n + 1) :: next, next_above
    real(real64), intent(in), dimension(0:n + 1) :: u, u_above, below, above, left, right, left_above, right_above
    real(real64), intent(in) :: a, c
    integer :: k
    do k = first, last
      next(k) = updated(next(k), u(k), below(k) + u_above(k), left(k) + right(k), u(k - 1) + u(k + 1), a, c)
      next_above(k) = updated(next_above(k), u_above(k), u(k) + above(k), left_above(k) + right_above(k), &
                              u_above(k - 1) + u_above(k + 1), a, c)
    end do
  end subroutine update_pair

  ! The update of a point: what it had before u, u, and the sums of its neighbours along each axis.
  pure function updated(before, u, axis1, axis2, axis3, a, c) result(next)
    real(real64), intent(in) :: before, u, axis1, axis2, axis3, a, c
    real(real64) :: next
    next = a * ((axis1 + axis2) + axis3) + c * u - before
  end function updated

  ! Faces across axis 1 are planes, which travel from and to where they are; the others are copied. A message has the
  ! number of the side at which it arrives.
  subroutine start_exchange(self)
    class(wave), target, asynchronous, intent(inout) :: self
    integer(int64) :: begun
    integer :: s, plane
    begun = now()
    self%outstanding = 0
    plane = (self%n(3) + 2) * self%n(2)
    associate (u => self%fields(self%current)%u, n => self%n)
      do s = 1, 6
        if (self%sides(s)%neighbor == MPI_PROC_NULL) cycle
        self%outstanding = self%outstanding + 1
        associate (side => self%sides(s), request => self%requests(self%outstanding))
          if (s < 3) then
            call MPI_Irecv(u(:, 1:n(2), merge(0, n(1) + 1, s == 1)), plane, MPI_DOUBLE_PRECISION, side%neighbor, s, &
                           self%mesh, request)
          else
            call MPI_Irecv(side%incoming, size(side%incoming), MPI_DOUBLE_PRECISION, side%neighbor, s, self%mesh, request)
          end if
        end associate
      end do
      do s = 1, 6
        if (self%sides(s)%neighbor == MPI_PROC_NULL) cycle
        self%outstanding = self%outstanding + 1
        associate (side => self%sides(s), request => self%requests(self%outstanding), there => s + merge(1, -1, mod(s, 2) == 1))
          if (s < 3) then
            call MPI_Isend(u(:, 1:n(2), merge(1, n(1), s == 1)), plane, MPI_DOUBLE_PRECISION, side%neighbor, there, &
                           self%mesh, request)
          else
            if (s < 5) side%outgoing = u(1:n(3), merge(1, n(2), s == 3), 1:n(1))
            if (s > 4) side%outgoing = u(merge(1, n(3), s == 5), 1:n(2), 1:n(1))
            call MPI_Isend(side%outgoing, size(side%outgoing), MPI_DOUBLE_PRECISION, side%neighbor, there, self%mesh, request)
          end if
        end associate
      end do
    end associate
    self%communication_ns = self%communication_ns + now() - begun
  end subroutine start_exchange

  subroutine finish_exchange(self)
    class(wave), target, asynchronous, intent(inout) :: self
    integer(int64) :: begun
    integer :: s
    begun = now()
    call MPI_Waitall(self%outstanding, self%requests, MPI_STATUSES_IGNORE)
    associate (u => self%fields(self%current)%u, n => self%n)
      do s = 3, 6
        if (self%sides(s)%neighbor == MPI_PROC_NULL) cycle
        if (s < 5) u(1:n(3), merge(0, n(2) + 1, s == 3), 1:n(1)) = self%sides(s)%incoming
        if (s > 4) u(merge(0, n(3) + 1, s == 5), 1:n(2), 1:n(1)) = self%sides(s)%incoming
      end do
    end associate
    self%communication_ns = self%communication_ns + now() - begun
  end subroutine finish_exchange

  function now() result(ns)
    integer(int64) :: ns, count, rate
    call system_clock(count, rate)
    ns = count * (1000000000_int64 / rate)
  end function now

  ! This rank's block of u with its ghost layers; the first index of each axis is 0.
  function values(self) result(u)
    class(wave), intent(in) :: self
    real(real64), pointer, contiguous :: u(:, :, :)
    u => self%fields(self%current)%u
  end function values

  subroutine free_wave(self)
    class(wave), intent(inout) :: self
    integer :: s
    call MPI_Comm_free(self%mesh)
    if (associated(self%memory)) deallocate (self%memory)
    nullify (self%fields(1)%u, self%fields(2)%u)
    do s = 1, 6
      if (allocated(self%sides(s)%outgoing)) deallocate (self%sides(s)%outgoing)
      if (allocated(self%sides(s)%incoming)) deallocate (self%sides(s)%incoming)
    end do
  end subroutine free_wave

end module wave_equation
