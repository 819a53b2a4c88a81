"""All ranks of the launch, for what the harness needs outside everything timed."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from mpi4py import MPI
from program import Header

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


def header(name: str, startup: tuple[int, int, int], memory: tuple[int, int]) -> Header:
    """What the samples say about a launch."""
    levels = {
        MPI.THREAD_SINGLE: "single",
        MPI.THREAD_FUNNELED: "funneled",
        MPI.THREAD_SERIALIZED: "serialized",
        MPI.THREAD_MULTIPLE: "multiple",
    }
    return Header(
        binding=name,
        library=" ".join(MPI.Get_library_version().rstrip("\0").splitlines()[0].split()),
        ranks=MPI.COMM_WORLD.Get_size(),
        threads=levels[MPI.Query_thread()],
        host=MPI.Get_processor_name(),
        startup_ns=startup,
        memory_bytes=memory,
    )
