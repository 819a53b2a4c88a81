"""Scientific.MPI: methods of a communicator that send arrays, and receive into arrays.

Rank 0 holds the clock. The loops of a ping-pong are also those of a ring, of which rank 0 begins each lap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from shared import ArrayStyle

from polympi.compat.scientific import MPI

if TYPE_CHECKING:
    from buffers import MessageBuffers
    from callbacks import Buffer, Call
    from cases import Loops
    from plan import Case


def ping(send: Call, receive: Call, data: Buffer, came: Buffer, to: int, source: int, iterations: int) -> None:
    """Send, then receive."""
    for _ in range(iterations):
        send(data, to, 1)
        receive(came, source, 1)


def pong(send: Call, receive: Call, data: Buffer, came: Buffer, to: int, source: int, iterations: int) -> None:
    """Receive, then send; in a ring, what came."""
    for _ in range(iterations):
        receive(came, source, 1)
        send(data, to, 1)


def nonblocking_ping(send: Call, receive: Call, data: Buffer, came: Buffer, peer: int, iterations: int) -> None:
    """Send and wait, then receive and wait."""
    for _ in range(iterations):
        request = send(data, peer, 1)
        request.wait()
        request = receive(came, peer, 1)
        request.wait()


def nonblocking_pong(send: Call, receive: Call, data: Buffer, came: Buffer, peer: int, iterations: int) -> None:
    """Receive and wait, then reply and wait."""
    for _ in range(iterations):
        request = receive(came, peer, 1)
        request.wait()
        request = send(data, peer, 1)
        request.wait()


class Arrays(ArrayStyle):
    """Callbacks for arrays."""

    MODULE = "scientific"
    OFFERS: ClassVar = {
        "latency": ("standard", "standard-nonblocking"),
        **dict.fromkeys(
            ("pingpong-int", "ring", "barrier", "bcast", "reduce", "allreduce", "allgather", "inner-product"),
            ("standard",),
        ),
    }

    def latency(self, case: Case, buffers: MessageBuffers) -> Loops:
        """Ping-pong."""
        comm, peer = MPI.world, 1 - self.world.rank
        both = (buffers.outgoing[0], buffers.incoming[0])
        if case.mode == "standard-nonblocking":
            loops = (nonblocking_ping, nonblocking_pong)
            return self.pair(loops, (comm.nonblockingSend, comm.nonblockingReceive, *both, peer))
        return self.pair((ping, pong), (comm.send, comm.receive, *both, peer, peer))

    def ring(self, case: Case, buffers: MessageBuffers) -> Loops:  # noqa: ARG002
        """A message round all ranks."""
        calls, came = (MPI.world.send, MPI.world.receive), buffers.incoming[0]
        return self.cycle((ping, pong), (*calls, *buffers.outgoing, came), (*calls, came, came))

    def collective(self, case: Case, buffers: MessageBuffers) -> Loops:
        """One call; a reduction needs the array for its result on all ranks."""
        comm, name = MPI.world, case.benchmark
        data, came = (next(iter(found), None) for found in (buffers.outgoing, buffers.incoming))
        if name == "barrier":
            return self.barrier(comm.barrier)
        if name == "bcast":
            return self.spread(comm.broadcast, came if data is None else data, 0)
        if name == "allgather" and data is not None and came is not None:
            return self.spread(comm.share, data, came.reshape(self.world.size, data.size))
        result = np.zeros_like(data) if came is None else came
        if name == "reduce":
            return self.spread(comm.reduce, data, result, MPI.sum, 0)
        return self.spread(comm.allreduce, data, result, MPI.sum)


cases = Arrays  # what the harness runs
