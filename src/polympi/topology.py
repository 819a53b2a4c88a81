"""Communicators whose ranks have neighbours, and the exchange among these (MPI 5.0, chapter 8).

Messages among neighbours use a separate communicator, so that the program's receives can't match them.
"""

from __future__ import annotations

from contextlib import suppress

from polympi.communicator import Communicator
from polympi.deadline import Deadline
from polympi.errors import Error, MismatchError, Timeout
from polympi.native import core
from polympi.native.core import PROC_NULL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar, overload

    from typing_extensions import Self

    _T = TypeVar("_T")
    _Kind = TypeVar("_Kind", bound="Topology")

NEIGHBORS_TAG = 0  # of messages among neighbours; other calls have the tags above
HIGHEST_TAG = 32767  # that every MPI library has (MPI 5.0, section 9.1.2)
OWN = ("_attributes", "_name")  # of each communicator, and not of its duplicate
FAILED = "failed"  # the kind of a message whose sender has only a reason to send


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
    _calls: int  # that need a separate tag

    def _open(self) -> None:
        """Make the second communicator. All ranks call it."""
        self._private = cast(core.Communicator.dup(self), Communicator)
        self._late = []
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
            StateError: it has an outstanding receive.
            Timeout: not all ranks called it within POLYMPI_TIMEOUT.
        """
        super().free()
        for request in self._late:
            if not request.cancel():
                with suppress(Exception):
                    request.wait()
        self._late.clear()
        self._private.free()

    def neighbor_allgather(self, x: object, *, timeout: float | None = None) -> list[Any]:
        """Send the same object to all destinations, and receive one from each source. All ranks call it.

        Args:
            x: any object.
            timeout: seconds to wait; None stands for POLYMPI_TIMEOUT, or no limit.

        Returns:
            The objects in the order of ``sources``; None for PROC_NULL.

        Raises:
            MismatchError: a neighbour calls neighbor_alltoall.
            Error: a neighbour could not send its object.
            Timeout: an object did not arrive in time.

        MPI 5.0, section 8.6.1.
        """
        return self._exchange_all("neighbor_allgather", [x] * len(self.destinations), None, timeout)

    def neighbor_alltoall(self, pieces: Sequence[object], *, timeout: float | None = None) -> list[Any]:
        """Send each destination its own object, and receive one from each source. All ranks call it.

        On a mesh with a periodic axis of one or two ranks, both neighbours along it are the same rank. What is sent to
        one side arrives from the other side, as everywhere.

        Args:
            pieces: any objects, one for each of ``destinations``; those for PROC_NULL are ignored.
            timeout: seconds to wait; None stands for POLYMPI_TIMEOUT, or no limit.

        Returns:
            The objects in the order of ``sources``; None for PROC_NULL.

        Raises:
            MismatchError: there are not as many pieces as destinations, or a neighbour calls neighbor_allgather.
            Error: a neighbour could not send its piece.
            Timeout: an object did not arrive in time.

        MPI 5.0, section 8.6.2.
        """
        problem = None
        try:
            pieces = list(pieces)
        except TypeError:
            problem = f"pieces must be a list with one item for each destination, not {type(pieces).__name__}"
        else:
            if len(pieces) != len(self.destinations):
                problem = f"there are {len(pieces)} pieces for {len(self.destinations)} destinations"
        return self._exchange_all("neighbor_alltoall", pieces, problem, timeout)

    def _exchange_all(
        self, operation: str, pieces: Sequence[object], problem: str | None, timeout: float | None
    ) -> list[Any]:
        """Send the pieces, or, if there is a problem, this; receive from all sources, whatever happens here."""
        deadline = Deadline(operation, timeout)
        receives: dict[int, core.Request] = {}
        try:
            for place in self._order:
                if self.sources[place] != PROC_NULL:
                    receives[place] = self._private.irecv(self.sources[place], NEIGHBORS_TAG)
                    self._late.append(receives[place])  # until it is complete, however this call ends
            sends, error = self._send_all(operation, pieces, problem)
            wait_each([*receives.values(), *sends], deadline)
        except Timeout as late:
            missing = [self.sources[place] for place, request in receives.items() if not taken(request)]
            raise self.timed_out(operation, missing, late, deadline) from None
        finally:
            self._late = [request for request in self._late if not taken(request)]
        values: list[Any] = [None] * len(self.sources)
        for place, request in receives.items():
            values[place], reason = self._unpack(operation, request, self.sources[place])
            error = error or reason
        if error:
            raise error
        return values

    def _send_all(
        self, operation: str, pieces: Sequence[object], problem: str | None
    ) -> tuple[list[core.Request], Exception | None]:
        """Send to all destinations; an unsendable object is replaced by the reason, which is also returned."""
        sends = []
        error: Exception | None = None
        if problem:
            error = mismatch(self, operation, problem)
        for number, dest in enumerate(self.destinations):
            if dest == PROC_NULL:
                continue
            if not error:
                try:
                    sends.append(self._private.isend((operation, pieces[number]), dest, NEIGHBORS_TAG))
                    continue
                except Exception as refused:
                    error = refused
            sends.append(self._private.isend((FAILED, f"{type(error).__name__}: {error}"), dest, NEIGHBORS_TAG))
        return sends, error

    def _unpack(self, operation: str, request: core.Request, source: int) -> tuple[Any, Exception | None]:
        """What a source has sent, or why there is nothing."""
        details: dict[str, Any] = {"operation": operation, "rank": self.rank, "peer": source}
        where = f"{core.rank_and_host(self, self.rank)}, {operation}()"
        there = core.rank_and_host(self, source)
        try:
            kind, value = request.wait()
        except Exception as error:
            return None, error
        if kind == FAILED:
            return None, Error(f"{where}: {there} could not send its part: {value}", consequence=True, **details)
        if kind != operation:
            return None, MismatchError(f"{where}: {there} called {kind}() where this rank called {operation}()",
                                       **details)  # fmt: skip
        return value, None

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


def taken(request: core.Request) -> bool:
    """Whether a request is complete; its message is then no longer there for other receives."""
    if not request.test():
        return False
    with suppress(Exception):
        request.wait()
    return True


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
