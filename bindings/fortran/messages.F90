#include "mpi_names.inc"
! The messages of one case on one rank, as all loops see them.
!
! Messages are seen as bytes. Their datatype says what is in them, so that one loop serves all payloads.
module messages
  use MPI_MODULE
  use, intrinsic :: iso_c_binding
  use harness
  implicit none
  private
  public :: messages_begin, messages_end, messages_of_case
  public :: acknowledge, await_acknowledgement, broadcast_size

  integer(c_int8_t), pointer, contiguous, asynchronous, public :: outgoing(:), incoming(:)
  integer(c_int8_t), pointer, contiguous, asynchronous, public :: outgoing_slots(:, :), incoming_slots(:, :)
  integer(c_int8_t), pointer, contiguous, asynchronous, public :: attached(:)
  integer(c_int8_t), pointer, contiguous, public :: nothing(:) ! a message without bytes
  DATATYPE_HANDLE, public :: datatype
  integer, public :: elements ! in one message
  integer, public :: peer     ! the other rank of a point-to-point benchmark
  integer, public :: next, previous ! ranks of a ring
  integer, public :: rank, ranks
  integer, public :: window ! messages in flight
  REQUEST_HANDLE, allocatable, public :: requests(:) ! of two windows

  integer(c_int8_t), pointer, contiguous :: acknowledgement(:)
  DATATYPE_HANDLE :: record_type, nested_type

contains

  ! Makes the datatypes of the user-defined types.
  subroutine messages_begin()
    integer :: ierror
    integer(MPI_ADDRESS_KIND), parameter :: places(3) = [0, 8, 16]
    DATATYPE_HANDLE :: types(3)
    types = [MPI_INTEGER8, MPI_DOUBLE_PRECISION, MPI_CHARACTER]
    call MPI_Type_create_struct(3, [1, 1, 8], places, types, record_type, ierror)
    call MPI_Type_commit(record_type, ierror)
    types = [MPI_CHARACTER, MPI_INTEGER8, MPI_DOUBLE_PRECISION]
    call MPI_Type_create_struct(3, [8, 1, NESTED_ROWS**2], places, types, nested_type, ierror)
    call MPI_Type_commit(nested_type, ierror)
  end subroutine messages_begin

  subroutine messages_end()
    integer :: ierror
    call MPI_Type_free(nested_type, ierror)
    call MPI_Type_free(record_type, ierror)
  end subroutine messages_end

  subroutine messages_of_case(payload, bytes, buffers)
    character(*), intent(in) :: payload
    integer(c_int64_t), intent(in) :: bytes ! of one message
    type(polympi_buffers), intent(in) :: buffers
    datatype = payload_datatype(payload)
    elements = int(buffers%count)
    rank = buffers%rank
    ranks = buffers%ranks
    peer = 1 - rank
    next = modulo(rank + 1, ranks)
    previous = modulo(rank - 1, ranks)
    window = buffers%window
    outgoing => as_bytes(buffers%outgoing, max(buffers%outgoing_messages, 1)*bytes)
    incoming => as_bytes(buffers%incoming, max(buffers%incoming_messages, 1)*bytes)
    if (c_associated(buffers%outgoing)) &
      call c_f_pointer(buffers%outgoing, outgoing_slots, [buffers%stride, int(buffers%outgoing_messages, c_int64_t)])
    if (c_associated(buffers%incoming)) &
      call c_f_pointer(buffers%incoming, incoming_slots, [buffers%stride, int(buffers%incoming_messages, c_int64_t)])
    acknowledgement => as_bytes(buffers%acknowledgement, 1_c_int64_t)
    attached => as_bytes(buffers%attached, buffers%attached_bytes)
    nothing => as_bytes(buffers%empty, 0_c_int64_t)
    if (.not. allocated(requests)) then
      allocate (requests(2*window))
      requests = MPI_REQUEST_NULL ! written to, so that no page is served first inside a loop
    end if

  contains

    ! Memory of the harness as an array; where there is none, an array without elements.
    function as_bytes(memory, length) result(array)
      type(c_ptr), intent(in) :: memory
      integer(c_int64_t), intent(in) :: length
      integer(c_int8_t), pointer, contiguous :: array(:)
      if (c_associated(memory)) then
        call c_f_pointer(memory, array, [length])
      else
        call c_f_pointer(buffers%empty, array, [0])
      end if
    end function as_bytes

  end subroutine messages_of_case

  function payload_datatype(payload) result(type)
    character(*), intent(in) :: payload
    DATATYPE_HANDLE :: type
    select case (payload)
    case ("float64", "float", "array")
      type = MPI_DOUBLE_PRECISION
    case ("int", "list")
      type = MPI_INTEGER8
    case ("int32")
      type = MPI_INTEGER
    case ("string")
      type = MPI_CHARACTER
    case ("dict", "instance")
      type = record_type
    case ("nested")
      type = nested_type
    case default
      type = MPI_BYTE
    end select
  end function payload_datatype

  subroutine acknowledge()
    integer :: ierror
    call MPI_Send(acknowledgement, 1, MPI_BYTE, peer, ACKNOWLEDGEMENT_TAG, MPI_COMM_WORLD, ierror)
  end subroutine acknowledge

  subroutine await_acknowledgement()
    integer :: ierror
    call MPI_Recv(acknowledgement, 1, MPI_BYTE, peer, ACKNOWLEDGEMENT_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  end subroutine await_acknowledgement

  ! The size of an array that the root is about to broadcast.
  subroutine broadcast_size(length)
    integer, intent(inout) :: length(1)
    integer :: ierror
    call MPI_Bcast(length, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  end subroutine broadcast_size

end module messages
