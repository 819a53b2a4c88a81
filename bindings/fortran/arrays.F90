#include "mpi_names.inc"
! The payload `array` between two ranks: the receiver knows no size, so it probes for it and allocates.
module arrays
  use MPI_MODULE
  use, intrinsic :: iso_c_binding
  use harness, only: polympi_buffers, PAYLOAD_TAG
  use messages
  implicit none
  private
  public :: arrays_begin, arrays_show
  public :: array_ping, array_pong, array_ping_synchronous, array_pong_synchronous
  public :: array_ping_buffered, array_pong_buffered
  public :: array_stream_a, array_stream_synchronous_a, array_stream_buffered_a, array_stream_b

  type :: growing
    real(c_double), allocatable :: values(:)
  end type growing

  real(c_double), pointer, contiguous :: sent(:, :) ! an array in each slot of a window
  type(growing), allocatable :: received(:)         ! likewise
  type(c_ptr) :: shown                              ! where the harness looks for them
  integer(c_int64_t) :: stride

contains

  subroutine arrays_begin(buffers)
    type(polympi_buffers), intent(in) :: buffers
    integer(c_int64_t), parameter :: BYTES = c_sizeof(1.0_c_double)
    stride = buffers%stride/BYTES
    if (c_associated(buffers%outgoing)) &
      call c_f_pointer(buffers%outgoing, sent, [stride, int(buffers%outgoing_messages, c_int64_t)])
    if (allocated(received)) deallocate (received)
    allocate (received(max(buffers%incoming_messages, 1)))
    shown = buffers%incoming
  end subroutine arrays_begin

  subroutine arrays_show()
    real(c_double), pointer, contiguous :: messages(:, :)
    integer :: slot
    if (.not. c_associated(shown)) return
    call c_f_pointer(shown, messages, [stride, size(received, kind=c_int64_t)])
    do slot = 1, size(received)
      if (allocated(received(slot)%values)) messages(:size(received(slot)%values), slot) = received(slot)%values
    end do
  end subroutine arrays_show

  ! Takes the next message, however large it is. What was in `values` is given up.
  subroutine receive(values)
    real(c_double), allocatable, intent(out) :: values(:)
    MESSAGE_HANDLE :: message
    STATUS_OBJECT :: status
    integer :: length, ierror
    call MPI_Mprobe(peer, PAYLOAD_TAG, MPI_COMM_WORLD, message, status, ierror)
    call MPI_Get_count(status, MPI_DOUBLE_PRECISION, length, ierror)
    allocate (values(length))
    call MPI_Mrecv(values, length, MPI_DOUBLE_PRECISION, message, MPI_STATUS_IGNORE, ierror)
  end subroutine receive

  subroutine send(values)
    real(c_double), intent(in) :: values(:)
    integer :: ierror
    call MPI_Send(values, size(values), MPI_DOUBLE_PRECISION, peer, PAYLOAD_TAG, MPI_COMM_WORLD, ierror)
  end subroutine send

  subroutine send_synchronous(values)
    real(c_double), intent(in) :: values(:)
    integer :: ierror
    call MPI_Ssend(values, size(values), MPI_DOUBLE_PRECISION, peer, PAYLOAD_TAG, MPI_COMM_WORLD, ierror)
  end subroutine send_synchronous

  subroutine send_buffered(values)
    real(c_double), intent(in) :: values(:)
    integer :: ierror
    call MPI_Bsend(values, size(values), MPI_DOUBLE_PRECISION, peer, PAYLOAD_TAG, MPI_COMM_WORLD, ierror)
  end subroutine send_buffered

  subroutine array_ping()
    call send(sent(:elements, 1))
    call receive(received(1)%values)
  end subroutine array_ping

  subroutine array_pong()
    call receive(received(1)%values)
    call send(sent(:elements, 1))
  end subroutine array_pong

  subroutine array_ping_synchronous()
    call send_synchronous(sent(:elements, 1))
    call receive(received(1)%values)
  end subroutine array_ping_synchronous

  subroutine array_pong_synchronous()
    call receive(received(1)%values)
    call send_synchronous(sent(:elements, 1))
  end subroutine array_pong_synchronous

  subroutine array_ping_buffered()
    call send_buffered(sent(:elements, 1))
    call receive(received(1)%values)
  end subroutine array_ping_buffered

  subroutine array_pong_buffered()
    call receive(received(1)%values)
    call send_buffered(sent(:elements, 1))
  end subroutine array_pong_buffered

  subroutine array_stream_a()
    integer :: slot
    do slot = 1, window
      call send(sent(:elements, slot))
    end do
    call await_acknowledgement()
  end subroutine array_stream_a

  subroutine array_stream_synchronous_a()
    integer :: slot
    do slot = 1, window
      call send_synchronous(sent(:elements, slot))
    end do
    call await_acknowledgement()
  end subroutine array_stream_synchronous_a

  subroutine array_stream_buffered_a()
    integer :: slot
    do slot = 1, window
      call send_buffered(sent(:elements, slot))
    end do
    call await_acknowledgement()
  end subroutine array_stream_buffered_a

  subroutine array_stream_b()
    integer :: slot
    do slot = 1, window
      call receive(received(slot)%values)
    end do
    call acknowledge()
  end subroutine array_stream_b

end module arrays
