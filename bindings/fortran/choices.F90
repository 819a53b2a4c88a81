! Which iteration a case is on a rank.
module choices
  use array_collectives
  use arrays
  use collectives
  use faces
  use harness
  use latency_buffered, only: ping_buffered => ping, pong_buffered => pong, &
                              ping_buffered_nonblocking => ping_nonblocking, &
                              pong_buffered_nonblocking => pong_nonblocking, stream_buffered_a => stream_a
  use latency_persistent
  use latency_ready
  use latency_standard
  use latency_synchronous, only: ping_synchronous => ping, pong_synchronous => pong, &
                                 ping_synchronous_nonblocking => ping_nonblocking, &
                                 pong_synchronous_nonblocking => pong_nonblocking, &
                                 stream_synchronous_a => stream_a
  use lists, only: list_ping, list_pong
  use loops, only: action
  use ring, only: lap_begun, lap_gone_on
  use strings, only: string_ping, string_pong
  use windows
  implicit none
  private
  public :: names_of_case, choose_iteration

  type :: names_of_case
    character(:), allocatable :: benchmark, mode, payload
    character(:), allocatable :: send_mode, completion ! the parts of a mode of latency
  contains
    procedure :: between_two_ranks
  end type names_of_case

  interface names_of_case
    module procedure read_names
  end interface names_of_case

contains

  function read_names(of) result(names)
    type(polympi_case), intent(in) :: of
    type(names_of_case) :: names
    integer :: dash
    names%benchmark = benchmark_name(of)
    names%mode = mode_name(of)
    names%payload = payload_name(of)
    dash = index(names%mode//"-", "-")
    names%send_mode = names%mode(:dash - 1)
    names%completion = names%mode(min(dash, len(names%mode)) + 1:)
  end function read_names

  pure function between_two_ranks(names) result(two)
    class(names_of_case), intent(in) :: names
    logical :: two
    select case (names%benchmark)
    case ("latency", "bandwidth", "bibandwidth", "stream", "faces", "pingpong-int", "object", "datatype")
      two = .true.
    case default
      two = .false.
    end select
  end function between_two_ranks

  function choose_iteration(names, rank, sections) result(iteration)
    type(names_of_case), intent(in) :: names
    integer, intent(in) :: rank
    logical, intent(in) :: sections ! of the cube, instead of a datatype
    procedure(action), pointer :: iteration
    if (sections .and. names%mode == "rows") then
      iteration => by_rank(ping_rows, pong_rows)
    else if (sections) then
      iteration => by_rank(ping_elements, pong_elements)
    else if (names%benchmark == "ring") then
      iteration => by_rank(lap_begun, lap_gone_on)
    else if (names%payload == "string") then
      iteration => by_rank(string_ping, string_pong)
    else if (names%payload == "list") then
      iteration => by_rank(list_ping, list_pong)
    else if (any(names%benchmark == ["faces       ", "pingpong-int", "object      ", "datatype    "])) then
      iteration => by_rank(ping, pong)
    else if (names%benchmark == "latency" .and. names%payload == "array") then
      iteration => array_latency()
    else if (names%benchmark == "latency") then
      iteration => latency()
    else if (names%payload == "array") then
      iteration => array_others()
    else
      iteration => others()
    end if

  contains

    function by_rank(root, other) result(chosen)
      procedure(action) :: root, other
      procedure(action), pointer :: chosen
      if (rank == 0) then
        chosen => root
      else
        chosen => other
      end if
    end function by_rank

    function latency() result(chosen)
      procedure(action), pointer :: chosen
      select case (names%mode)
      case ("standard")
        chosen => by_rank(ping, pong)
      case ("standard-nonblocking")
        chosen => by_rank(ping_nonblocking, pong_nonblocking)
      case ("synchronous")
        chosen => by_rank(ping_synchronous, pong_synchronous)
      case ("synchronous-nonblocking")
        chosen => by_rank(ping_synchronous_nonblocking, pong_synchronous_nonblocking)
      case ("buffered")
        chosen => by_rank(ping_buffered, pong_buffered)
      case ("buffered-nonblocking")
        chosen => by_rank(ping_buffered_nonblocking, pong_buffered_nonblocking)
      case ("ready")
        chosen => by_rank(ready_ping, ready_pong)
      case ("ready-nonblocking")
        chosen => by_rank(ready_ping_nonblocking, ready_pong_nonblocking)
      case ("ready-persistent")
        chosen => by_rank(ready_ping_persistent, ready_pong_persistent)
      case ("sendrecv")
        chosen => exchange
      case default ! the other persistent ones, whose requests know how they send
        chosen => by_rank(ping_persistent, pong_persistent)
      end select
    end function latency

    function array_latency() result(chosen)
      procedure(action), pointer :: chosen
      select case (names%mode)
      case ("synchronous")
        chosen => by_rank(array_ping_synchronous, array_pong_synchronous)
      case ("buffered")
        chosen => by_rank(array_ping_buffered, array_pong_buffered)
      case default
        chosen => by_rank(array_ping, array_pong)
      end select
    end function array_latency

    function stream() result(chosen)
      procedure(action), pointer :: chosen
      select case (names%mode)
      case ("synchronous")
        chosen => by_rank(stream_synchronous_a, stream_b)
      case ("buffered")
        chosen => by_rank(stream_buffered_a, stream_b)
      case ("ready")
        chosen => by_rank(ready_stream_a, ready_stream_b)
      case default
        chosen => by_rank(stream_a, stream_b)
      end select
    end function stream

    function array_stream() result(chosen)
      procedure(action), pointer :: chosen
      select case (names%mode)
      case ("synchronous")
        chosen => by_rank(array_stream_synchronous_a, array_stream_b)
      case ("buffered")
        chosen => by_rank(array_stream_buffered_a, array_stream_b)
      case default
        chosen => by_rank(array_stream_a, array_stream_b)
      end select
    end function array_stream

    function others() result(chosen)
      procedure(action), pointer :: chosen
      select case (names%benchmark)
      case ("bandwidth")
        chosen => by_rank(bandwidth_a, bandwidth_b)
      case ("bibandwidth")
        chosen => bibandwidth
      case ("stream")
        chosen => stream()
      case ("bcast")
        chosen => bcast
      case ("reduce")
        chosen => reduce
      case ("allreduce")
        chosen => allreduce
      case ("gather")
        chosen => gather
      case ("scatter")
        chosen => scatter
      case ("allgather")
        chosen => allgather
      case ("alltoall")
        chosen => alltoall
      case default
        chosen => barrier
      end select
    end function others

    function array_others() result(chosen)
      procedure(action), pointer :: chosen
      select case (names%benchmark)
      case ("stream")
        chosen => array_stream()
      case ("bcast")
        chosen => by_rank(array_bcast_root, array_bcast)
      case ("reduce")
        chosen => by_rank(array_reduce_root, array_reduce)
      case ("allreduce")
        chosen => array_allreduce
      case ("gather")
        chosen => by_rank(array_gather_root, array_gather)
      case ("scatter")
        chosen => by_rank(array_scatter_root, array_scatter)
      case ("allgather")
        chosen => array_allgather
      case default
        chosen => array_alltoall
      end select
    end function array_others

  end function choose_iteration

end module choices
