#include "mpi_names.inc"
! The payload `string` between two ranks: letters. The receiver probes for its length and allocates.
module strings
  use MPI_MODULE
  use, intrinsic :: iso_c_binding
  use harness, only: polympi_buffers, PAYLOAD_TAG
  use messages
  implicit none
  private
  public :: strings_begin, strings_show, string_ping, string_pong

  character(kind=c_char, len=:), allocatable :: sent, received
  type(c_ptr) :: shown ! where the harness looks for what has come

contains

  subroutine strings_begin(buffers)
    type(polympi_buffers), intent(in) :: buffers
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    call c_f_pointer(buffers%outgoing, letters, [elements])
    sent = repeat(" ", elements)
    do i = 1, elements
      sent(i:i) = letters(i)
    end do
    if (allocated(received)) deallocate (received)
    shown = buffers%incoming
  end subroutine strings_begin

  ! What is not as long as what was sent is not shown, so that the check finds no message.
  subroutine strings_show()
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    if (.not. allocated(received)) return
    if (len(received) /= len(sent)) return
    call c_f_pointer(shown, letters, [len(received)])
    do i = 1, len(received)
      letters(i) = received(i:i)
    end do
  end subroutine strings_show

  subroutine send()
    integer :: ierror
    call MPI_Send(sent, len(sent), MPI_CHARACTER, peer, PAYLOAD_TAG, MPI_COMM_WORLD, ierror)
  end subroutine send

  subroutine receive()
    MESSAGE_HANDLE :: message
    STATUS_OBJECT :: status
    integer :: length, ierror
    call MPI_Mprobe(peer, PAYLOAD_TAG, MPI_COMM_WORLD, message, status, ierror)
    call MPI_Get_count(status, MPI_CHARACTER, length, ierror)
    if (allocated(received)) deallocate (received)
    allocate (character(kind=c_char, len=length) :: received)
    call MPI_Mrecv(received, length, MPI_CHARACTER, message, MPI_STATUS_IGNORE, ierror)
  end subroutine receive

  subroutine string_ping()
    call send()
    call receive()
  end subroutine string_ping

  subroutine string_pong()
    call receive()
    call send()
  end subroutine string_pong

end module strings
