#include "mpi_names.inc"
! What the harness calls back: which cases this program does, with which loops, and what they need before and after.
module cases
  use MPI_MODULE
  use, intrinsic :: iso_c_binding
  use applications, only: prepare_application
  use array_collectives, only: array_collectives_begin, array_collectives_show
  use arrays, only: arrays_begin, arrays_show
  use choices
  use faces, only: faces_begin, faces_end
  use harness
  use latency_persistent, only: persistent_begin, persistent_end
  use latency_ready, only: ready_begin, ready_end
  use layouts, only: layouts_begin, layouts_end
  use lists, only: lists_begin, lists_show
  use loops
  use messages
  use strings, only: strings_begin, strings_show
  implicit none
  private
  public :: cases_begin, cases_end

  type(names_of_case) :: names ! of the case that is running: one after the other
  logical :: by_sections       ! faces are sent as sections of the cube, and nothing else is sent

contains

  function cases_begin(sections) result(program)
    logical, intent(in) :: sections
    type(polympi_program) :: program
    by_sections = sections
    call messages_begin()
    program = polympi_program(c_null_ptr, c_funloc(refuse), c_funloc(prepare))
  end function cases_begin

  subroutine cases_end()
    call messages_end()
  end subroutine cases_end

  function refuse(context, of) bind(C, name="") result(reason)
    type(c_ptr), value :: context
    type(polympi_case), intent(in) :: of
    type(c_ptr) :: reason
    character(kind=c_char, len=80), target, save :: sentence
    type(names_of_case) :: asked
    asked = names_of_case(of)
    sentence = ""
    if (by_sections .and. (asked%benchmark /= "faces" .or. asked%mode == "contiguous")) then
      sentence = "this way sends faces that are not contiguous, and nothing else"//c_null_char
    else if (asked%payload == "map") then
      sentence = "Fortran has no map"//c_null_char
    else if (asked%payload == "array" .and. takes_posted_receive(asked)) then
      sentence = "a receive whose size is not known begins with a probe and cannot be posted"//c_null_char
    end if
    reason = c_null_ptr
    if (sentence /= "") reason = c_loc(sentence)
  end function refuse

  pure function takes_posted_receive(asked) result(posted)
    type(names_of_case), intent(in) :: asked
    logical :: posted
    posted = asked%benchmark == "bandwidth" .or. asked%benchmark == "bibandwidth" .or. asked%completion /= "" &
             .or. asked%send_mode == "ready" .or. asked%send_mode == "sendrecv"
  end function takes_posted_receive

  subroutine prepare(context, of, buffers, callbacks) bind(C, name="")
    type(c_ptr), value :: context
    type(polympi_case), intent(in) :: of
    type(polympi_buffers), intent(in) :: buffers
    type(polympi_callbacks), intent(inout) :: callbacks
    names = names_of_case(of)
    if (names%payload == "problem") then
      call prepare_application(names%benchmark, names%mode, buffers, callbacks)
      return
    end if
    call messages_of_case(names%payload, of%bytes, buffers)
    if (names%benchmark == "faces") call faces_begin(names%mode, buffers)
    if (names%benchmark == "datatype") call layouts_begin(names%mode)
    iteration_of_case => choose_iteration(names, rank, by_sections)
    callbacks%begin = c_funloc(begin)
    callbacks%end = c_funloc(end)
    callbacks%batch = c_funloc(batch)
    callbacks%release = c_funloc(release)
    if (names%between_two_ranks() .or. names%benchmark == "ring") then
      callbacks%singly = c_funloc(singly)
    else
      callbacks%singly = c_funloc(singly_together)
    end if
    select case (names%payload)
    case ("array")
      call prepare_arrays(buffers, callbacks)
    case ("string")
      call strings_begin(buffers)
      callbacks%show = c_funloc(show_strings)
    case ("list")
      call lists_begin(buffers)
      callbacks%show = c_funloc(show_lists)
    end select
  end subroutine prepare

  subroutine prepare_arrays(buffers, callbacks)
    type(polympi_buffers), intent(in) :: buffers
    type(polympi_callbacks), intent(inout) :: callbacks
    if (names%between_two_ranks()) then
      call arrays_begin(buffers)
      callbacks%show = c_funloc(show_arrays)
    else
      call array_collectives_begin(buffers)
      callbacks%show = c_funloc(show_array_collectives)
    end if
  end subroutine prepare_arrays

  subroutine show_strings(context) bind(C, name="")
    type(c_ptr), value :: context
    call strings_show()
  end subroutine show_strings

  subroutine show_lists(context) bind(C, name="")
    type(c_ptr), value :: context
    call lists_show()
  end subroutine show_lists

  subroutine show_arrays(context) bind(C, name="")
    type(c_ptr), value :: context
    call arrays_show()
  end subroutine show_arrays

  subroutine show_array_collectives(context) bind(C, name="")
    type(c_ptr), value :: context
    call array_collectives_show()
  end subroutine show_array_collectives

  subroutine begin(context) bind(C, name="")
    type(c_ptr), value :: context
    integer :: ierror
    if (names%send_mode == "buffered") call MPI_Buffer_attach(attached, size(attached), ierror)
    if (names%completion == "persistent") call persistent_begin(names%send_mode)
    if (posts_ahead()) call ready_begin(names%completion == "persistent")
  end subroutine begin

  subroutine end(context) bind(C, name="")
    type(c_ptr), value :: context
    DETACHED_ADDRESS :: address
    integer :: bytes, ierror
    if (posts_ahead()) call ready_end()
    if (names%completion == "persistent") call persistent_end()
    if (names%send_mode == "buffered") call MPI_Buffer_detach(address, bytes, ierror)
  end subroutine end

  ! Whether rank 1 has a receive posted before the first iteration; a stream posts all of its own.
  function posts_ahead()
    logical :: posts_ahead
    posts_ahead = names%send_mode == "ready" .and. names%benchmark == "latency"
  end function posts_ahead

  subroutine release(context) bind(C, name="")
    type(c_ptr), value :: context
    if (names%benchmark == "faces" .and. names%mode /= "contiguous") call faces_end()
    if (names%benchmark == "datatype") call layouts_end()
  end subroutine release

end module cases
