"""All ranks of the launch, for what the harness needs outside everything timed."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from mpi4py import MPI

if TYPE_CHECKING:
    from callbacks import Times


class World:
    """MPI.COMM_WORLD for the harness (see ``callbacks.World``)."""

    def __init__(self, comm: MPI.Intracomm) -> None:
        self._comm = comm
        self.rank: int = comm.Get_rank()
        self.size: int = comm.Get_size()

    def maxima(self, times: Times) -> Times:
        """The largest of each place over all ranks, on rank 0; of no meaning elsewhere."""
        largest = array("q", bytes(8 * len(times)))
        self._comm.Reduce([times, MPI.INT64_T], [largest, MPI.INT64_T], MPI.MAX, 0)
        return largest

    def collect(self, text: str) -> list[str]:
        """The texts of all ranks, on all ranks."""
        return list(self._comm.allgather(text))

    def abort(self, code: int) -> None:
        """End all ranks with an exit code."""
        self._comm.Abort(code)
