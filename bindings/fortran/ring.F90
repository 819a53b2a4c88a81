#include "mpi_names.inc"
! A message round all ranks: from rank 0 to rank 1, from every rank to the next, from the last to rank 0.
module ring
  use MPI_MODULE
  use, intrinsic :: iso_c_binding
  use harness, only: PAYLOAD_TAG
  use messages
  implicit none
  private
  public :: lap_begun, lap_gone_on

contains

  subroutine pass_on(message)
    integer(c_int8_t), contiguous, asynchronous, intent(in) :: message(:)
    integer :: ierror
    call MPI_Send(message, elements, datatype, next, PAYLOAD_TAG, MPI_COMM_WORLD, ierror)
  end subroutine pass_on

  subroutine await()
    integer :: ierror
    call MPI_Recv(incoming, elements, datatype, previous, PAYLOAD_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  end subroutine await

  subroutine lap_begun()
    call pass_on(outgoing)
    call await()
  end subroutine lap_begun

  subroutine lap_gone_on()
    call await()
    call pass_on(incoming)
  end subroutine lap_gone_on

end module ring
