"""A call among neighbours: its messages, and what is made of those that arrive."""

from __future__ import annotations

from contextlib import suppress

from polympi.deadline import Deadline
from polympi.errors import Error, MismatchError, Timeout
from polympi.native import core
from polympi.native.core import PROC_NULL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from polympi.topology import Topology

NEIGHBORS_TAG = 0  # of messages among neighbours; other calls have the tags above
FAILED = "failed"  # the kind of a message whose sender has only a reason to send


class Exchange:
    """The messages of one call among neighbours, which all begin at once.

    Args:
        comm: the communicator.
        operation: the name of the call, as a blocking one.
        pieces: what to send, one for each destination.
        into: takes what arrives from each source; None: a new list does.
    """

    __slots__ = ("__weakref__", "comm", "error", "into", "operation", "over", "receives", "sends")

    def __init__(self, comm: Topology, operation: str, pieces: Sequence[object], into: Any) -> None:
        self.comm = comm
        self.operation = operation
        self.into = into
        self.over = False
        self.receives: dict[int, core.Request] = {}
        self.error: Exception | None = None  # the first, which is raised when all has arrived
        for place in comm._order:
            if comm.sources[place] != PROC_NULL:
                request = self.receives[place] = comm._private.irecv(comm.sources[place], NEIGHBORS_TAG)
                comm._late.append(request)  # until it is complete, however this call ends
        self.sends = self._send_all(pieces)

    def _send_all(self, pieces: Sequence[object]) -> list[core.Request]:
        """Send to all destinations, whatever happens here; an unsendable object is replaced by the reason."""
        sends = []
        try:
            pieces = self._checked(pieces)
        except Exception as error:
            self.error = error
        comm = self.comm
        for number, dest in enumerate(comm.destinations):
            if dest == PROC_NULL:
                continue
            if not self.error:
                try:
                    sends.append(comm._private.isend((self.operation, pieces[number]), dest, NEIGHBORS_TAG))
                    continue
                except Exception as refused:
                    self.error = refused
            reason = f"{type(self.error).__name__}: {self.error}"
            sends.append(comm._private.isend((FAILED, reason), dest, NEIGHBORS_TAG))
        return sends

    def _checked(self, pieces: Sequence[object]) -> Sequence[object]:
        """The pieces, if there are as many as destinations, and places for what arrives."""
        count, places = len(self.comm.destinations), len(self.comm.sources)
        try:
            pieces = list(pieces)
        except TypeError:
            kind = type(pieces).__name__
            raise self._mismatch(f"pieces must be a list with one item for each destination, not {kind}") from None
        if len(pieces) != count:
            raise self._mismatch(f"there are {len(pieces)} pieces for {count} destinations")
        if self.into is not None and len(self.into) != places:
            raise self._mismatch(f"into has {len(self.into)} places for {places} sources")
        return pieces

    # ---- waiting ----

    def _requests(self) -> list[core.Request]:
        return [*self.receives.values(), *self.sends]

    def wait(self, timeout: float | None = None) -> Any:
        """Wait until all has arrived; what has, in the order of the sources."""
        deadline = Deadline(self.operation, timeout)
        try:
            for request in self._requests():
                self._finish(request, deadline)
        except Timeout as late:
            missing = [self.comm.sources[place] for place, request in self.receives.items() if not taken(request)]
            raise self.comm.timed_out(self.operation, missing, late, deadline) from None
        finally:
            self.comm._late = [request for request in self.comm._late if not taken(request)]
        self.over = True
        return self._result()

    def _finish(self, request: core.Request, deadline: Deadline) -> None:
        """Wait until it is complete, with or without an error."""
        try:
            request.wait(timeout=deadline.left())
        except Timeout:
            raise
        except Exception as error:
            if not request.done:
                raise
            self.error = self.error or error

    def test(self) -> bool:
        """Whether all has arrived; makes progress."""
        return all(self._test(request) for request in self._requests())

    def _test(self, request: core.Request) -> bool:
        try:
            return request.test()
        except Exception as error:
            if not request.done:
                raise
            self.error = self.error or error
            return True

    def is_ready(self) -> bool:
        """The same, of no effect on the requests."""
        return all(request._is_ready() for request in self._requests())

    def is_over(self) -> bool:
        """Whether `wait` has got the result, or an error of the call itself."""
        return self.over

    def check_wait(self) -> None:
        """Raise EndedError if a source has ended without sending."""
        for request in self._requests():
            request._check_wait()

    # ---- the result ----

    def _result(self) -> Any:
        values: Any = [None] * len(self.comm.sources)
        for place, request in self.receives.items():
            try:
                values[place] = self._unpacked(request, self.comm.sources[place])
                if self.into is not None:
                    self._put(place, values[place])
            except Exception as error:
                self.error = self.error or error
        if self.error:
            raise self.error
        return values if self.into is None else self.into

    def _unpacked(self, request: core.Request, source: int) -> Any:
        """What a source has sent."""
        kind, value = request.wait()
        if kind == self.operation:
            return value
        there = core.rank_and_host(self.comm, source)
        if kind == FAILED:
            raise Error(f"{self._where()}: {there} could not send its part: {value}", consequence=True,
                        operation=self.operation, rank=self.comm.rank, peer=source)  # fmt: skip
        raise self._mismatch(f"{there} called {kind}() where this rank called {self.operation}()", source)

    def _put(self, place: int, value: Any) -> None:
        """Copy what has arrived to its place of `into`."""
        import numpy as np

        one_array = isinstance(self.into, np.ndarray)
        target = self.into[place, ...] if one_array else self.into[place]
        come = np.asarray(value)
        # NumPy compares two types in a fiftieth of the time of can_cast(), which also takes another order of bytes.
        same_type = come.dtype == target.dtype or np.can_cast(come.dtype, target.dtype, "equiv")
        if come.shape != target.shape or not same_type:
            raise self._mismatch(
                f"{come.dtype} elements of shape {come.shape} do not fit into {target.dtype} elements of shape "
                f"{target.shape}",
                self.comm.sources[place],
            )
        target[...] = come

    def _where(self) -> str:
        return f"{core.rank_and_host(self.comm, self.comm.rank)}, {self.operation}()"

    def _mismatch(self, sentence: str, peer: int | None = None) -> MismatchError:
        text = f"{self._where()}: {sentence}"
        return MismatchError(text, operation=self.operation, rank=self.comm.rank, peer=peer)


def taken(request: core.Request) -> bool:
    """Whether a request is complete; its message is then no longer there for other receives."""
    if not request.test():
        return False
    with suppress(Exception):
        request.wait()
    return True
