! What the programs share: the start and the end of MPI, the command line, and how figures are printed.
module driver
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  implicit none
  private
  public :: begin, complain, finish, fixed, judge, largest, options_read, ranks_in_words

  ! A word of the command line. A positive number follows it, or it stands alone and its number is 1. What is not given
  ! keeps its number.
  type, public :: option
    character(12) :: word
    integer(int64) :: number
    logical :: alone = .false.
  end type option

  integer, public, protected :: rank

contains

  subroutine begin()
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  end subroutine begin

  subroutine finish(code)
    integer, intent(in) :: code
    call MPI_Finalize()
    stop code, quiet=.true.
  end subroutine finish

  ! Whether the words of the command line have a meaning.
  function options_read(options) result(fine)
    type(option), intent(inout) :: options(:)
    logical :: fine
    character(32) :: word, number
    integer :: i, place, failed
    fine = .true.
    i = 1
    do while (fine .and. i <= command_argument_count())
      call get_command_argument(i, word)
      place = findloc(options%word == word, .true., 1)
      if (place == 0) then
        fine = .false.
      else if (options(place)%alone) then
        options(place)%number = 1
        i = i + 1
      else
        call get_command_argument(i + 1, number)
        read (number, *, iostat=failed) options(place)%number
        fine = failed == 0 .and. verify(trim(number), "0123456789") == 0 .and. options(place)%number > 0
        i = i + 2
      end if
    end do
  end function options_read

  subroutine complain(sentence)
    character(*), intent(in) :: sentence
    if (rank == 0) write (error_unit, "(a)") sentence
  end subroutine complain

  ! Complains about a result that is wrong. Gives the exit code.
  function judge(right) result(code)
    logical, intent(in) :: right
    integer :: code
    code = merge(0, 1, right)
    if (.not. right) call complain("The result is wrong.")
  end function judge

  ! The largest of each value over all ranks, on all ranks.
  function largest(mine) result(most)
    real(real64), intent(in) :: mine(:)
    real(real64) :: most(size(mine))
    call MPI_Allreduce(mine, most, size(mine), MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  end function largest

  function ranks_in_words() result(text)
    character(:), allocatable :: text
    integer :: ranks
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    text = fixed(real(ranks, real64), 0)
    text = text(:len(text) - 1)//trim(merge(" rank ", " ranks", ranks == 1)) ! without the point
  end function ranks_in_words

  ! A number with so many decimals, and a digit before the point.
  function fixed(number, decimals) result(text)
    real(real64), intent(in) :: number
    integer, intent(in) :: decimals
    character(:), allocatable :: text
    character(8) :: layout
    character(40) :: room
    write (layout, "(a,i0,a)") "(f40.", decimals, ")"
    write (room, layout) number
    text = trim(adjustl(room))
  end function fixed

end module driver
