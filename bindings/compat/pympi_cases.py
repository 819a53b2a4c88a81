"""pyMPI: any object, received as a pair of it and of its status.

Rank 0 holds the clock. The loops of a ping-pong are also those of a ring, of which rank 0 begins each lap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from shared import ObjectStyle

from polympi.compat import pympi as mpi
from polympi.compat.pympi import irecv, isend, recv, send, sendrecv

if TYPE_CHECKING:
    from callbacks import Buffer
    from cases import Loops
    from plan import Case


def ping(message: Any, to: int, source: int, iterations: int) -> Any:
    """Send, then receive."""
    received = None
    for _ in range(iterations):
        send(message, to, 1)
        received, _status = recv(source, 1)
    return received


def pong(message: Any, to: int, source: int, iterations: int) -> Any:
    """Receive, then reply."""
    received = None
    for _ in range(iterations):
        received, _status = recv(source, 1)
        send(message, to, 1)
    return received


def passed_on(to: int, source: int, iterations: int) -> Any:
    """Receive, then send the same on."""
    received = None
    for _ in range(iterations):
        received, _status = recv(source, 1)
        send(received, to, 1)
    return received


def nonblocking_ping(message: Any, peer: int, iterations: int) -> Any:
    """Send and wait, then receive and wait."""
    received = None
    for _ in range(iterations):
        request = isend(message, peer, 1)
        request.wait()
        request = irecv(peer, 1)
        request.wait()
        received = request.message
    return received


def nonblocking_pong(message: Any, peer: int, iterations: int) -> Any:
    """Receive and wait, then reply and wait."""
    received = None
    for _ in range(iterations):
        request = irecv(peer, 1)
        request.wait()
        received = request.message
        sent = isend(message, peer, 1)
        sent.wait()
    return received


def exchange(message: Any, peer: int, iterations: int) -> Any:
    """Send and receive by one call."""
    received = None
    for _ in range(iterations):
        received, _status = sendrecv(message, peer, peer, 1, 1)
    return received


class Objects(ObjectStyle):
    """Callbacks for any object."""

    MODULE = "pympi"
    OFFERS: ClassVar = {
        "latency": ("standard", "standard-nonblocking", "sendrecv"),
        **dict.fromkeys(
            (
                *("object", "ring", "barrier", "bcast", "reduce", "allreduce"),
                *("gather", "scatter", "allgather", "inner-product"),
            ),
            ("standard",),
        ),
    }

    def latency(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """Ping-pong."""
        peer = 1 - self.world.rank
        if case.mode == "sendrecv":
            return self.alike(exchange, (*objects, peer))
        if case.mode == "standard-nonblocking":
            return self.pair((nonblocking_ping, nonblocking_pong), (*objects, peer))
        return self.pair((ping, pong), (*objects, peer, peer))

    def ring(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """An object round all ranks."""
        return self.cycle((ping, passed_on), objects, ())

    def collective(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """One call. Gathers put sequences together, so that a rank gives a list of what it has."""
        name = case.benchmark
        if name == "barrier":
            return self.barrier(mpi.barrier)
        call = getattr(mpi, name)
        if name in ("gather", "allgather"):
            return self.spread(call, objects)
        if name in ("reduce", "allreduce"):
            return self.spread(call, objects[0], mpi.SUM)
        return self.spread(call, self.given(case, objects))


cases = Objects  # what the harness runs
