"""Collectives with NumPy buffers: the loops that are timed, the same on all ranks.

``call`` is the bound method: one that takes a send and a receive buffer (``comm.Reduce``, ``comm.Allreduce``,
``comm.Gather``, ``comm.Scatter``, ``comm.Allgather``, ``comm.Alltoall``) or one buffer (``comm.Bcast``). Root 0 and
MPI.SUM are mpi4py's defaults. In the loop ``started_...`` it is nonblocking (``comm.Ibcast``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callbacks import Buffer, Call


def two_buffers(call: Call, outgoing: Buffer | None, incoming: Buffer | None, iterations: int) -> None:
    """Calls in a row; the collective itself holds the ranks together."""
    for _ in range(iterations):
        call(outgoing, incoming)


def one_buffer(call: Call, buffer: Buffer, iterations: int) -> None:
    """Calls in a row, of which each is completed before the next."""
    for _ in range(iterations):
        call(buffer)


def started_one_buffer(call: Call, buffer: Buffer, iterations: int) -> None:
    """Calls that only start, each with its wait."""
    for _ in range(iterations):
        call(buffer).Wait()
