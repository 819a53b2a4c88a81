"""The communicator of Boost.MPI: messages of any objects. The value of a message comes last: ``send(1, 0, value)``."""

from __future__ import annotations

import polympi
from polympi import ANY_SOURCE, ANY_TAG
from polympi.compat.boostmpi.errors import Error, own_errors, translated
from polympi.compat.boostmpi.requests import Request, RequestWithValue
from polympi.compat.boostmpi.skeletons import Content
from polympi.compat.boostmpi.status import Status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from polympi.compat.boostmpi.skeletons import Array

_world = polympi.world.dup()  # its messages never meet those of polympi or of another facade in the same program


class Communicator:
    """A group of ranks; made without an argument it is that of all ranks.

    Calls raise Error for a rank or tag that does not exist, a message that does not fit, or a time-out.
    """

    def __init__(self) -> None:
        self._take(_world)

    @classmethod
    def _of(cls, comm: polympi.Communicator | None) -> Communicator:
        """The communicator for one of polympi; that of no ranks for None."""
        made = cls.__new__(cls)
        made._take(_NOTHING if comm is None else comm)
        return made

    def _take(self, comm: polympi.Communicator) -> None:
        self._comm = comm
        self._rank, self._size = comm.rank, comm.size
        self._send, self._recv = comm.send, comm.recv  # looked up once
        self._bcast, self._reduce, self._allreduce = comm.bcast, comm.reduce, comm.allreduce

    @property
    def rank(self) -> int:
        """The rank of this process, from 0."""
        return self._rank

    @property
    def size(self) -> int:
        """How many ranks there are."""
        return self._size

    # ---- messages ----

    def send(self, dest: int, tag: int = 0, value: Any = None) -> None:
        """Send an object, also a skeleton or a content."""
        if type(value) is Content:
            value = value.object
        try:
            self._send(value, dest, tag)
        except polympi.Error as error:
            raise translated(error) from None

    def recv(
        self,
        source: int = ANY_SOURCE,
        tag: int = ANY_TAG,
        buffer: Content | bool | None = None,
        return_status: bool = False,
    ) -> Any:
        """Receive an object.

        Args:
            source: the rank that sends it.
            tag: its tag.
            buffer: the content of an array, to receive into; or ``return_status``, which may also be the third.
            return_status: whether to return the status, too.

        Returns:
            The object, or the array; or a pair of it and of the status.
        """
        if buffer is None and not return_status:
            try:
                return self._recv(source, tag)
            except polympi.Error as error:
                raise translated(error) from None
        into = None
        if buffer is not None:
            if isinstance(buffer, int):  # a bool is one
                return_status = bool(buffer)
            else:
                into = self._memory("recv", buffer)
        try:
            if not return_status:
                return self._recv(source, tag, into=into)
            value, found = self._recv(source, tag, into=into, status=True)
        except polympi.Error as error:
            raise translated(error) from None
        return value, Status(found.source, found.tag)

    @own_errors
    def isend(self, dest: int, tag: int = 0, value: Any = None) -> Request:
        """Begin to send an object, which must not be changed until the request is complete."""
        if type(value) is Content:
            value = value.object
        return Request(self._comm.isend(value, dest, tag))

    @own_errors
    def irecv(self, source: int = ANY_SOURCE, tag: int = ANY_TAG, buffer: Content | None = None) -> RequestWithValue:
        """Begin to receive an object, or into the content of an array."""
        into = None if buffer is None else self._memory("irecv", buffer)
        request = self._comm.irecv(source, tag, into=into)
        return RequestWithValue(request)

    @own_errors
    def probe(self, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Status:
        """Wait for a message, and give its status; it is still to be received."""
        found = self._comm.probe(source, tag)
        return Status(found.source, found.tag)

    @own_errors
    def iprobe(self, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Status | None:
        """The status of a message that can be received; None if there is none."""
        found = self._comm.iprobe(source, tag)
        return None if found is None else Status(found.source, found.tag)

    def _memory(self, call: str, buffer: Content) -> Array:
        """The array to receive into."""
        if isinstance(buffer, Content):
            return buffer.object
        raise TypeError(
            f"rank {self._rank}, {call}(): the third argument is {buffer!r}: to receive into an array, give "
            "mpi.get_content(array)"
        )

    # ---- all ranks ----

    @own_errors
    def barrier(self) -> None:
        """Wait for all ranks."""
        self._comm.barrier()

    @own_errors
    def split(self, color: int | None, key: int = 0) -> Communicator:
        """The communicator of the ranks with this color, in the order of their keys; all ranks call it.

        Ranks with the color None get one of no ranks, which is false.
        """
        return Communicator._of(self._comm.split(color, key))

    def abort(self, errcode: int) -> None:
        """End all ranks at once."""
        polympi.abort(errcode)

    def __bool__(self) -> bool:
        return self._comm is not _NOTHING

    def __eq__(self, other: object) -> bool:
        return self._comm is other._comm if isinstance(other, Communicator) else NotImplemented

    def __hash__(self) -> int:
        return id(self._comm)

    def __repr__(self) -> str:
        return (
            f"<boostmpi communicator, rank {self._rank} of {self._size}>"
            if self
            else "<boostmpi communicator of no ranks>"
        )


class _Nothing:
    """In the place of a communicator of polympi that this rank does not have: each call is an error."""

    rank, size = -1, 0

    def __getattr__(self, call: str) -> Any:
        def refuse(*_given: object, **_named: object) -> None:
            raise Error(f"{call} was called on a communicator of no ranks: ask `if communicator:` first")

        return refuse


_NOTHING: Any = _Nothing()
world = Communicator()
