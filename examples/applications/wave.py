"""The wave equation in a cube whose walls reflect, on a mesh of ranks that exchange the faces of their blocks.

    mpiexec -n 2 python examples/applications/wave.py --mesh 129 --plot wave.png

The method, its check and the options are in methods/wave.py; here is what its ranks exchange.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from methods.driver import main
from methods.wave import WaveOnBlock, options, run

import polympi as mpi

if TYPE_CHECKING:
    from methods.interfaces import Field, Ghosts


class Wave(WaveOnBlock):
    """The solver: the arguments are those of ``WaveOnBlock``, but a communicator instead of its mesh."""

    cart: mpi.Cartesian

    def __init__(self, world: mpi.Communicator, edge: int, overlapped: bool = False, kernel: str = "numpy") -> None:
        cart = world.cart(ndim=3)
        assert cart is not None  # no rank is left over
        super().__init__(cart, edge, overlapped, kernel)

    def _ghosts(self, u: Field) -> Ghosts:
        """Along an axis that is not divided there is no neighbour.

        The ghost points there are sent with the others, so that a face lies in one piece, which needs no copy.
        """
        return self.cart.halo(u, width=[int(ranks > 1) for ranks in self.cart.dims])

    def free(self) -> None:
        """Give back the plans and the mesh."""
        super().free()
        self.cart.free()


if __name__ == "__main__":
    sys.exit(main(__file__, mpi.world, options, run, Wave))
