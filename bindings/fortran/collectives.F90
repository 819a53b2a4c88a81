#include "mpi_names.inc"
! One collective call an iteration, root 0.
module collectives
  use MPI_MODULE
  use messages
  implicit none
  private
  public :: barrier, bcast, reduce, allreduce, gather, scatter, allgather, alltoall

contains

  subroutine barrier()
    integer :: ierror
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end subroutine barrier

  subroutine bcast()
    integer :: ierror
    call MPI_Bcast(incoming, elements, datatype, 0, MPI_COMM_WORLD, ierror)
  end subroutine bcast

  subroutine reduce()
    integer :: ierror
    call MPI_Reduce(outgoing, incoming, elements, datatype, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  end subroutine reduce

  subroutine allreduce()
    integer :: ierror
    call MPI_Allreduce(outgoing, incoming, elements, datatype, MPI_SUM, MPI_COMM_WORLD, ierror)
  end subroutine allreduce

  subroutine gather()
    integer :: ierror
    call MPI_Gather(outgoing, elements, datatype, incoming, elements, datatype, 0, MPI_COMM_WORLD, ierror)
  end subroutine gather

  subroutine scatter()
    integer :: ierror
    call MPI_Scatter(outgoing, elements, datatype, incoming, elements, datatype, 0, MPI_COMM_WORLD, ierror)
  end subroutine scatter

  subroutine allgather()
    integer :: ierror
    call MPI_Allgather(outgoing, elements, datatype, incoming, elements, datatype, MPI_COMM_WORLD, ierror)
  end subroutine allgather

  subroutine alltoall()
    integer :: ierror
    call MPI_Alltoall(outgoing, elements, datatype, incoming, elements, datatype, MPI_COMM_WORLD, ierror)
  end subroutine alltoall

end module collectives
