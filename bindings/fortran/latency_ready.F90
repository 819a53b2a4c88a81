#include "mpi_names.inc"
! Ping-pong in the mode `ready`: every receive is posted before the message that makes the other side send.
module latency_ready
  use MPI_MODULE
  use harness, only: PAYLOAD_TAG, ACKNOWLEDGEMENT_TAG
  use latency_persistent, only: AHEAD, restart_send_and_wait
  use messages
  implicit none
  private
  public :: ready_ping, ready_pong, ready_ping_nonblocking, ready_pong_nonblocking
  public :: ready_ping_persistent, ready_pong_persistent
  public :: ready_begin, ready_end

contains

  subroutine post(request)
    REQUEST_HANDLE, intent(inout) :: request
    integer :: ierror
    call MPI_Irecv(incoming, elements, datatype, peer, PAYLOAD_TAG, MPI_COMM_WORLD, request, ierror)
  end subroutine post

  subroutine send()
    integer :: ierror
    call MPI_Rsend(outgoing, elements, datatype, peer, PAYLOAD_TAG, MPI_COMM_WORLD, ierror)
  end subroutine send

  subroutine send_and_wait()
    REQUEST_HANDLE :: sending
    integer :: ierror
    call MPI_Irsend(outgoing, elements, datatype, peer, PAYLOAD_TAG, MPI_COMM_WORLD, sending, ierror)
    call MPI_Wait(sending, MPI_STATUS_IGNORE, ierror)
  end subroutine send_and_wait

  subroutine ready_ping()
    integer :: ierror
    call post(requests(AHEAD))
    call send()
    call MPI_Wait(requests(AHEAD), MPI_STATUS_IGNORE, ierror)
  end subroutine ready_ping

  subroutine ready_pong()
    integer :: ierror
    call MPI_Wait(requests(AHEAD), MPI_STATUS_IGNORE, ierror)
    call post(requests(AHEAD))
    call send()
  end subroutine ready_pong

  subroutine ready_ping_nonblocking()
    integer :: ierror
    call post(requests(AHEAD))
    call send_and_wait()
    call MPI_Wait(requests(AHEAD), MPI_STATUS_IGNORE, ierror)
  end subroutine ready_ping_nonblocking

  subroutine ready_pong_nonblocking()
    integer :: ierror
    call MPI_Wait(requests(AHEAD), MPI_STATUS_IGNORE, ierror)
    call post(requests(AHEAD))
    call send_and_wait()
  end subroutine ready_pong_nonblocking

  subroutine ready_ping_persistent()
    integer :: ierror
    call MPI_Start(requests(AHEAD), ierror)
    call restart_send_and_wait()
    call MPI_Wait(requests(AHEAD), MPI_STATUS_IGNORE, ierror)
  end subroutine ready_ping_persistent

  subroutine ready_pong_persistent()
    integer :: ierror
    call MPI_Wait(requests(AHEAD), MPI_STATUS_IGNORE, ierror)
    call MPI_Start(requests(AHEAD), ierror)
    call restart_send_and_wait()
  end subroutine ready_pong_persistent

  ! Rank 1 posts its first receive and tells rank 0, which may send from then on.
  subroutine ready_begin(persistent)
    logical, intent(in) :: persistent
    integer :: ierror
    if (rank == 0) then
      call MPI_Recv(nothing, 0, MPI_BYTE, peer, ACKNOWLEDGEMENT_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
      return
    end if
    if (persistent) then
      call MPI_Start(requests(AHEAD), ierror)
    else
      call post(requests(AHEAD))
    end if
    call MPI_Send(nothing, 0, MPI_BYTE, peer, ACKNOWLEDGEMENT_TAG, MPI_COMM_WORLD, ierror)
  end subroutine ready_begin

  ! An empty message completes the receive that rank 1 has posted ahead and no iteration answers.
  subroutine ready_end()
    integer :: ierror
    if (rank == 0) then
      call MPI_Send(nothing, 0, datatype, peer, PAYLOAD_TAG, MPI_COMM_WORLD, ierror)
    else
      call MPI_Wait(requests(AHEAD), MPI_STATUS_IGNORE, ierror)
    end if
  end subroutine ready_end

end module latency_ready
