! The interface of the harness (polympi_harness.h) as Fortran sees it: its structs, and the functions that are used.
module harness
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: polympi_case, polympi_buffers, polympi_callbacks, polympi_program, polympi_launch, polympi_part, polympi_record
  public :: polympi_run, polympi_clock, polympi_memory, polympi_application_check
  public :: common_start_agree, common_start_wait
  public :: benchmark_name, benchmark_number, mode_name, payload_name

  integer, parameter, public :: PAYLOAD_TAG = 1, ACKNOWLEDGEMENT_TAG = 2
  integer, parameter, public :: UNTIMED_CALLS = 3, NO_MEMORY = 4, NESTED_ROWS = 4

  type, bind(C) :: polympi_case
    integer(c_int64_t) :: bytes
    integer(c_int32_t) :: id, benchmark, kind, mode, send_mode, completion, face, payload
    integer(c_int32_t) :: warmup, batches, iterations, events, layout, variant
  end type polympi_case

  type, bind(C) :: polympi_part
    type(c_ptr) :: values
    integer(c_int64_t) :: start(3), count(3), stride(3)
  end type polympi_part

  type, bind(C) :: polympi_buffers
    type(c_ptr) :: outgoing, incoming, acknowledgement, empty, attached, packed(2)
    integer(c_int64_t) :: stride, count, attached_bytes, edge
    integer(c_int32_t) :: outgoing_messages, incoming_messages, window, rank, ranks
    type(c_ptr) :: part
  end type polympi_buffers

  type, bind(C) :: polympi_callbacks
    type(c_ptr) :: context
    type(c_funptr) :: begin, end, batch, singly, show, release, communication, check
  end type polympi_callbacks

  type, bind(C) :: polympi_program
    type(c_ptr) :: context
    type(c_funptr) :: refuse, prepare
  end type polympi_program

  type, bind(C) :: polympi_launch
    type(c_ptr) :: plan, samples, binding, complaint
    integer(c_int64_t) :: ready_ns, load_ns, init_ns, pss_bytes, rss_bytes, opted_in
    integer(c_int32_t) :: plain_pages, unused
  end type polympi_launch

  ! The payloads `dict` and `instance`: a user-defined type with three fields.
  type, bind(C) :: polympi_record
    integer(c_int64_t) :: integer
    real(c_double) :: real
    character(kind=c_char) :: text(8)
  end type polympi_record

  interface
    function polympi_run(launch, program) bind(C) result(code)
      import :: polympi_launch, polympi_program, c_int32_t
      type(polympi_launch), intent(in) :: launch
      type(polympi_program), intent(in) :: program
      integer(c_int32_t) :: code
    end function polympi_run

    subroutine polympi_application_check(of, buffers, iterations, complaint) bind(C)
      import :: polympi_case, polympi_buffers, c_int64_t, c_ptr
      type(polympi_case), intent(in) :: of
      type(polympi_buffers), intent(in) :: buffers
      integer(c_int64_t), value :: iterations
      type(c_ptr), value :: complaint
    end subroutine polympi_application_check

    function polympi_clock() bind(C) result(ns)
      import :: c_int64_t
      integer(c_int64_t) :: ns
    end function polympi_clock

    subroutine polympi_memory(pss, rss) bind(C)
      import :: c_int64_t
      integer(c_int64_t), intent(out) :: pss, rss
    end subroutine polympi_memory

    function common_start_agree() bind(C) result(in_time)
      import :: c_int32_t
      integer(c_int32_t) :: in_time
    end function common_start_agree

    function common_start_wait() bind(C) result(start)
      import :: c_int64_t
      integer(c_int64_t) :: start
    end function common_start_wait

    function polympi_benchmark_name(benchmark) bind(C) result(name)
      import :: c_int32_t, c_ptr
      integer(c_int32_t), value :: benchmark
      type(c_ptr) :: name
    end function polympi_benchmark_name

    function polympi_benchmark_number(name) bind(C) result(benchmark)
      import :: c_char, c_int32_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int32_t) :: benchmark
    end function polympi_benchmark_number

    function polympi_mode_name(mode) bind(C) result(name)
      import :: c_int32_t, c_ptr
      integer(c_int32_t), value :: mode
      type(c_ptr) :: name
    end function polympi_mode_name

    function polympi_payload_name(payload) bind(C) result(name)
      import :: c_int32_t, c_ptr
      integer(c_int32_t), value :: payload
      type(c_ptr) :: name
    end function polympi_payload_name

    function c_strlen(text) bind(C, name="strlen") result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function c_strlen
  end interface

contains

  function benchmark_name(of) result(name)
    type(polympi_case), intent(in) :: of
    character(:), allocatable :: name
    name = fortran_text(polympi_benchmark_name(of%benchmark))
  end function benchmark_name

  function benchmark_number(name) result(benchmark)
    character(*), intent(in) :: name
    integer(c_int32_t) :: benchmark
    benchmark = polympi_benchmark_number(name//c_null_char)
  end function benchmark_number

  function mode_name(of) result(name)
    type(polympi_case), intent(in) :: of
    character(:), allocatable :: name
    name = fortran_text(polympi_mode_name(of%mode))
  end function mode_name

  function payload_name(of) result(name)
    type(polympi_case), intent(in) :: of
    character(:), allocatable :: name
    name = fortran_text(polympi_payload_name(of%payload))
  end function payload_name

  function fortran_text(text) result(copy)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: copy
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    call c_f_pointer(text, letters, [c_strlen(text)])
    allocate (character(size(letters)) :: copy)
    do i = 1, size(letters)
      copy(i:i) = letters(i)
    end do
  end function fortran_text

end module harness
