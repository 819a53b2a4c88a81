"""Numbers sorted on all ranks, each of which has a part of them: a sample sort.

    mpiexec -n 2 python examples/applications/sort.py --length 1048576

The method, its check and the options are in methods/sort.py; here is what its ranks exchange.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
from methods.driver import main
from methods.sort import Keys, options, run

import polympi as mpi

if TYPE_CHECKING:
    from methods.interfaces import Field
    from numpy.typing import NDArray


class Sort(Keys):
    """The solver: samples of all keys tell each rank which of its own to send to which other."""

    def _shown(self, samples: Field) -> Field:
        return np.concatenate(self._communicate(self.world.allgather, samples))

    def _dealt(self, mine: Field, cuts: NDArray[np.intp]) -> Field:
        # Pieces of any lengths: nobody has to tell them to the others.
        return np.concatenate(self._communicate(self.world.alltoall, np.split(mine, cuts)))


if __name__ == "__main__":
    sys.exit(main(__file__, mpi.world, options, run, Sort))
