"""Communicators whose ranks have neighbours, and the exchange among these (MPI 5.0, chapter 8).

Messages among neighbours use a separate communicator, so that the program's receives can't match them.
"""

from __future__ import annotations

from contextlib import suppress
from weakref import WeakSet

from polympi.communicator import Communicator
from polympi.deadline import Deadline
from polympi.errors import MismatchError, StateError, Timeout
from polympi.exchange import NEIGHBORS_TAG, Exchange
from polympi.native import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar, overload

    from typing_extensions import Self

    _T = TypeVar("_T")
    _Into = TypeVar("_Into")
    _Kind = TypeVar("_Kind", bound="Topology")

HIGHEST_TAG = 32767  # that every MPI library has (MPI 5.0, section 9.1.2)
OWN = ("_attributes", "_name")  # of each communicator, and not of its duplicate


class Topology(Communicator):
    """A communicator in which each rank has neighbours: :class:`Cartesian` and :class:`Graph`.

    Attributes:
        sources: the ranks that this rank receives from, in order; a rank may occur several times.
        destinations: the ranks that it sends to.
    """

    sources: tuple[int, ...]
    destinations: tuple[int, ...]
    _order: tuple[int, ...]  # of `sources`, in which the receives are posted
    _private: Communicator
    # incomplete receives, also of calls that were left: a later call would take their messages for its own
    _late: list[core.Request]
    _pending: WeakSet[Exchange]  # calls that were begun; without those whose request was dropped
    _calls: int  # that need a separate tag

    def _open(self) -> None:
        """Make the second communicator. All ranks call it."""
        self._private = cast(core.Communicator.dup(self), Communicator)
        self._late = []
        self._pending = WeakSet()
        self._calls = 0

    def dup(self) -> Self:
        """The same ranks and neighbours, with separate messages. All ranks call it (MPI 5.0, section 7.4.2)."""
        twin = super().dup()
        twin.__dict__.update({key: kept for key, kept in self.__dict__.items() if key not in OWN})
        twin._open()
        return twin

    if TYPE_CHECKING:

        @overload  # type: ignore[override]
        def split(self, color: int, key: int = 0) -> Communicator: ...
        @overload
        def split(self, color: None, key: int = 0) -> None: ...
        @overload
        def split(self, color: int | None, key: int = 0) -> Communicator | None: ...

    def split(self, color: int | None, key: int = 0) -> Communicator | None:
        """As :meth:`Communicator.split`: what it makes has no neighbours. See also :meth:`Cartesian.sub`."""
        part = super().split(color, key)
        return part and cast(part, Communicator)

    def free(self) -> None:
        """Free the communicator. All ranks call it; calls on it afterwards raise StateError.

        Raises:
            StateError: it has an outstanding receive, or a call among neighbours that was begun and not waited for.
            Timeout: not all ranks called it within POLYMPI_TIMEOUT.
        """
        if not all(exchange.over for exchange in self._pending):
            where = core.rank_and_host(self, self.rank)
            raise StateError(f"{where}, free(): a call among neighbours is pending: wait for its request first")
        super().free()
        for request in self._late:
            if not request.cancel():
                with suppress(Exception):
                    request.wait()
        self._late.clear()
        self._private.free()

    if TYPE_CHECKING:

        @overload
        def neighbor_allgather(self, x: object, *, into: None = None, timeout: float | None = None) -> list[Any]: ...
        @overload
        def neighbor_allgather(self, x: object, *, into: _Into, timeout: float | None = None) -> _Into: ...

    def neighbor_allgather(self, x: object, *, into: Any = None, timeout: float | None = None) -> Any:
        """Send the same object to all destinations, and receive one from each source. All ranks call it.

        Args:
            x: any object.
            into: what arrives is copied here: an array with one item per source, or a list of arrays.
            timeout: seconds to wait; None stands for POLYMPI_TIMEOUT, or no limit.

        Returns:
            The objects in the order of ``sources``, None for PROC_NULL; or what was given as into.

        Raises:
            MismatchError: a neighbour calls neighbor_alltoall, or what arrives does not fit into its place.
            Error: a neighbour could not send its object.
            Timeout: an object did not arrive in time.

        MPI 5.0, section 8.6.1.
        """
        return Exchange(self, "neighbor_allgather", [x] * len(self.destinations), into).wait(timeout)

    if TYPE_CHECKING:

        @overload
        def neighbor_alltoall(
            self, pieces: Sequence[object], *, into: None = None, timeout: float | None = None
        ) -> list[Any]: ...
        @overload
        def neighbor_alltoall(
            self, pieces: Sequence[object], *, into: _Into, timeout: float | None = None
        ) -> _Into: ...

    def neighbor_alltoall(self, pieces: Sequence[object], *, into: Any = None, timeout: float | None = None) -> Any:
        """Send each destination its own object, and receive one from each source. All ranks call it.

        On a mesh with a periodic axis of one or two ranks, both neighbours along it are the same rank. What is sent to
        one side arrives from the other side, as everywhere.

        Args:
            pieces: any objects, one for each of ``destinations``; those for PROC_NULL are ignored.
            into: what arrives is copied here: an array with one item per source, or a list of arrays.
            timeout: seconds to wait; None stands for POLYMPI_TIMEOUT, or no limit.

        Returns:
            The objects in the order of ``sources``, None for PROC_NULL; or what was given as into.

        Raises:
            MismatchError: there are not as many pieces as destinations, a neighbour calls neighbor_allgather, or what
                arrives does not fit into its place.
            Error: a neighbour could not send its piece.
            Timeout: an object did not arrive in time.

        MPI 5.0, section 8.6.2.
        """
        return Exchange(self, "neighbor_alltoall", pieces, into).wait(timeout)

    if TYPE_CHECKING:

        @overload
        def ineighbor_allgather(self, x: object, *, into: None = None) -> core.Request[list[Any]]: ...
        @overload
        def ineighbor_allgather(self, x: object, *, into: _Into) -> core.Request[_Into]: ...

    def ineighbor_allgather(self, x: object, *, into: Any = None) -> Any:
        """Begin a :meth:`neighbor_allgather`, which goes on while this rank does something else; a Request.

        All ranks begin or make the calls among neighbours in the same order; several may be pending. Do not change `x`
        or touch `into` before the request is complete.

        Returns:
            A request, whose ``wait`` returns and raises what the blocking call does.

        MPI 5.0, section 8.7.1.
        """
        return self._request_of("neighbor_allgather", [x] * len(self.destinations), into)

    if TYPE_CHECKING:

        @overload
        def ineighbor_alltoall(self, pieces: Sequence[object], *, into: None = None) -> core.Request[list[Any]]: ...
        @overload
        def ineighbor_alltoall(self, pieces: Sequence[object], *, into: _Into) -> core.Request[_Into]: ...

    def ineighbor_alltoall(self, pieces: Sequence[object], *, into: Any = None) -> Any:
        """Begin a :meth:`neighbor_alltoall`, which goes on while this rank does something else; a Request.

        As :meth:`ineighbor_allgather`.

        MPI 5.0, section 8.7.2.
        """
        return self._request_of("neighbor_alltoall", pieces, into)

    def _request_of(self, operation: str, pieces: Sequence[object], into: Any) -> core.Request[Any]:
        exchange = Exchange(self, operation, pieces, into)
        self._pending.add(exchange)
        return core.request_of_exchange(exchange)

    def timed_out(self, operation: str, missing: Sequence[int], error: Timeout, deadline: Deadline) -> Timeout:
        """The time-out of a call as a whole, of that of a part of it."""
        *_, place = str(error).rpartition(" at ")
        names = [core.rank_and_host(self, rank) for rank in sorted(set(missing))]
        ranks = ", ".join(name.removeprefix("rank ") for name in names)
        awaited = f" for {names[0]}" if len(names) == 1 else f" for ranks {ranks}" if missing else ""
        return Timeout(
            f"{core.rank_and_host(self, self.rank)} waited {deadline.limit:g} s{awaited} in {operation}() at {place}",
            operation=operation,
            rank=self.rank,
            peer=missing[0] if len(set(missing)) == 1 else None,
        )

    def next_tag(self) -> int:
        """A tag for the messages of one call. All ranks make the same calls, and so have the same."""
        self._calls += 1
        return NEIGHBORS_TAG + 1 + self._calls % (HIGHEST_TAG - NEIGHBORS_TAG)


def cast(comm: core.Communicator, kind: type[_T]) -> _T:
    """Convert a communicator that the core has just made to another class: the core makes it of its parent's class."""
    comm.__class__ = kind  # type: ignore[assignment]
    return comm  # type: ignore[return-value]


def wait_each(requests: Sequence[core.Request], deadline: Deadline) -> None:
    """Wait until all are complete, with or without an error, which their `wait` raises again."""
    for request in requests:
        try:
            request.wait(timeout=deadline.left())
        except Timeout:
            raise
        except Exception:
            if not request.done:
                raise


def agreed(comm: core.Communicator, operation: str, request: Callable[[], _T]) -> _T:
    """The arguments of a collective call, which must agree on all ranks.

    Raises:
        MismatchError: they disagree, or another rank's are wrong.
        Exception: that of `request` on this rank.
    """
    values = exchanged(comm, operation, request)
    mine = values[comm.rank]
    for rank, value in enumerate(values):
        if value != mine:
            raise mismatch(comm, operation, f"rank {rank} gives {value}, but this rank {mine}")
    return mine


def exchanged(comm: core.Communicator, operation: str, request: Callable[[], _T]) -> list[_T]:
    """Exchange the arguments of a collective call among all ranks; raises like :func:`agreed` if some are wrong."""
    error: Exception | None = None
    mine: tuple[Any, ...]
    try:
        mine = (operation, request())
    except Exception as wrong:
        error = wrong
        mine = (operation, None, f"{type(error).__name__}: {error}")
    answers: list[Any] = comm.allgather(mine)
    if error:
        raise error
    for rank, answer in enumerate(answers):
        if not isinstance(answer, tuple) or not answer or answer[0] != operation:
            raise mismatch(comm, operation, f"{core.rank_and_host(comm, rank)} made another call")
        if len(answer) == 3:
            failed = mismatch(comm, operation, f"{core.rank_and_host(comm, rank)} has failed: {answer[2]}")
            failed.consequence = True
            raise failed
    return [answer[1] for answer in answers]


def mismatch(comm: core.Communicator, operation: str, sentence: str) -> MismatchError:
    """An error of a collective call, with its details."""
    text = f"{core.rank_and_host(comm, comm.rank)}, {operation}(): {sentence}"
    return MismatchError(text, operation=operation, rank=comm.rank)
