"""The product of two square matrices, cut into blocks on a mesh of ranks: ../matmul.py with mpi4py.

    mpiexec -n 4 python examples/applications/with_mpi4py/matmul_mpi4py.py --edge 1024

The method (SUMMA), its check and the options are in ../methods/matmul.py; here is what its ranks exchange.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mpi4py import MPI

sys.path.append(str(Path(__file__).parents[1]))  # what all styles share is there

from methods.driver import main
from methods.matmul import Blocks, options, run

if TYPE_CHECKING:
    from methods.interfaces import Field


class Matmul(Blocks):
    """The solver: the arguments are those of ``Blocks``, but a communicator instead of its mesh."""

    def __init__(self, world: MPI.Intracomm, edge: int) -> None:
        cart = world.Create_cart(MPI.Compute_dims(world.size, 2))
        self.row, self.column = cart.Sub([False, True]), cart.Sub([True, False])
        super().__init__(cart, edge)

    def _broadcast(self, a: Field, b: Field, column: int, row: int) -> tuple[Field, Field]:
        if self.row.size > 1:
            if self.row.rank == column:  # columns do not lie side by side in memory: they are copied
                mine, a = a, self.room[0][: a.size].reshape(a.shape)
                a[...] = mine
            self.row.Bcast(a, root=column)
        if self.column.size > 1:
            self.column.Bcast(b, root=row)
        return a, b

    def free(self) -> None:
        """Give back the mesh, and its rows and columns."""
        self.row.Free()
        self.column.Free()
        self.cart.Free()


if __name__ == "__main__":
    sys.exit(main(__file__, MPI.COMM_WORLD, options, run, Matmul))
