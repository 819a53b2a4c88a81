"""How ghost layers and sums travel in the style of Scientific.MPI: into arrays that it fills."""

from __future__ import annotations

import numpy as np
from sides import Ghosts

from polympi.compat.scientific import MPI


class Exchange(Ghosts):
    """Fills the ghost layers of a field."""

    def __call__(self) -> None:
        """Send each side to its neighbour, and receive its; what is not in one piece is copied by send."""
        for side in self.sides:
            if side.sends_first:
                MPI.world.send(side.edge, side.neighbor, 1)
            MPI.world.receive(side.buffer, side.neighbor, 1)
            if not side.sends_first:
                MPI.world.send(side.edge, side.neighbor, 1)
            side.ghost[...] = side.buffer

    def start(self) -> None:
        """Begin to receive and to send."""
        self.receives = [MPI.world.nonblockingReceive(side.buffer, side.neighbor, 1) for side in self.sides]
        self.sends = [MPI.world.nonblockingSend(side.edge, side.neighbor, 1) for side in self.sides]

    def finish(self) -> None:
        """Wait for all that has begun, and put what came where it belongs."""
        for side, receive in zip(self.sides, self.receives, strict=True):
            receive.wait()
            side.ghost[...] = side.buffer
        for send in self.sends:
            send.wait()


def total(values: list[float]) -> list[float]:
    """The sums over all ranks."""
    sums = np.zeros(len(values))
    MPI.world.allreduce(np.array(values), sums, MPI.sum)
    return list(sums)
