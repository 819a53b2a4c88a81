#include "mpi_names.inc"
! Ping-pong with persistent requests, and by one MPI_Sendrecv on each side.
module latency_persistent
  use MPI_MODULE
  use harness, only: PAYLOAD_TAG
  use messages
  implicit none
  private
  public :: ping_persistent, pong_persistent, restart_send_and_wait, exchange
  public :: persistent_begin, persistent_end

  ! Where the requests lie; in the mode `ready` AHEAD is also the receive that is posted ahead.
  integer, parameter :: SENDING = 1
  integer, parameter, public :: AHEAD = 2

contains

  subroutine restart_send_and_wait()
    integer :: ierror
    call MPI_Start(requests(SENDING), ierror)
    call MPI_Wait(requests(SENDING), MPI_STATUS_IGNORE, ierror)
  end subroutine restart_send_and_wait

  subroutine restart_receive_and_wait()
    integer :: ierror
    call MPI_Start(requests(AHEAD), ierror)
    call MPI_Wait(requests(AHEAD), MPI_STATUS_IGNORE, ierror)
  end subroutine restart_receive_and_wait

  subroutine ping_persistent()
    call restart_send_and_wait()
    call restart_receive_and_wait()
  end subroutine ping_persistent

  subroutine pong_persistent()
    call restart_receive_and_wait()
    call restart_send_and_wait()
  end subroutine pong_persistent

  subroutine exchange()
    integer :: ierror
    call MPI_Sendrecv(outgoing, elements, datatype, peer, PAYLOAD_TAG, &
                      incoming, elements, datatype, peer, PAYLOAD_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  end subroutine exchange

  subroutine persistent_begin(send_mode)
    character(*), intent(in) :: send_mode
    integer :: ierror
    select case (send_mode)
    case ("standard")
      call MPI_Send_init(outgoing, elements, datatype, peer, PAYLOAD_TAG, MPI_COMM_WORLD, requests(SENDING), ierror)
    case ("synchronous")
      call MPI_Ssend_init(outgoing, elements, datatype, peer, PAYLOAD_TAG, MPI_COMM_WORLD, requests(SENDING), ierror)
    case ("buffered")
      call MPI_Bsend_init(outgoing, elements, datatype, peer, PAYLOAD_TAG, MPI_COMM_WORLD, requests(SENDING), ierror)
    case ("ready")
      call MPI_Rsend_init(outgoing, elements, datatype, peer, PAYLOAD_TAG, MPI_COMM_WORLD, requests(SENDING), ierror)
    end select
    call MPI_Recv_init(incoming, elements, datatype, peer, PAYLOAD_TAG, MPI_COMM_WORLD, requests(AHEAD), ierror)
  end subroutine persistent_begin

  subroutine persistent_end()
    integer :: ierror
    call MPI_Request_free(requests(SENDING), ierror)
    call MPI_Request_free(requests(AHEAD), ierror)
  end subroutine persistent_end

end module latency_persistent
