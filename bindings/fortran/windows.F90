#include "mpi_names.inc"
! Many messages in flight: bandwidth, bibandwidth and stream. `a` is rank 0 and `b` rank 1.
module windows
  use MPI_MODULE
  use harness, only: PAYLOAD_TAG
  use messages
  implicit none
  private
  public :: bandwidth_a, bandwidth_b, bibandwidth, stream_b, ready_stream_a, ready_stream_b

contains

  subroutine post_receives(first)
    integer, intent(in) :: first ! of their requests
    integer :: slot, ierror
    do slot = 1, window
      call MPI_Irecv(incoming_slots(:, slot), elements, datatype, peer, PAYLOAD_TAG, MPI_COMM_WORLD, &
                     requests(first + slot - 1), ierror)
    end do
  end subroutine post_receives

  subroutine start_sends(first)
    integer, intent(in) :: first ! of their requests
    integer :: slot, ierror
    do slot = 1, window
      call MPI_Isend(outgoing_slots(:, slot), elements, datatype, peer, PAYLOAD_TAG, MPI_COMM_WORLD, &
                     requests(first + slot - 1), ierror)
    end do
  end subroutine start_sends

  subroutine bandwidth_a()
    integer :: ierror
    call start_sends(1)
    call MPI_Waitall(window, requests, MPI_STATUSES_IGNORE, ierror)
    call await_acknowledgement()
  end subroutine bandwidth_a

  subroutine bandwidth_b()
    integer :: ierror
    call post_receives(1)
    call MPI_Waitall(window, requests, MPI_STATUSES_IGNORE, ierror)
    call acknowledge()
  end subroutine bandwidth_b

  subroutine bibandwidth()
    integer :: ierror
    call post_receives(1)
    call start_sends(window + 1)
    call MPI_Waitall(2*window, requests, MPI_STATUSES_IGNORE, ierror)
  end subroutine bibandwidth

  subroutine stream_b()
    integer :: slot, ierror
    do slot = 1, window
      call MPI_Recv(incoming_slots(:, slot), elements, datatype, peer, PAYLOAD_TAG, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierror)
    end do
    call acknowledge()
  end subroutine stream_b

  ! In the mode `ready` all receives are posted before the message that makes the other side send.

  subroutine ready_stream_a()
    integer :: slot, ierror
    call await_acknowledgement()
    do slot = 1, window
      call MPI_Rsend(outgoing_slots(:, slot), elements, datatype, peer, PAYLOAD_TAG, MPI_COMM_WORLD, ierror)
    end do
    call await_acknowledgement()
  end subroutine ready_stream_a

  subroutine ready_stream_b()
    integer :: ierror
    call post_receives(1)
    call acknowledge()
    call MPI_Waitall(window, requests, MPI_STATUSES_IGNORE, ierror)
    call acknowledge()
  end subroutine ready_stream_b

end module windows
