"""What programs of mpi4py's methods share: a communicator, the neighbours of a rank in a ring, and expected errors."""

from collections.abc import Callable

from polympi.mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
after, before = (rank + 1) % size, (rank - 1) % size


def refuses(call: Callable[[], object], kind: type | tuple[type, ...], text: str = "") -> BaseException:
    """The exception of this kind that a call must raise, with this text in it."""
    try:
        call()
    except kind as error:
        assert text in str(error), error
        return error
    raise AssertionError("no error")


def error_class(call: Callable[[], object]) -> int:
    """The class of the MPI.Exception that a call raises."""
    return refuses(call, MPI.Exception).Get_error_class()
