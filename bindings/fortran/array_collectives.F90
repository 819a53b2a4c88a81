#include "mpi_names.inc"
! The payload `array` between all ranks, root 0: sizes first, then room for the data, then the data.
!
! In a reduction all ranks have arrays of one size, so that a rank knows the size of the result.
module array_collectives
  use MPI_MODULE
  use, intrinsic :: iso_c_binding
  use harness, only: polympi_buffers
  use messages
  implicit none
  private
  public :: array_collectives_begin, array_collectives_show
  public :: array_bcast_root, array_bcast, array_reduce_root, array_reduce, array_allreduce
  public :: array_gather_root, array_gather, array_scatter_root, array_scatter, array_allgather, array_alltoall

  real(c_double), pointer, contiguous :: sent(:)      ! one array, or one for each rank, side by side
  real(c_double), pointer, contiguous :: shown(:)     ! where the harness looks for those received
  real(c_double), allocatable :: received(:)
  integer, allocatable :: sent_counts(:)              ! of the array for each rank

contains

  subroutine array_collectives_begin(buffers)
    type(polympi_buffers), intent(in) :: buffers
    integer :: i
    nullify (sent, shown)
    if (c_associated(buffers%outgoing)) &
      call c_f_pointer(buffers%outgoing, sent, [buffers%count*buffers%outgoing_messages])
    if (c_associated(buffers%incoming)) &
      call c_f_pointer(buffers%incoming, shown, [buffers%count*buffers%incoming_messages])
    sent_counts = [(elements, i=1, ranks)]
    if (allocated(received)) deallocate (received)
  end subroutine array_collectives_begin

  subroutine array_collectives_show()
    if (associated(shown) .and. allocated(received)) shown(:size(received)) = received
  end subroutine array_collectives_show

  ! Where each rank's array begins, when they lie side by side.
  pure function begins(counts) result(places)
    integer, intent(in) :: counts(:)
    integer :: places(size(counts))
    integer :: i
    places(1) = 0
    do i = 2, size(counts)
      places(i) = places(i - 1) + counts(i - 1)
    end do
  end function begins

  subroutine make_room(values, length)
    real(c_double), allocatable, intent(out) :: values(:)
    integer, intent(in) :: length
    allocate (values(length))
  end subroutine make_room

  subroutine array_bcast_root()
    integer :: length(1), ierror
    length = size(sent)
    call broadcast_size(length)
    call MPI_Bcast(sent, size(sent), MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)
  end subroutine array_bcast_root

  subroutine array_bcast()
    integer :: length(1), ierror
    call broadcast_size(length)
    call make_room(received, length(1))
    call MPI_Bcast(received, size(received), MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)
  end subroutine array_bcast

  subroutine array_reduce_root()
    integer :: ierror
    call make_room(received, size(sent))
    call MPI_Reduce(sent, received, size(sent), MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  end subroutine array_reduce_root

  subroutine array_reduce()
    real(c_double) :: no_result(0)
    integer :: ierror
    call MPI_Reduce(sent, no_result, size(sent), MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  end subroutine array_reduce

  subroutine array_allreduce()
    integer :: ierror
    call make_room(received, size(sent))
    call MPI_Allreduce(sent, received, size(sent), MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  end subroutine array_allreduce

  subroutine array_gather_root()
    integer :: counts(ranks), ierror
    call MPI_Gather([size(sent)], 1, MPI_INTEGER, counts, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call make_room(received, sum(counts))
    call MPI_Gatherv(sent, size(sent), MPI_DOUBLE_PRECISION, received, counts, begins(counts), MPI_DOUBLE_PRECISION, &
                     0, MPI_COMM_WORLD, ierror)
  end subroutine array_gather_root

  subroutine array_gather()
    integer :: no_counts(0), ierror
    real(c_double) :: no_result(0)
    call MPI_Gather([size(sent)], 1, MPI_INTEGER, no_counts, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call MPI_Gatherv(sent, size(sent), MPI_DOUBLE_PRECISION, no_result, no_counts, no_counts, MPI_DOUBLE_PRECISION, &
                     0, MPI_COMM_WORLD, ierror)
  end subroutine array_gather

  subroutine array_scatter_root()
    integer :: length(1), ierror
    call MPI_Scatter(sent_counts, 1, MPI_INTEGER, length, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call make_room(received, length(1))
    call MPI_Scatterv(sent, sent_counts, begins(sent_counts), MPI_DOUBLE_PRECISION, received, length(1), &
                      MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)
  end subroutine array_scatter_root

  subroutine array_scatter()
    integer :: length(1), no_counts(0), ierror
    real(c_double) :: nothing_sent(0)
    call MPI_Scatter(no_counts, 1, MPI_INTEGER, length, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call make_room(received, length(1))
    call MPI_Scatterv(nothing_sent, no_counts, no_counts, MPI_DOUBLE_PRECISION, received, length(1), &
                      MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)
  end subroutine array_scatter

  subroutine array_allgather()
    integer :: counts(ranks), ierror
    call MPI_Allgather([size(sent)], 1, MPI_INTEGER, counts, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call make_room(received, sum(counts))
    call MPI_Allgatherv(sent, size(sent), MPI_DOUBLE_PRECISION, received, counts, begins(counts), &
                        MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierror)
  end subroutine array_allgather

  subroutine array_alltoall()
    integer :: counts(ranks), ierror
    call MPI_Alltoall(sent_counts, 1, MPI_INTEGER, counts, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call make_room(received, sum(counts))
    call MPI_Alltoallv(sent, sent_counts, begins(sent_counts), MPI_DOUBLE_PRECISION, &
                       received, counts, begins(counts), MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierror)
  end subroutine array_alltoall

end module array_collectives
