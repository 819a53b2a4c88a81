"""All ranks of the launch, for what the harness needs outside everything timed."""

from __future__ import annotations

import os
from array import array
from typing import TYPE_CHECKING

import numpy as np
from program import Header

import polympi as mpi

if TYPE_CHECKING:
    from callbacks import Times


class Everybody:
    """``polympi.world`` for the harness (see ``callbacks.World``)."""

    def __init__(self, comm: mpi.Communicator) -> None:
        self._comm = comm
        self.rank = comm.rank
        self.size = comm.size

    def maxima(self, times: Times) -> Times:
        """The largest of each place over all ranks, on rank 0; of no meaning elsewhere."""
        largest = array("q", bytes(8 * len(times)))
        if times:
            self._comm.reduce(np.frombuffer(times, np.int64), mpi.MAX, into=np.frombuffer(largest, np.int64))
        return largest

    def collect(self, text: str) -> list[str]:
        """The texts of all ranks, on all ranks."""
        return list(self._comm.allgather(text))

    def abort(self, code: int) -> None:
        """End all ranks with an exit code."""
        mpi.abort(code)


def header(name: str, startup: tuple[int, int, int], memory: tuple[int, int]) -> Header:
    """What the samples say about a launch."""
    return Header(
        binding=name,
        library=" ".join(mpi.library_version().splitlines()[0].split()),
        ranks=mpi.world.size,
        threads=mpi.thread_level(),
        host=os.uname().nodename,
        startup_ns=startup,
        memory_bytes=memory,
    )
