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
  integer, parameter :: PAGE = 4096 / 8, LINE = 64 / 8 ! a cache line; both in numbers
  integer, parameter :: FOUR = 4 ! planes that are updated at a time
  ! So that the numbers of a face are counted by an integer, also where each row ends with LINE - 1 that are not used.
  integer, parameter :: MOST_POINTS = 46328

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
    integer :: row = 0 ! numbers from one row to the next
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

  ! Point 1 of each row begins a cache line: a vector of a row then is one line, and not parts of two. The second field
  ! begins elsewhere in a page: else a processor takes values of it that are written for those of the first one with the
  ! same place in a page, and waits.
  function allocated_here(self) result(done)
    class(wave), intent(inout) :: self
    logical :: done
    integer(int64) :: numbers, first, second
    integer :: s, failed
    done = all(self%n >= LEAST_POINTS) .and. all(self%n <= MOST_POINTS)
    if (.not. done) return
    self%row = (self%n(3) + 2 + LINE - 1) / LINE * LINE
    numbers = self%row * product(int(self%n(:2) + 2, int64))
    second = (numbers + PAGE - 1) / PAGE * PAGE + PAGE / 2 + LINE
    allocate (self%memory(LINE + second + numbers), stat=failed)
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
    first = modulo(-1 - number_of(self%memory), int(LINE, c_intptr_t)) + 1
    second = second + first
    associate (n => self%n)
      self%fields(1)%u(0:self%row - 1, 0:n(2) + 1, 0:n(1) + 1) => self%memory(first:first + numbers - 1)
      self%fields(2)%u(0:self%row - 1, 0:n(2) + 1, 0:n(1) + 1) => self%memory(second:second + numbers - 1)
    end associate
  end function allocated_here

  ! How many numbers of the address space are before memory.
  function number_of(memory) result(number)
    real(real64), target, contiguous, intent(in) :: memory(:)
    integer(c_intptr_t) :: number
    number = transfer(c_loc(memory), number) / 8
  end function number_of

  ! Where Linux has huge pages, for memory that was not touched yet: a plane is then in few of them, and the processor
  ! knows where these are.
  subroutine ask_for_huge_pages(memory)
    real(real64), target, contiguous, intent(inout) :: memory(:)
    integer(c_int), parameter :: MADV_HUGEPAGE = 14
    integer(c_intptr_t) :: begin, before
    integer(c_int) :: code
    begin = number_of(memory)
    before = modulo(-begin, int(PAGE, c_intptr_t))
    code = madvise(8 * (begin + before), 8 * max(size(memory, kind=c_size_t) - before, 0_c_size_t), MADV_HUGEPAGE)
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
    associate (u => self%fields(1)%u, n => self%n)
      do i = 1, n(1)
        do j = 1, n(2)
          u(1:n(3), j, i) = 2 * x(i) * y(j) * z
        end do
        call mirror_plane(u(:, :, i), self%row, n, self%sides%neighbor == MPI_PROC_NULL, [1, 1, 1], n)
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

  ! The faces are in flight while the points inside are updated. Those beside ghost layers follow, each of them once.
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
    call update_box(self%fields(3 - self%current)%u, self%fields(self%current)%u, self%row, self%n, &
                    self%sides%neighbor == MPI_PROC_NULL, first, last, a, c)
  end subroutine update

  ! FOUR planes at a time, and those that are left over one by one. Whole rows of a plane are one line; the ghost points
  ! between them get a value, too, of which no point inside is made: they are filled before the next step. Beside the
  ! boundary, a plane takes its mirror image for the ghost plane.
  pure subroutine update_box(next, u, row, n, mirror, first, last, a, c)
    integer, intent(in) :: row, n(3), first(3), last(3)
    real(real64), intent(inout) :: next(0:row - 1, 0:n(2) + 1, 0:n(1) + 1)
    real(real64), intent(in) :: u(0:row - 1, 0:n(2) + 1, 0:n(1) + 1), a, c
    logical, intent(in) :: mirror(6)
    integer :: i, j, k, rows, count, planes, top, below, above, made
    k = first(3)
    rows = merge(last(2) - first(2) + 1, 1, first(3) == 1 .and. last(3) == n(3))
    count = (rows - 1) * row + last(3) - first(3) + 1
    i = first(1)
    do while (i <= last(1))
      planes = merge(FOUR, 1, i + FOUR - 1 <= last(1))
      top = i + planes - 1
      below = merge(2, i - 1, mirror(1) .and. i == 1)
      above = merge(top - 1, top + 1, mirror(2) .and. top == n(1))
      do j = first(2), last(2), rows
        if (planes == FOUR) then
          call update_four(next(k, j, i), next(k, j, i + 1), next(k, j, i + 2), next(k, j, i + 3), u(k, j, below), &
                           u(k, j - 1, i), u(k, j - 1, i + 1), u(k, j - 1, i + 2), u(k, j - 1, i + 3), u(k, j, above), &
                           row, count, a, c)
        else
          call update_line(next(k, j, i), u(k, j, below), u(k, j - 1, i), u(k, j, above), row, count, a, c)
        end if
      end do
      do made = i, top
        call mirror_plane(next(:, :, made), row, n, mirror, first, last)
      end do
      i = i + planes
    end do
  end subroutine update_box

  ! What a line needs of others lies in lines, too: those below and above along axis 1, and a row before and behind along
  ! axis 2, of u, which here begins a row before the line.
  pure subroutine update_line(next, below, u, above, row, count, a, c)
    integer, intent(in) :: row, count
    real(real64), intent(inout) :: next(count)
    real(real64), intent(in) :: below(count), u(1 - row:count + row), above(count), a, c
    integer :: k
    do k = 1, count
      next(k) = updated(next(k), u(k), below(k) + above(k), u(k - row) + u(k + row), u(k - 1) + u(k + 1), a, c)
    end do
  end subroutine update_line

  ! A line of a plane and the same ones of the three planes above it. A plane is a neighbour of the planes beside it, and too
  ! large for the cache nearest to the processor: of four planes, six are loaded for four that are made, and of single planes
  ! twelve. All are computed before one is written.
  pure subroutine update_four(next, next1, next2, next3, below, u, u1, u2, u3, above, row, count, a, c)
    integer, intent(in) :: row, count
    real(real64), intent(inout), dimension(count) :: next, next1, next2, next3
    real(real64), intent(in), dimension(count) :: below, above
    real(real64), intent(in), dimension(1 - row:count + row) :: u, u1, u2, u3
    real(real64), intent(in) :: a, c
    real(real64) :: v, v1, v2, v3
    integer :: k
    do k = 1, count
      v = updated(next(k), u(k), below(k) + u1(k), u(k - row) + u(k + row), u(k - 1) + u(k + 1), a, c)
      v1 = updated(next1(k), u1(k), u(k) + u2(k), u1(k - row) + u1(k + row), u1(k - 1) + u1(k + 1), a, c)
      v2 = updated(next2(k), u2(k), u1(k) + u3(k), u2(k - row) + u2(k + row), u2(k - 1) + u2(k + 1), a, c)
      v3 = updated(next3(k), u3(k), u2(k) + above(k), u3(k - row) + u3(k + row), u3(k - 1) + u3(k + 1), a, c)
      next(k) = v
      next1(k) = v1
      next2(k) = v2
      next3(k) = v3
    end do
  end subroutine update_four

  ! The points of a plane's box beside the boundary, also of those at the ends of its rows, give the ghost points beyond it
  ! their values, while they are in the cache: u_0 = u_2.
  pure subroutine mirror_plane(u, row, n, mirror, first, last)
    integer, intent(in) :: row, n(3), first(3), last(3)
    real(real64), intent(inout) :: u(0:row - 1, 0:n(2) + 1)
    logical, intent(in) :: mirror(6)
    integer :: j
    do j = first(2), last(2)
      if (mirror(5) .and. first(3) == 1) u(0, j) = u(2, j)
      if (mirror(6) .and. last(3) == n(3)) u(n(3) + 1, j) = u(n(3) - 1, j)
    end do
    if (mirror(3) .and. first(2) == 1) u(first(3):last(3), 0) = u(first(3):last(3), 2)
    if (mirror(4) .and. last(2) == n(2)) u(first(3):last(3), n(2) + 1) = u(first(3):last(3), n(2) - 1)
  end subroutine mirror_plane

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
    plane = self%row * self%n(2)
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

  ! This rank's block of u with its ghost layers; the first index of each axis is 0. Rows end with numbers that mean nothing.
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
