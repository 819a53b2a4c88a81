"""How ghost layers and sums travel in the style of MYMPI: it names count and type, and gives new arrays of one axis."""

from __future__ import annotations

import numpy as np
from sides import Ghosts, Side

from polympi.compat import mympi as mpi
from polympi.compat.mympi import MPI_COMM_WORLD, MPI_DOUBLE, MPI_SUM


class Exchange(Ghosts):
    """Fills the ghost layers of a field."""

    def __call__(self) -> None:
        """Send each side to its neighbour, and receive its."""
        for side in self.sides:
            if side.sends_first:
                self._send(side)
            received = mpi.mpi_recv(side.edge.size, MPI_DOUBLE, side.neighbor, 1, MPI_COMM_WORLD)
            if not side.sends_first:
                self._send(side)
            side.ghost[...] = received.reshape(side.ghost.shape)

    def _send(self, side: Side) -> None:
        mpi.mpi_send(side.edge, side.edge.size, MPI_DOUBLE, side.neighbor, 1, MPI_COMM_WORLD)


def total(values: list[float]) -> list[float]:
    """The sums over all ranks: there is no allreduce, and only the root's argument of a broadcast counts."""
    count = len(values)
    sums = mpi.mpi_reduce(np.array(values), count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD)
    return list(mpi.mpi_bcast(sums, count, MPI_DOUBLE, 0, MPI_COMM_WORLD))
