! How the programs print figures.
module figures
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: fixed

contains

  ! A number with so many decimals, and a digit before the point.
  function fixed(number, decimals) result(text)
    real(real64), intent(in) :: number
    integer, intent(in) :: decimals
    character(:), allocatable :: text
    character(8) :: layout
    character(40) :: room
    write (layout, "(a,i0,a)") "(f40.", decimals, ")"
    write (room, layout) number
    text = trim(adjustl(room))
  end function fixed

end module figures
