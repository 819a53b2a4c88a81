"""Pypar: arrays into buffers, as its network timing has it (``use_buffer``, ``bypass``), and any object.

Rank 0 holds the clock. The loops of a ping-pong are also those of a ring, of which rank 0 begins each lap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from shared import ArrayStyle, BothStyles, ObjectStyle

from polympi.compat import pypar
from polympi.compat.pypar import broadcast, gather, receive, reduce, scatter, send

if TYPE_CHECKING:
    from buffers import MessageBuffers
    from callbacks import Buffer, World
    from cases import Loops
    from common_start import CommonStart
    from plan import Case, Plan

# ---- arrays ----


def ping(x: Buffer, buffer: Buffer, to: int, source: int, iterations: int) -> None:
    """Send, then receive."""
    for _ in range(iterations):
        send(x, to, use_buffer=True, tag=1, bypass=True)
        receive(source, buffer=buffer, tag=1, bypass=True)


def pong(x: Buffer, buffer: Buffer, to: int, source: int, iterations: int) -> None:
    """Receive, then send; in a ring, what came."""
    for _ in range(iterations):
        receive(source, buffer=buffer, tag=1, bypass=True)
        send(x, to, use_buffer=True, tag=1, bypass=True)


class Arrays(ArrayStyle):
    """Callbacks for arrays."""

    MODULE = "pypar"
    OFFERS: ClassVar = dict.fromkeys(
        ("latency", "pingpong-int", "ring", "barrier", "bcast", "reduce", "gather", "scatter", "inner-product"),
        ("standard",),
    )

    def latency(self, case: Case, buffers: MessageBuffers) -> Loops:  # noqa: ARG002
        """Ping-pong."""
        peer = 1 - self.world.rank
        return self.pair((ping, pong), (buffers.outgoing[0], buffers.incoming[0], peer, peer))

    def ring(self, case: Case, buffers: MessageBuffers) -> Loops:  # noqa: ARG002
        """A message round all ranks."""
        came = buffers.incoming[0]
        return self.cycle((ping, pong), (*buffers.outgoing, came), (came, came))

    def collective(self, case: Case, buffers: MessageBuffers) -> Loops:
        """One call; the root of a broadcast gives what the others get."""
        x, buffer = (next(iter(found), None) for found in (buffers.outgoing, buffers.incoming))
        if case.benchmark == "barrier":
            return self.barrier(pypar.barrier)
        if case.benchmark == "bcast":
            return self.spread(broadcast, buffer if x is None else x, 0)
        if case.benchmark == "reduce":
            return self.spread(reduce, x, pypar.SUM, 0, np.zeros_like(x) if buffer is None else buffer)
        return self.spread({"gather": gather, "scatter": scatter}[case.benchmark], x, 0, buffer)


# ---- any object ----


def ping_of_objects(x: Any, to: int, source: int, iterations: int) -> Any:
    """Send, then receive."""
    received = None
    for _ in range(iterations):
        send(x, to, tag=1)
        received = receive(source, tag=1)
    return received


def pong_of_objects(x: Any, to: int, source: int, iterations: int) -> Any:
    """Receive, then reply."""
    received = None
    for _ in range(iterations):
        received = receive(source, tag=1)
        send(x, to, tag=1)
    return received


def passed_on(to: int, source: int, iterations: int) -> Any:
    """Receive, then send the same on."""
    received = None
    for _ in range(iterations):
        received = receive(source, tag=1)
        send(received, to, tag=1)
    return received


class Objects(ObjectStyle):
    """Callbacks for objects: a broadcast is the only collective that takes them."""

    OFFERS: ClassVar = dict.fromkeys(("latency", "object", "ring", "bcast"), ("standard",))

    def latency(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """Ping-pong."""
        peer = 1 - self.world.rank
        return self.pair((ping_of_objects, pong_of_objects), (*objects, peer, peer))

    def ring(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """An object round all ranks."""
        return self.cycle((ping_of_objects, passed_on), objects, ())

    def collective(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """A broadcast."""
        return self.spread(broadcast, self.given(case, objects), 0)


def cases(world: World, start: CommonStart, plan: Plan) -> BothStyles:
    """What the harness runs."""
    return BothStyles(Arrays(world, start, plan), Objects(world, start, plan))
