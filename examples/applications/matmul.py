"""The product of two square matrices, cut into blocks on a mesh of ranks: SUMMA.

    mpiexec -n 4 python examples/applications/matmul.py --edge 1024

The method, its check and the options are in methods/matmul.py; here is what its ranks exchange.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from methods.driver import main
from methods.matmul import Blocks, options, run

import polympi as mpi

if TYPE_CHECKING:
    from methods.interfaces import Field


class Matmul(Blocks):
    """The solver: the arguments are those of ``Blocks``, but a communicator instead of its mesh."""

    cart: mpi.Cartesian

    def __init__(self, world: mpi.Communicator, edge: int) -> None:
        cart = world.cart(ndim=2)
        assert cart is not None  # no rank is left over
        self.row, self.column = cart.sub([1]), cart.sub([0])  # the ranks next to this one, and above and below it
        super().__init__(cart, edge)

    def _broadcast(self, a: Field, b: Field, column: int, row: int) -> tuple[Field, Field]:
        self.row.bcast(a, root=column, into=a)  # a view is sent as it is
        self.column.bcast(b, root=row, into=b)
        return a, b

    def free(self) -> None:
        """Give back the mesh, and its rows and columns."""
        self.row.free()
        self.column.free()
        self.cart.free()


if __name__ == "__main__":
    sys.exit(main(__file__, mpi.world, options, run, Matmul))
