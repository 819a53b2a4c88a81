"""What MYMPI had and this facade has not: each says what to do instead."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn


def _lacking(call: str, instead: str) -> Callable[..., NoReturn]:
    """A call that is not there."""

    def raising(*_args: object) -> NoReturn:
        raise NotImplementedError(f"{call} of MYMPI is not in polympi.compat.mympi: {instead}.")

    raising.__name__ = raising.__qualname__ = call
    raising.__doc__ = f"Not there: {instead}."
    return raising


_NO_REQUESTS = "it never worked in MYMPI; use mpi_send and mpi_recv, or {} of polympi.world"
mpi_isend = _lacking("mpi_isend", _NO_REQUESTS.format("isend"))
mpi_irecv = _lacking("mpi_irecv", _NO_REQUESTS.format("irecv"))
mpi_test = _lacking("mpi_test", _NO_REQUESTS.format("test of the requests of isend and irecv"))
mpi_wait = _lacking("mpi_wait", _NO_REQUESTS.format("wait of the requests of isend and irecv"))

_NO_SPAWN = "this module starts no programs; use polympi.spawn, or start all ranks by mpiexec"
mpi_comm_spawn = _lacking("mpi_comm_spawn", _NO_SPAWN)
mpi_array_of_errcodes = _lacking("mpi_array_of_errcodes", _NO_SPAWN)
mpi_intercomm_merge = _lacking("mpi_intercomm_merge", _NO_SPAWN)

_NO_PORTS = "polympi does not connect jobs; start all ranks as one job, or connect jobs by sockets of Python"
mpi_open_port = _lacking("mpi_open_port", _NO_PORTS)
mpi_close_port = _lacking("mpi_close_port", _NO_PORTS)
mpi_comm_accept = _lacking("mpi_comm_accept", _NO_PORTS)
mpi_comm_connect = _lacking("mpi_comm_connect", _NO_PORTS)
mpi_comm_disconnect = _lacking("mpi_comm_disconnect", _NO_PORTS)

_NO_WINDOWS = "polympi has no shared windows; use multiprocessing.shared_memory of Python, or send the data"
mpi_win_allocate_shared = _lacking("mpi_win_allocate_shared", _NO_WINDOWS)
mpi_win_shared_query = _lacking("mpi_win_shared_query", _NO_WINDOWS)
mpi_win_free = _lacking("mpi_win_free", _NO_WINDOWS)
mpi_comm_split_type = _lacking(
    "mpi_comm_split_type",
    "gather the names of mpi_get_processor_name, and give mpi_comm_split a number for each machine",
)
