#include "mpi_names.inc"
! Every case of docs/protocol.md in Fortran.
!
!     mpiexec -n RANKS bench PLAN SAMPLES [sections] [--name NAME]
program bench
  use MPI_MODULE
  use, intrinsic :: iso_c_binding
#ifdef USE_MPI_F08
  use applications, only: applications_opted_in
#endif
  use cases
  use harness
  implicit none
  type :: word
    character(kind=c_char, len=:), pointer :: text
  end type word
  type(word) :: plan, samples, name, complaint
  type(polympi_launch) :: launch
  integer(c_int64_t) :: start
  integer :: provided, code, ierror
  logical :: sections

  call read_arguments()
  launch%plan = c_loc(plan%text)
  launch%samples = c_loc(samples%text)
  launch%binding = c_loc(name%text)
  launch%complaint = c_loc(complaint%text)
  launch%load_ns = 0
  launch%plain_pages = 0
  launch%opted_in = shiftl(1_c_int64_t, benchmark_number("stream"))
#ifdef USE_MPI_F08
  launch%opted_in = ior(launch%opted_in, applications_opted_in()) ! which are written with this module
#endif
  start = polympi_clock()
  call MPI_Init_thread(MPI_THREAD_SINGLE, provided, ierror)
  launch%init_ns = polympi_clock() - start
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  launch%ready_ns = polympi_clock()
  call polympi_memory(launch%pss_bytes, launch%rss_bytes)
  code = polympi_run(launch, cases_begin(sections))
  call cases_end()
  call MPI_Finalize(ierror)
  stop code, quiet=.true.

contains

  subroutine read_arguments()
    type(word) :: option
    integer :: i
    plan = argument(1)
    samples = argument(2)
    name = as_c("fortran")
    complaint = as_c("")
    sections = .false.
    if (command_argument_count() < 2) complaint = as_c("Usage: bench PLAN SAMPLES [sections] [--name NAME].")
    i = 3
    do while (i <= command_argument_count())
      option = argument(i)
      if (option%text == "sections"//c_null_char) then
        sections = .true.
      else if (option%text == "--name"//c_null_char .and. i < command_argument_count()) then
        i = i + 1
        name = argument(i)
      else
        complaint = as_c("'"//option%text(:len(option%text) - 1)//"' is neither sections nor --name NAME.")
      end if
      i = i + 1
    end do
  end subroutine read_arguments

  function argument(number) result(found)
    integer, intent(in) :: number
    type(word) :: found
    character(:), allocatable :: text
    integer :: length
    call get_command_argument(number, length=length)
    allocate (character(length) :: text)
    call get_command_argument(number, text)
    found = as_c(text)
  end function argument

  ! A text that ends as C wants it, and that stays until the program ends.
  function as_c(text) result(copy)
    character(*), intent(in) :: text
    type(word) :: copy
    allocate (character(kind=c_char, len=len(text) + 1) :: copy%text)
    copy%text = text//c_null_char
  end function as_c

end program bench
