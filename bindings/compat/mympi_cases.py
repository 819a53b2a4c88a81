"""MYMPI: the calls of MPI by their names in C, which return received data as a new array.

Rank 0 holds the clock. The loops of a ping-pong are also those of a ring, of which rank 0 begins each lap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from buffers import DTYPES
from shared import ArrayStyle, arrived

from polympi.compat import mympi as mpi
from polympi.compat.mympi import MPI_COMM_WORLD, mpi_recv, mpi_send

if TYPE_CHECKING:
    from buffers import MessageBuffers
    from callbacks import Buffer
    from cases import Loops
    from plan import Case

TYPES = {"bytes": mpi.MPI_BYTE, "float64": mpi.MPI_DOUBLE, "int32": mpi.MPI_INT}


def ping(buf: Buffer, count: int, datatype: int, to: int, source: int, iterations: int) -> Any:
    """Send, then receive."""
    received = None
    for _ in range(iterations):
        mpi_send(buf, count, datatype, to, 1, MPI_COMM_WORLD)
        received = mpi_recv(count, datatype, source, 1, MPI_COMM_WORLD)
    return received


def pong(buf: Buffer, count: int, datatype: int, to: int, source: int, iterations: int) -> Any:
    """Receive, then reply."""
    received = None
    for _ in range(iterations):
        received = mpi_recv(count, datatype, source, 1, MPI_COMM_WORLD)
        mpi_send(buf, count, datatype, to, 1, MPI_COMM_WORLD)
    return received


def passed_on(count: int, datatype: int, to: int, source: int, iterations: int) -> Any:
    """Receive, then send the same on."""
    received = None
    for _ in range(iterations):
        received = mpi_recv(count, datatype, source, 1, MPI_COMM_WORLD)
        mpi_send(received, count, datatype, to, 1, MPI_COMM_WORLD)
    return received


class Arrays(ArrayStyle):
    """Callbacks for arrays, of which the receiver names type and number of elements."""

    MODULE = "mympi"
    OFFERS: ClassVar = dict.fromkeys(
        (
            *("latency", "pingpong-int", "ring", "barrier", "bcast", "reduce"),
            *("gather", "scatter", "alltoall", "inner-product"),
        ),
        ("standard",),
    )

    def latency(self, case: Case, buffers: MessageBuffers) -> Loops:
        """Ping-pong."""
        [buf], peer = buffers.outgoing, 1 - self.world.rank
        given = (buf, buf.size, TYPES[case.payload], peer, peer)
        return {**self.pair((ping, pong), given), "check": arrived(buffers)}

    def ring(self, case: Case, buffers: MessageBuffers) -> Loops:
        """A message round all ranks."""
        kind = (buffers.incoming[0].size, TYPES[case.payload])
        loops = self.cycle((ping, passed_on), (*buffers.outgoing, *kind), kind)
        return {**loops, "check": arrived(buffers)}

    def collective(self, case: Case, buffers: MessageBuffers) -> Loops:
        """One call; count and type are those of a piece."""
        if case.benchmark == "barrier":
            return self.spread(mpi.mpi_barrier, MPI_COMM_WORLD)
        buf, datatype = next(iter(buffers.outgoing), None), TYPES[case.payload]
        count = case.size // np.dtype(DTYPES[case.payload]).itemsize
        piece, end = (count, datatype), (0, MPI_COMM_WORLD)
        calls: dict[str, tuple[Any, ...]] = {
            "bcast": (mpi.mpi_bcast, buf, *piece, *end),
            "reduce": (mpi.mpi_reduce, buf, *piece, mpi.MPI_SUM, *end),
            "gather": (mpi.mpi_gather, buf, *piece, *piece, *end),
            "scatter": (mpi.mpi_scatter, buf, *piece, *piece, *end),
            "alltoall": (mpi.mpi_alltoall, buf, *piece, *piece, MPI_COMM_WORLD),
        }
        return {**self.spread(*calls[case.benchmark]), "check": arrived(buffers)}


cases = Arrays  # what the harness runs
