"""The communicator of pyMPI: messages and collectives of any objects, and the ranks as a sequence."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Mapping

import polympi
from polympi import ANY_SOURCE, ANY_TAG, Error
from polympi.compat.pympi import output
from polympi.compat.pympi.absent import MAP, lacks
from polympi.compat.pympi.errors import ArgumentError, MPIError, own_errors, translated
from polympi.compat.pympi.reductions import Operator, Reduction
from polympi.compat.pympi.requests import ReceiveRequest, Request, Status, statuses
from polympi.compat.unsendable import Unsendable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, ClassVar, NoReturn, SupportsIndex, TextIO, overload

    from polympi.compat.pympi.cartesian import CartesianCommunicator

UNDEFINED = -32766  # the number of MPI_UNDEFINED in the MPI libraries of pyMPI's time and of today

_numbers = itertools.count(1)
_by_number: dict[int, polympi.Communicator] = {}  # the communicators of the handles


class Communicator:
    """A group of ranks, as pyMPI has it; any object can be sent.

    It is also the sequence of its ranks: ``comm[1::2]`` is a list of every second one.

    Attributes:
        rank: of this process.
        size: how many ranks there are.
        procs: an older name of size.
        persistent: whether it lives on when the object dies; communicators always do here.
    """

    _world: ClassVar[Communicator]  # that of all ranks, which is made when the module is imported

    def __init__(self, communicator: Communicator | int | None = None, persist: int = 1) -> None:
        """Another object for the communicator of an object, or of its number; for none without an argument."""
        number = 0 if communicator is None else int(communicator)
        if number and number not in _by_number:
            raise ArgumentError(f"there is no communicator with the number {number}: give int() of one.")
        self._take(_by_number[number] if number else None, number, persist)

    @classmethod
    def _of(cls, comm: polympi.Communicator | None) -> Communicator:
        """The object of a communicator that is new in this rank; COMM_NULL for none."""
        made = cls.__new__(cls)
        made._take(comm, _number_of(comm))
        return made

    def _take(self, comm: polympi.Communicator | None, number: int, persist: int = 1) -> None:
        """Stand for a communicator."""
        self._comm: polympi.Communicator = _Nothing() if comm is None else comm  # type: ignore[assignment]
        self._number = number
        self.rank = UNDEFINED if comm is None else comm.rank
        self.size = self.procs = 0 if comm is None else comm.size
        self.persistent = int(bool(persist))
        self._send, self._recv, self._bcast = self._comm.send, self._comm.recv, self._comm.bcast  # looked up once
        self._reduce, self._allreduce = self._comm.reduce, self._comm.allreduce
        self._watch = time.perf_counter()

    # ---- messages ----

    def send(self, message: object, destination: int, tag: int = 0) -> None:
        """Send an object."""
        try:
            self._send(message, destination, tag)
        except Error as error:
            raise translated(error) from None

    def recv(self, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> tuple[Any, Status]:
        """Receive an object: always a pair of it and of its status."""
        try:
            message, found = self._recv(source, tag, status=True)
        except Error as error:
            raise translated(error) from None
        return message, statuses[found[:2]]

    def sendrecv(
        self, message: object, destination: int, source: int = ANY_SOURCE, sendtag: int = 0, recvtag: int = ANY_TAG
    ) -> tuple[Any, Status]:
        """Send an object and receive another one at the same time."""
        try:
            received, found = self._comm.sendrecv(message, destination, sendtag, source, recvtag, status=True)
        except Error as error:
            raise translated(error) from None
        return received, statuses[found[:2]]

    @own_errors
    def isend(self, message: object, destination: int, tag: int = 0) -> Request:
        """Begin to send an object."""
        return Request(self._comm.isend(message, destination, tag))

    @own_errors
    def irecv(self, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> ReceiveRequest:
        """Begin to receive an object."""
        return ReceiveRequest(self._comm.irecv(source, tag))

    # ---- collectives ----

    @own_errors
    def barrier(self) -> None:
        """Wait for all ranks."""
        self._comm.barrier()

    def bcast(self, message: Any = None, root: int = 0) -> Any:
        """The object of the root, on all ranks."""
        try:
            return self._bcast(message, root)
        except Error as error:
            raise translated(error) from None

    @own_errors
    def scatter(self, message: Any = None, root: int = 0) -> Any:
        """A slice of the sequence of the root for each rank; None for all if it cannot be sliced."""
        pieces = _slices(message, self.size) if self.rank == root else None
        return self._comm.scatter(pieces, root)

    @own_errors
    def gather(self, message: Any, count: int | None = None, root: int = 0) -> list[Any] | None:
        """The items of the sequences of all ranks, as one list, on the root; None elsewhere."""
        pieces = self._comm.gather(self._items(message, count), root)
        return None if pieces is None else list(itertools.chain.from_iterable(pieces))

    @own_errors
    def allgather(self, message: Any, count: int | None = None) -> list[Any]:
        """The items of the sequences of all ranks, as one list."""
        pieces = self._comm.allgather(self._items(message, count))
        return list(itertools.chain.from_iterable(pieces))

    def reduce(
        self,
        message: Any,
        operator: Operator | Callable[[Any, Any], Any],
        root: int = 0,
        ground: Any = None,
        type: type | None = None,  # noqa: A002 (its name in pyMPI, as all names here)
    ) -> Any:
        """The combination of what all ranks give, on the root; None elsewhere.

        Args:
            message: what this rank gives.
            operator: mpi.SUM and the like, or a function of two values.
            root: the rank that gets the result.
            ground: a first value, before that of rank 0.
            type: int or float: what each rank gives becomes one of these.
        """
        try:
            if operator.__class__ is Operator and ground is None and type is None:
                return self._reduce(message, operator.op, root)
            return Reduction(self._comm, operator, root, ground, type).reduce(message)
        except Error as error:
            raise translated(error) from None

    def allreduce(
        self,
        message: Any,
        operator: Operator | Callable[[Any, Any], Any],
        root: int = 0,
        ground: Any = None,
        type: type | None = None,  # noqa: A002
    ) -> Any:
        """Like :meth:`reduce`, with the combination on all ranks; a function is called on the root."""
        try:
            if operator.__class__ is Operator and ground is None and type is None:
                return self._allreduce(message, operator.op)
            return Reduction(self._comm, operator, root, ground, type).allreduce(message)
        except Error as error:
            raise translated(error) from None

    @own_errors
    def scan(
        self,
        message: Any,
        operator: Operator | Callable[[Any, Any], Any],
        root: int = 0,
        ground: Any = None,
        type: type | None = None,  # noqa: A002
    ) -> Any:
        """Like :meth:`reduce`, with the combination of the ranks up to this one; a function is called on the root."""
        if operator.__class__ is Operator and ground is None and type is None:
            return self._comm.scan(message, operator.op)
        return Reduction(self._comm, operator, root, ground, type).scan(message)

    def _items(self, message: Any, count: int | None) -> Any:
        """What a rank gives to gather: a sequence, or as many of its first items."""
        try:
            length = len(message)
        except TypeError:
            said = f"rank {self.rank}: gather puts sequences together, and {message!r} is none: give [{message!r}]."
            return Unsendable(TypeError(said))
        if count is None or count == length:
            return message
        if not 0 <= count <= length:
            said = (
                f"Called gather with too-short sequence object: rank {self.rank} has {length} items, count is {count}."
            )
            return Unsendable(MPIError(said))
        return message[:count]

    # ---- communicators ----

    @own_errors
    def comm_create(self, group: Iterable[int] | int | None) -> Communicator | None:
        """A communicator of some ranks, in this order; all ranks call it.

        Args:
            group: the ranks, the same on all of them; one rank; or None.

        Returns:
            The communicator; COMM_NULL on other ranks; None where the group is None.
        """
        ranks = None if group is None else self._ranks(group)
        member = ranks is not None and self.rank in ranks
        if ranks is None or not member:
            self._comm.split(None)
            return None if ranks is None else COMM_NULL
        comm = self._comm.split(min(ranks), ranks.index(self.rank))
        groups = comm.allgather(ranks)
        if comm.size != len(ranks) or any(group != ranks for group in groups):
            comm.free()
            raise MPIError(
                f"rank {self.rank}, comm_create(): this rank gives the group {ranks}, and others of its ranks give "
                "another one or none: give the same group on all of its ranks."
            )
        return Communicator._of(comm)

    def _ranks(self, group: Iterable[int] | int) -> list[int]:
        """The ranks of a group."""
        ranks = [group] if isinstance(group, int) else [int(rank) for rank in group]
        if len(set(ranks)) < len(ranks) or any(not 0 <= rank < self.size for rank in ranks):
            raise ArgumentError(
                f"rank {self.rank}, comm_create(): the group {ranks} must have different ranks of 0 to {self.size - 1}."
            )
        return ranks

    @own_errors
    def comm_dup(self) -> Communicator:
        """A communicator of the same ranks, with separate messages; all ranks call it."""
        return Communicator._of(self._comm.dup())

    @own_errors
    def comm_free(self) -> None:
        """Give it back; all ranks call it. Afterwards it is as COMM_NULL."""
        self._comm.free()
        _by_number.pop(self._number, None)
        self._take(None, 0)

    def comm_rank(self) -> int:
        """The rank of this process."""
        return self.rank

    def comm_size(self) -> int:
        """How many ranks there are."""
        return self.size

    def cart_create(
        self, dims: Sequence[int] | None = None, periods: Sequence[int] | None = None, reorder: int = 1
    ) -> CartesianCommunicator:
        """A mesh of its ranks; all ranks call it."""
        from polympi.compat.pympi.cartesian import CartesianCommunicator  # noqa: PLC0415 (it is a communicator itself)

        return CartesianCommunicator(self, dims, periods, reorder)

    def __int__(self) -> int:
        """A number that stands for it in this rank; 0 for COMM_NULL."""
        return self._number

    def __eq__(self, other: object) -> bool:
        return self._number == other._number if isinstance(other, Communicator) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._number)

    # ---- its ranks, as a sequence ----

    def __len__(self) -> int:
        return self.size

    def __bool__(self) -> bool:
        return self._number != 0

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.size))

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, place: SupportsIndex) -> int: ...
        @overload
        def __getitem__(self, place: slice) -> list[int]: ...

    def __getitem__(self, place: SupportsIndex | slice) -> int | list[int]:
        ranks = list(range(self.size))
        return ranks[place]

    def __repr__(self) -> str:
        return f"<pyMPI communicator, rank {self.rank} of {self.size}>" if self else "<pyMPI COMM_NULL>"

    # ---- time, output, the end ----

    def abort(self, errorcode: int = 1) -> None:
        """End all ranks at once."""
        polympi.abort(errorcode)

    def time(self) -> float:
        """Seconds since some moment in the past."""
        return time.perf_counter()

    def tick(self) -> float:
        """Seconds between two moments that :meth:`time` can tell apart."""
        return time.get_clock_info("perf_counter").resolution

    def stopwatch(self) -> float:
        """Seconds since its last call, or since the communicator was made."""
        before, self._watch = self._watch, time.perf_counter()
        return self._watch - before

    def synchronizedWrite(self, *args: object, file: TextIO | None = None) -> None:  # noqa: N802
        """Write what all ranks give, in the order of ranks; all ranks call it.

        Args:
            args: are written with blanks between, and without the end of a line.
            file: where to; None: standard output.
        """
        self._write(args, "", file)

    def synchronizedWriteln(self, *args: object, file: TextIO | None = None) -> None:  # noqa: N802
        """Like :meth:`synchronizedWrite`, a line for each rank."""
        self._write(args, "\n", file)

    @own_errors
    def _write(self, args: tuple[object, ...], end: str, file: TextIO | None) -> None:
        output.write(self._comm, args, end, file)

    @own_errors
    def synchronizeQueuedOutput(  # noqa: N802
        self, stdout: TextIO | str | None = None, stderr: TextIO | str | None = None
    ) -> None:
        """Let what has been written appear, in the order of ranks; all ranks call it.

        Args:
            stdout: a file, or the name of one, which is made; None: standard output.
            stderr: likewise; None: standard error.
        """
        output.flush(self._comm, output.place(stdout, sys.stdout), output.place(stderr, sys.stderr))

    # ---- what pyMPI had announced ----

    def map(self, *_args: object, **_keywords: object) -> NoReturn:
        """Not there, as in pyMPI."""
        raise lacks("map", MAP)

    def mapserver(self, *_args: object, **_keywords: object) -> NoReturn:
        """Not there, as in pyMPI."""
        raise lacks("mapserver", MAP)

    def mapstats(self, *_args: object, **_keywords: object) -> NoReturn:
        """Not there, as in pyMPI."""
        raise lacks("mapstats", MAP)


class _Nothing:
    """Behind COMM_NULL, and behind communicators that were freed: every call is an error."""

    def __getattr__(self, name: str) -> Callable[..., NoReturn]:
        def refuse(*_given: object, **_named: object) -> NoReturn:
            raise MPIError(
                f"{name} was called on COMM_NULL: this rank is not in the communicator, or has freed it. Ask "
                "`if communicator:` first."
            )

        return refuse


def _number_of(comm: polympi.Communicator | None) -> int:
    """A new number for a communicator; 0 for none."""
    if comm is None:
        return 0
    number = next(_numbers)
    _by_number[number] = comm
    return number


def _slices(message: Any, size: int) -> list[Any]:
    """A sequence in slices, of which the first ones may have one item more; what cannot be sliced as Nones."""
    try:
        length = len(message)
        if type(message) is not list and isinstance(message, Mapping):  # its items might be slices
            return [None] * size
        each, more = divmod(length, size)
        if each and not more:
            return [message[start : start + each] for start in range(0, length, each)]
        ends = list(itertools.accumulate([each + (rank < more) for rank in range(size)], initial=0))
        return [message[start:end] for start, end in itertools.pairwise(ends)]
    except TypeError:
        return [None] * size


COMM_NULL = Communicator()
