"""Numbers sorted on all ranks, each of which has a part of them: ../sort.py with mpi4py.

    mpiexec -n 2 python examples/applications/with_mpi4py/sort_mpi4py.py --length 1048576

The method, its check and the options are in ../methods/sort.py; here is what its ranks exchange.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from mpi4py import MPI

sys.path.append(str(Path(__file__).parents[1]))  # what all styles share is there

from methods.driver import main
from methods.sort import Keys, options, run

if TYPE_CHECKING:
    from methods.interfaces import Field
    from numpy.typing import NDArray


class Sort(Keys):
    """The solver: samples of all keys tell each rank which of its own to send to which other."""

    def _shown(self, samples: Field) -> Field:
        shown = np.empty(samples.size * self.world.size)
        self._communicate(self.world.Allgather, samples, shown)
        return shown

    def _dealt(self, mine: Field, cuts: NDArray[np.intp]) -> Field:
        starts = np.concatenate(([0], cuts))
        counts = np.diff(starts, append=mine.size)
        incoming = np.empty_like(counts)
        self._communicate(self.world.Alltoall, counts, incoming)
        ends = np.cumsum(incoming)
        received = np.empty(ends[-1])
        outgoing = [mine, counts, starts, MPI.DOUBLE]
        self._communicate(self.world.Alltoallv, outgoing, [received, incoming, ends - incoming, MPI.DOUBLE])
        return received


if __name__ == "__main__":
    sys.exit(main(__file__, MPI.COMM_WORLD, options, run, Sort))
