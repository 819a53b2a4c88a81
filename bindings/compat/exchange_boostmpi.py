"""How ghost layers and sums travel in the style of boostmpi: as objects, which arrive as new ones."""

from __future__ import annotations

import operator

import numpy as np
from sides import Ghosts

from polympi.compat import boostmpi as mpi


class Exchange(Ghosts):
    """Fills the ghost layers of a field."""

    def __call__(self) -> None:
        """Send each side to its neighbour, and receive its."""
        for side in self.sides:
            if side.sends_first:
                mpi.world.send(side.neighbor, 1, side.edge)
            received = mpi.world.recv(side.neighbor, 1)
            if not side.sends_first:
                mpi.world.send(side.neighbor, 1, side.edge)
            side.ghost[...] = received

    def start(self) -> None:
        """Begin to receive and to send."""
        self.receives = [mpi.world.irecv(side.neighbor, 1) for side in self.sides]
        self.sends = [mpi.world.isend(side.neighbor, 1, side.edge) for side in self.sides]

    def finish(self) -> None:
        """Wait for all that has begun, and put what came where it belongs."""
        for side, receive in zip(self.sides, self.receives, strict=True):
            side.ghost[...], _status = receive.wait()
        for send in self.sends:
            send.wait()


def total(values: list[float]) -> list[float]:
    """The sums over all ranks: arrays are added element by element."""
    return list(mpi.all_reduce(mpi.world, np.array(values), operator.add))
