#include "mpi_names.inc"
! How a face of the cube (docs/protocol.md) gets into a message: as a datatype, or as a section of the array.
!
! What C calls u[z][y][x] is cube(x, y, z) here.
module faces
  use MPI_MODULE
  use, intrinsic :: iso_c_binding
  use harness, only: polympi_buffers, PAYLOAD_TAG
  use messages
  implicit none
  private
  public :: faces_begin, faces_end, ping_rows, pong_rows, ping_elements, pong_elements

  real(c_double), pointer, contiguous :: cube(:, :, :)
  integer :: edge

contains

  ! Makes the datatype of a face, which the loops of latency then send. A contiguous face needs none.
  subroutine faces_begin(mode, buffers)
    character(*), intent(in) :: mode
    type(polympi_buffers), intent(in) :: buffers
    integer :: face(3), ierror
    edge = int(buffers%edge)
    call c_f_pointer(buffers%outgoing, cube, [edge, edge, edge])
    if (mode == "contiguous") return
    face = merge([edge, 1, edge], [1, edge, edge], mode == "rows")
    call MPI_Type_create_subarray(3, [edge, edge, edge], face, [0, 0, 0], MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, &
                                  datatype, ierror)
    call MPI_Type_commit(datatype, ierror)
    elements = 1
  end subroutine faces_begin

  subroutine faces_end()
    integer :: ierror
    call MPI_Type_free(datatype, ierror)
  end subroutine faces_end

  subroutine send_rows()
    integer :: ierror
    call MPI_Send(cube(:, 1, :), edge*edge, MPI_DOUBLE_PRECISION, peer, PAYLOAD_TAG, MPI_COMM_WORLD, ierror)
  end subroutine send_rows

  subroutine receive_rows()
    integer :: ierror
    call MPI_Recv(cube(:, edge, :), edge*edge, MPI_DOUBLE_PRECISION, peer, PAYLOAD_TAG, MPI_COMM_WORLD, &
                  MPI_STATUS_IGNORE, ierror)
  end subroutine receive_rows

  subroutine send_elements()
    integer :: ierror
    call MPI_Send(cube(1, :, :), edge*edge, MPI_DOUBLE_PRECISION, peer, PAYLOAD_TAG, MPI_COMM_WORLD, ierror)
  end subroutine send_elements

  subroutine receive_elements()
    integer :: ierror
    call MPI_Recv(cube(edge, :, :), edge*edge, MPI_DOUBLE_PRECISION, peer, PAYLOAD_TAG, MPI_COMM_WORLD, &
                  MPI_STATUS_IGNORE, ierror)
  end subroutine receive_elements

  subroutine ping_rows()
    call send_rows()
    call receive_rows()
  end subroutine ping_rows

  subroutine pong_rows()
    call receive_rows()
    call send_rows()
  end subroutine pong_rows

  subroutine ping_elements()
    call send_elements()
    call receive_elements()
  end subroutine ping_elements

  subroutine pong_elements()
    call receive_elements()
    call send_elements()
  end subroutine pong_elements

end module faces
