"""Poisson's equation in a square by conjugate gradients, on a mesh of ranks that exchange the sides of their blocks.

    mpiexec -n 2 python examples/applications/with_mpi4py/poisson_cg_mpi4py.py --mesh 1025 --plot residual.png

The method, its check and the options are in ../methods/poisson_cg.py; here is what its ranks exchange.
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
from methods.poisson_cg import PoissonOnBlock, options, run

if TYPE_CHECKING:
    from methods.interfaces import Field


class Sides(Ghosts):
    """The sides of a field. Columns do not lie side by side in memory, so they are copied."""

    def __init__(self, cart: MPI.Cartcomm, u: Field) -> None:
        self.cart, self.u = cart, u
        neighbors = [rank for axis in range(2) for rank in cart.Shift(axis, 1)]  # above, below, left, right
        self.outgoing, self.incoming = np.zeros((2, len(u) - 2)), np.zeros((2, len(u) - 2))
        inner = (u[1, 1:-1], u[-2, 1:-1], *self.outgoing)
        ghosts = (u[0, 1:-1], u[-1, 1:-1], *self.incoming)
        there = [side for side, neighbor in enumerate(neighbors) if neighbor != MPI.PROC_NULL]
        self.sides = [(side, neighbors[side], inner[side], ghosts[side]) for side in there]
        self.columns = [side - 2 for side in there if side >= 2]

    def start(self) -> None:
        """Begin to send the sides of this rank's block, and to receive those of its neighbours."""
        for k in self.columns:
            self.outgoing[k] = self.u[1:-1, -2 if k else 1]
        self.requests = [self.cart.Irecv(ghost, neighbor, side) for side, neighbor, _, ghost in self.sides]
        self.requests += [self.cart.Isend(inner, neighbor, side ^ 1) for side, neighbor, inner, _ in self.sides]

    def finish(self) -> None:
        """Wait for all that has begun, and put the columns into the ghost layers."""
        MPI.Request.Waitall(self.requests)
        for k in self.columns:
            self.u[1:-1, -1 if k else 0] = self.incoming[k]

    def free(self) -> None:
        """Nothing."""


class PoissonCG(PoissonOnBlock):
    """The solver: the arguments are those of ``PoissonOnBlock``, but a communicator instead of its mesh."""

    def __init__(self, world: MPI.Intracomm, edge: int, variant: str = "blocking", kernel: str = "numpy") -> None:
        super().__init__(world.Create_cart(MPI.Compute_dims(world.size, 2)), edge, variant, kernel)

    def _ghosts(self, u: Field) -> Ghosts:
        return Sides(self.cart, u)

    def _total(self, values: list[float]) -> list[float]:
        sums = np.array(values)
        self.cart.Allreduce(MPI.IN_PLACE, sums)
        totals: list[float] = sums.tolist()
        return totals

    def free(self) -> None:
        """Give back the mesh."""
        self.cart.Free()


if __name__ == "__main__":
    sys.exit(main(__file__, MPI.COMM_WORLD, options, run, PoissonCG))
