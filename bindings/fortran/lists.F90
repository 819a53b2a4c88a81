#include "mpi_names.inc"
! The payload `list` between two ranks: integers. The receiver probes for its length and allocates.
module lists
  use MPI_MODULE
  use, intrinsic :: iso_c_binding
  use harness, only: polympi_buffers, PAYLOAD_TAG
  use messages
  implicit none
  private
  public :: lists_begin, lists_show, list_ping, list_pong

  integer(c_int64_t), allocatable :: sent(:), received(:)
  type(c_ptr) :: shown ! where the harness looks for what has come

contains

  subroutine lists_begin(buffers)
    type(polympi_buffers), intent(in) :: buffers
    integer(c_int64_t), pointer :: integers(:)
    call c_f_pointer(buffers%outgoing, integers, [elements])
    sent = integers
    if (allocated(received)) deallocate (received)
    shown = buffers%incoming
  end subroutine lists_begin

  ! What is not as long as what was sent is not shown, so that the check finds no message.
  subroutine lists_show()
    integer(c_int64_t), pointer :: integers(:)
    if (.not. allocated(received)) return
    if (size(received) /= size(sent)) return
    call c_f_pointer(shown, integers, shape(received))
    integers = received
  end subroutine lists_show

  subroutine send()
    integer :: ierror
    call MPI_Send(sent, size(sent), MPI_INTEGER8, peer, PAYLOAD_TAG, MPI_COMM_WORLD, ierror)
  end subroutine send

  subroutine receive()
    MESSAGE_HANDLE :: message
    STATUS_OBJECT :: status
    integer :: length, ierror
    call MPI_Mprobe(peer, PAYLOAD_TAG, MPI_COMM_WORLD, message, status, ierror)
    call MPI_Get_count(status, MPI_INTEGER8, length, ierror)
    if (allocated(received)) deallocate (received)
    allocate (received(length))
    call MPI_Mrecv(received, length, MPI_INTEGER8, message, MPI_STATUS_IGNORE, ierror)
  end subroutine receive

  subroutine list_ping()
    call send()
    call receive()
  end subroutine list_ping

  subroutine list_pong()
    call receive()
    call send()
  end subroutine list_pong

end module lists
