"""All ranks of the launch, for what the harness needs outside everything timed."""

from __future__ import annotations

import ctypes
from array import array
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from callbacks import Times

LONGEST_VERSION = 8192  # MPI_MAX_LIBRARY_VERSION_STRING is 256 in Open MPI, and 8192 in MPICH


class World:
    """``mpi.world`` for the harness (see ``callbacks.World``)."""

    def __init__(self, mpi: Any) -> None:
        self._mpi = mpi
        self.rank: int = mpi.world.rank
        self.size: int = mpi.world.size

    def maxima(self, times: Times) -> Times:
        """The largest of each place over all ranks, on rank 0; of no meaning elsewhere."""
        of_all = self._mpi.gather(self._mpi.world, times, 0)
        return array("q", map(max, *of_all)) if of_all and len(of_all) > 1 else times

    def collect(self, text: str) -> list[str]:
        """The texts of all ranks, on all ranks."""
        return list(self._mpi.all_gather(self._mpi.world, text))

    def abort(self, code: int) -> None:
        """End all ranks with an exit code."""
        self._mpi.world.abort(code)


# The module does not tell these two, so that MPI itself is asked.


def library_version(library: ctypes.CDLL) -> str:
    """The first line of what MPI says of itself."""
    text, length = ctypes.create_string_buffer(LONGEST_VERSION), ctypes.c_int()
    library.MPI_Get_library_version(text, ctypes.byref(length))
    return " ".join(text.value.decode().splitlines()[0].split())


def thread_level(library: ctypes.CDLL) -> int:
    """The level of threads that MPI provides, as the library numbers it."""
    level = ctypes.c_int()
    library.MPI_Query_thread(ctypes.byref(level))
    return level.value
