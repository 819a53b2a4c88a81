"""The calls of Pypar's extension module: one kind of data each, into a buffer that is given."""

from __future__ import annotations

from polympi.compat.pypar import collectives, messages
from polympi.compat.pypar.buffers import array_given, array_of, flat, with_end_of
from polympi.compat.pypar.start import comm
from polympi.compat.pypar.status import status_tuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    Numbers = tuple[int, int, int, int, int]
    Text = str | bytes | bytearray


def send_array(x: object, destination: int, tag: int) -> None:
    """Send a sequence of numbers as an array."""
    messages.send(x, destination, tag=tag, bypass=True)


def bsend_array(x: object, destination: int, tag: int) -> None:
    """The same, buffered."""
    messages.bsend(x, destination, tag=tag, bypass=True)


def receive_array(buffer: object, source: int, tag: int) -> Numbers:
    """Receive into an array; gives the numbers of a :class:`Status`."""
    array = array_given(buffer, "receive_array")
    _, status = comm.recv(source, tag, into=flat(array), status=True)
    return status_tuple(status, array)


def broadcast_array(x: object, root: int) -> None:
    """Broadcast into an array."""
    collectives.broadcast(x, root, bypass=True)


def scatter_array(x: object, buffer: object, root: int) -> None:
    """Scatter an array into an array."""
    collectives.scatter(array_of(x, "scatter_array"), root, array_given(buffer, "scatter_array"))


def gather_array(x: object, buffer: object, root: int) -> None:
    """Gather arrays into an array."""
    collectives.gather(array_of(x, "gather_array"), root, array_given(buffer, "gather_array"))


def reduce_array(x: object, buffer: object, op: int, root: int) -> None:
    """Reduce arrays into an array."""
    collectives.reduce(x, op, root, buffer, bypass=True)


def send_string(s: Text, destination: int, tag: int) -> None:
    """Send a text."""
    messages.send(s, destination, tag=tag)


def bsend_string(s: Text, destination: int, tag: int) -> None:
    """The same, buffered."""
    messages.bsend(s, destination, tag=tag)


def receive_string(s: bytearray, source: int, tag: int) -> Numbers:
    """Receive into a bytearray; gives the numbers of a :class:`Status`."""
    _must_be_bytearray(s, "receive_string")
    got, status = comm.recv(source, tag, status=True)
    if got is not None:
        with_end_of(s, got, "receive_string")
    return status_tuple(status, b"" if got is None else got)


def broadcast_string(s: Text, root: int) -> None:
    """Broadcast a text into bytearrays."""
    if comm.rank != root:
        _must_be_bytearray(s, "broadcast_string")
    collectives.broadcast(s, root)


def scatter_string(s: Text, buffer: bytearray, root: int) -> None:
    """Scatter a text into bytearrays."""
    _must_be_bytearray(buffer, "scatter_string")
    collectives.scatter(s, root, buffer)


def gather_string(s: Text, buffer: bytearray, root: int) -> None:
    """Gather texts into a bytearray."""
    _must_be_bytearray(buffer, "gather_string")
    collectives.gather(s, root, buffer)


def _must_be_bytearray(buffer: object, call: str) -> None:
    if not isinstance(buffer, bytearray):
        raise TypeError(
            f"{call}() on rank {comm.rank} writes to its buffer, which must be a bytearray, not a "
            f"{type(buffer).__name__}: give one, or use the call without _string, which returns the text"
        )
