"""The binding ``numba-mpi``: which compiled loop and which arrays each case takes."""

from __future__ import annotations

import ctypes
from functools import partial
from typing import TYPE_CHECKING, Any

import jitted_collectives as collectives
import jitted_messages as messages
import numpy as np
from arena import space
from callbacks import UnsupportedCaseError
from cases import BufferCases

if TYPE_CHECKING:
    from buffers import MessageBuffers
    from callbacks import Buffer, Times
    from cases import Loops
    from common_start import CommonStart
    from faces import Faces
    from layouts import Layouts
    from plan import Case, Plan
    from world import World


def in_place(events: Any, times: Times) -> None:
    """Let a compiled loop write its times into the array of the harness."""
    events(np.frombuffer(times, np.int64))


def rows(slots: list[Buffer]) -> Buffer:
    """The slots of a window, which lie at equal distances, as rows of one array that touch each other."""
    first = slots[0]
    row = space([first.nbytes])
    return np.lib.stride_tricks.as_strided(first, (len(slots), row // first.itemsize), (row, first.itemsize))


class JittedCases(BufferCases):
    """Callbacks for NumPy arrays, with loops that are compiled when a case calls them first.

    Args:
        world: all ranks, as the harness sees them.
        start: the common start of collective calls.
        plan: all cases; it names the library in C with the clock and the common start.
    """

    def __init__(self, world: World, start: CommonStart, plan: Plan) -> None:
        super().__init__(world, start, plan)
        library = ctypes.CDLL(plan.start)
        clock, wait, agree = library.polympi_clock, library.common_start_wait, library.common_start_agree
        for function, result in ((clock, ctypes.c_int64), (wait, ctypes.c_int64), (agree, ctypes.c_int32)):
            function.restype, function.argtypes = result, ()
        compiled = partial(messages.compiled, clock)
        self._blocking = compiled(messages.blocking_a, messages.blocking_b)
        self._nonblocking = compiled(messages.nonblocking_a, messages.nonblocking_b)
        self._exchange = compiled(messages.exchange)
        self._ring = compiled(messages.begun, messages.passed_on)
        self._bandwidth = compiled(messages.bandwidth_a, messages.bandwidth_b)
        self._bibandwidth = compiled(messages.bibandwidth)
        self._stream = compiled(messages.stream_a, messages.stream_b)
        self._collectives = {
            name: collectives.collective(call, clock, wait, agree) for name, call in collectives.CALLS.items()
        }

    def refuse(self, case: Case) -> None:
        """What numba-mpi has no call for."""
        mode, _, completion = case.mode.partition("-")
        if mode in ("synchronous", "buffered", "ready") or completion == "persistent":
            raise UnsupportedCaseError("numba-mpi has standard sends only, and no persistent requests")
        if case.benchmark == "alltoall":
            raise UnsupportedCaseError("numba-mpi has no alltoall")
        if case.benchmark == "datatype" and mode not in ("contiguous", "vector"):
            raise UnsupportedCaseError("numba-mpi sends arrays: these elements can't be a view of one")

    def two(self, loops: tuple[Any, ...], *given: Any) -> Loops:
        """The loops of rank 0 and of rank 1."""
        a, a_events, b = loops
        if self.world.rank == 1:
            return {"batch": partial(b, *given)}
        return {"batch": partial(a, *given), "events": partial(in_place, partial(a_events, *given))}

    def same(self, loops: tuple[Any, ...], *given: Any) -> Loops:
        """The loops of ranks that do the same."""
        loop, events = loops
        return {"batch": partial(loop, *given), "events": partial(in_place, partial(events, *given))}

    def faces(self, case: Case, cube: Faces) -> Loops:  # noqa: ARG002
        """A face is a view of the cube; numba-mpi copies one that is not contiguous."""
        return self.two(self._blocking, cube.outgoing, cube.incoming)

    def datatype(self, case: Case, laid: Layouts) -> Loops:
        """Elements at equal distances are a view; numba-mpi copies it."""
        step = 2 if case.mode == "vector" else 1
        return self.two(self._blocking, *(message.reshape(-1)[::step] for message in (laid.outgoing, laid.incoming)))

    def latency(self, case: Case, buffers: MessageBuffers) -> Loops:
        """Ping-pong."""
        outgoing, incoming = buffers.outgoing[0], buffers.incoming[0]
        if case.mode == "sendrecv":
            return self.same(self._exchange, outgoing, incoming, 1 - self.world.rank)
        return self.two(self._nonblocking if case.mode.endswith("-nonblocking") else self._blocking, outgoing, incoming)

    def bandwidth(self, case: Case, buffers: MessageBuffers) -> Loops:  # noqa: ARG002
        """Windows of nonblocking sends one way."""
        slots = buffers.outgoing or buffers.incoming
        return self.two(self._bandwidth, rows(slots), slots[0].size, buffers.acknowledgement)

    def bibandwidth(self, case: Case, buffers: MessageBuffers) -> Loops:  # noqa: ARG002
        """Windows of nonblocking sends both ways."""
        given = (rows(buffers.outgoing), rows(buffers.incoming), buffers.outgoing[0].size, 1 - self.world.rank)
        return self.same(self._bibandwidth, *given)

    def stream(self, case: Case, buffers: MessageBuffers) -> Loops:  # noqa: ARG002
        """Windows of blocking sends."""
        slots = buffers.outgoing or buffers.incoming
        return self.two(self._stream, rows(slots), slots[0].size, buffers.acknowledgement)

    def ring(self, case: Case, buffers: MessageBuffers) -> Loops:  # noqa: ARG002
        """A message round all ranks; every rank sends on the array that it received into."""
        begun, begun_events, passed_on = self._ring
        neighbours = ((self.world.rank + 1) % self.world.size, (self.world.rank - 1) % self.world.size)
        if self.world.rank > 0:
            return {"batch": partial(passed_on, buffers.incoming[0], *neighbours)}
        return self.same((begun, begun_events), buffers.outgoing[0], buffers.incoming[0], *neighbours)

    def collective(self, case: Case, buffers: MessageBuffers) -> Loops:
        """One call from an array into another."""
        outgoing = next(iter((*buffers.outgoing, *buffers.incoming)), buffers.empty)
        incoming = next(iter((*buffers.incoming, *buffers.outgoing)), buffers.empty)
        return self.same(self._collectives[case.benchmark], outgoing, incoming)
