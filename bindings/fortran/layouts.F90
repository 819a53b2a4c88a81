#include "mpi_names.inc"
! Doubles that do not lie side by side (docs/protocol.md), as a datatype that the loops of latency then send.
module layouts
  use MPI_MODULE
  use messages
  implicit none
  private
  public :: layouts_begin, layouts_end

  integer, parameter :: GROUP = 4 ! elements of each period
  integer, parameter :: INDEXED_PERIOD = 6, LENGTHS(2) = [1, 3], PLACES(2) = [0, 2] ! and its blocks
  integer(MPI_ADDRESS_KIND), parameter :: RECORD = 40, FIELDS(3) = [0, 8, 24] ! in bytes

contains

  subroutine layouts_begin(layout)
    character(*), intent(in) :: layout
    integer :: ierror
    select case (layout)
    case ("vector")
      call MPI_Type_vector(elements, 1, 2, MPI_DOUBLE_PRECISION, datatype, ierror)
    case ("indexed")
      call make_indexed(elements/GROUP)
    case ("struct")
      call make_record()
    case default
      call MPI_Type_contiguous(elements, MPI_DOUBLE_PRECISION, datatype, ierror)
    end select
    call MPI_Type_commit(datatype, ierror)
    elements = merge(elements/GROUP, 1, layout == "struct")
  end subroutine layouts_begin

  subroutine make_indexed(groups)
    integer, intent(in) :: groups
    integer :: lengths_of_all(2*groups), places_of_all(2*groups), i, ierror
    do i = 0, groups - 1
      lengths_of_all(2*i + 1:2*i + 2) = LENGTHS
      places_of_all(2*i + 1:2*i + 2) = i*INDEXED_PERIOD + PLACES
    end do
    call MPI_Type_indexed(2*groups, lengths_of_all, places_of_all, MPI_DOUBLE_PRECISION, datatype, ierror)
  end subroutine make_indexed

  ! A record whose third field stays.
  subroutine make_record()
    DATATYPE_HANDLE :: whole, types(3)
    integer(MPI_ADDRESS_KIND), parameter :: BEGIN = 0
    integer :: ierror
    types = [MPI_INTEGER8, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION]
    call MPI_Type_create_struct(3, [1, 1, 2], FIELDS, types, whole, ierror)
    call MPI_Type_create_resized(whole, BEGIN, RECORD, datatype, ierror)
    call MPI_Type_free(whole, ierror)
  end subroutine make_record

  subroutine layouts_end()
    integer :: ierror
    call MPI_Type_free(datatype, ierror)
  end subroutine layouts_end

end module layouts
