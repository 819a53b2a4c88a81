"""The wave equation in a cube whose walls reflect, on a mesh of ranks that exchange the faces of their blocks.

    mpiexec -n 2 python examples/applications/with_mpi4py/wave_mpi4py.py --mesh 129 --plot wave.png

The method, its check and the options are in ../methods/wave.py; here is what its ranks exchange.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from mpi4py import MPI

sys.path.append(str(Path(__file__).parents[1]))  # what all styles share is there

from methods.driver import main
from methods.interfaces import Ghosts
from methods.meshes import layer
from methods.wave import WaveOnBlock, options, run

if TYPE_CHECKING:
    from methods.interfaces import Field


class Faces(Ghosts):
    """The faces of a field. They do not lie side by side in memory, so they are copied."""

    def __init__(self, cart: MPI.Cartcomm, u: Field, outgoing: list[Field], incoming: list[Field]) -> None:
        self.cart, self.u, self.outgoing, self.incoming = cart, u, outgoing, incoming
        self.neighbors = [rank for axis in range(3) for rank in cart.Shift(axis, 1)]

    def start(self) -> None:
        """Begin to send the faces of this rank's block, and to receive those of its neighbours."""
        self.requests = []
        for side, neighbor in enumerate(self.neighbors):
            if neighbor != MPI.PROC_NULL:
                self.requests.append(self.cart.Irecv(self.incoming[side], neighbor, side))
        for side, neighbor in enumerate(self.neighbors):
            if neighbor != MPI.PROC_NULL:
                self.outgoing[side][...] = layer(self.u, side // 2, -2 if side % 2 else 1)
                self.requests.append(self.cart.Isend(self.outgoing[side], neighbor, side ^ 1))

    def finish(self) -> None:
        """Wait for all that has begun, and put the faces into the ghost layers."""
        MPI.Request.Waitall(self.requests)
        for side, neighbor in enumerate(self.neighbors):
            if neighbor != MPI.PROC_NULL:
                layer(self.u, side // 2, -1 if side % 2 else 0)[...] = self.incoming[side]

    def free(self) -> None:
        """Nothing."""


class Wave(WaveOnBlock):
    """The solver: the arguments are those of ``WaveOnBlock``, but a communicator instead of its mesh."""

    def __init__(self, world: MPI.Intracomm, edge: int, overlapped: bool = False, kernel: str = "numpy") -> None:
        super().__init__(world.Create_cart(MPI.Compute_dims(world.size, 3)), edge, overlapped, kernel)

    def _allocate(self, kernel: str) -> None:
        super()._allocate(kernel)
        faces = [layer(self.fields[0], side // 2, 0) for side in range(6)]
        self.room = [[np.empty(face.shape) for face in faces] for _ in range(2)]

    def _ghosts(self, u: Field) -> Ghosts:
        return Faces(self.cart, u, *self.room)

    def free(self) -> None:
        """Give back the mesh."""
        self.cart.Free()


if __name__ == "__main__":
    sys.exit(main(__file__, MPI.COMM_WORLD, options, run, Wave))
