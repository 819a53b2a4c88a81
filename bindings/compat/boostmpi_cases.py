"""boostmpi: any object, the value last in a message, and functions for collectives with the communicator first.

Rank 0 holds the clock. The loops of a ping-pong are also those of a ring, of which rank 0 begins each lap.
"""

from __future__ import annotations

from operator import add
from typing import TYPE_CHECKING, Any, ClassVar

from objects import check_objects, expected_objects
from shared import ObjectStyle

from polympi.compat import boostmpi as mpi

if TYPE_CHECKING:
    from callbacks import Buffer, Call
    from cases import Loops
    from plan import Case


def ping(send: Call, recv: Call, value: Any, to: int, source: int, iterations: int) -> Any:
    """Send, then receive."""
    received = None
    for _ in range(iterations):
        send(to, 1, value)
        received = recv(source, 1)
    return received


def pong(send: Call, recv: Call, value: Any, to: int, source: int, iterations: int) -> Any:
    """Receive, then reply."""
    received = None
    for _ in range(iterations):
        received = recv(source, 1)
        send(to, 1, value)
    return received


def passed_on(send: Call, recv: Call, to: int, source: int, iterations: int) -> Any:
    """Receive, then send the same on."""
    received = None
    for _ in range(iterations):
        received = recv(source, 1)
        send(to, 1, received)
    return received


def nonblocking_ping(isend: Call, irecv: Call, value: Any, peer: int, iterations: int) -> Any:
    """Send and wait, then receive and wait."""
    received = None
    for _ in range(iterations):
        request = isend(peer, 1, value)
        request.wait()
        request = irecv(peer, 1)
        received, _status = request.wait()
    return received


def nonblocking_pong(isend: Call, irecv: Call, value: Any, peer: int, iterations: int) -> Any:
    """Receive and wait, then reply and wait."""
    received = None
    for _ in range(iterations):
        request = irecv(peer, 1)
        received, _status = request.wait()
        request = isend(peer, 1, value)
        request.wait()
    return received


class Objects(ObjectStyle):
    """Callbacks for any object."""

    MODULE = "boostmpi"
    OFFERS: ClassVar = {
        "latency": ("standard", "standard-nonblocking"),
        **dict.fromkeys(
            (
                *("object", "ring", "barrier", "bcast", "reduce", "allreduce"),
                *("gather", "scatter", "allgather", "alltoall", "inner-product"),
            ),
            ("standard",),
        ),
    }

    def latency(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """Ping-pong."""
        world, peer = mpi.world, 1 - self.world.rank
        if case.mode == "standard-nonblocking":
            loops = (nonblocking_ping, nonblocking_pong)
            return self.pair(loops, (world.isend, world.irecv, *objects, peer))
        return self.pair((ping, pong), (world.send, world.recv, *objects, peer, peer))

    def ring(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """An object round all ranks."""
        calls = (mpi.world.send, mpi.world.recv)
        return self.cycle((ping, passed_on), (*calls, *objects), calls)

    def collective(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """One call; gathers give tuples."""
        if case.benchmark == "barrier":
            return self.barrier(mpi.world.barrier)
        both = (mpi.world, self.given(case, objects))
        calls: dict[str, tuple[Any, ...]] = {
            "bcast": (mpi.broadcast, *both, 0),
            "reduce": (mpi.reduce, *both, add, 0),
            "allreduce": (mpi.all_reduce, *both, add),
            "gather": (mpi.gather, *both, 0),
            "scatter": (mpi.scatter, *both, 0),
            "allgather": (mpi.all_gather, *both),
            "alltoall": (mpi.all_to_all, *both),
        }
        loops = self.spread(*calls[case.benchmark])
        expected = expected_objects(case, self.traffic(case).incoming)

        def check(received: Any) -> str:
            return check_objects(list(received) if isinstance(received, tuple) else received, expected)

        return {**loops, "check": check}


cases = Objects  # what the harness runs
