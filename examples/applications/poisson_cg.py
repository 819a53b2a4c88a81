"""Poisson's equation in a square by conjugate gradients, on a mesh of ranks that exchange the sides of their blocks.

    mpiexec -n 2 python examples/applications/poisson_cg.py --mesh 1025 --plot residual.png

The method, its check and the options are in methods/poisson_cg.py; here is what its ranks exchange.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
from methods.driver import main
from methods.poisson_cg import PoissonOnBlock, options, run

import polympi as mpi

if TYPE_CHECKING:
    from methods.interfaces import Field, Ghosts


class PoissonCG(PoissonOnBlock):
    """The solver: the arguments are those of ``PoissonOnBlock``, but a communicator instead of its mesh."""

    cart: mpi.Cartesian

    def __init__(self, world: mpi.Communicator, edge: int, variant: str = "blocking", kernel: str = "numpy") -> None:
        cart = world.cart(ndim=2)
        assert cart is not None  # no rank is left over
        super().__init__(cart, edge, variant, kernel)

    def _ghosts(self, u: Field) -> Ghosts:
        return self.cart.halo(u)

    def _total(self, values: list[float]) -> list[float]:
        # A float is the fastest there is to add; two of them go together in an array.
        return [self.cart.allreduce(values[0])] if len(values) == 1 else self.cart.allreduce(np.array(values)).tolist()

    def free(self) -> None:
        """Give back the plan and the mesh."""
        super().free()
        self.cart.free()


if __name__ == "__main__":
    sys.exit(main(__file__, mpi.world, options, run, PoissonCG))
