"""Conjugate gradients on all ranks, which communicate by an older module; all else is ``poisson_cg.py``.

    PYTHONPATH=examples/applications mpiexec -n 2 python bindings/compat/poisson_cg_modules.py --module pypar

The other options are those of ``../../examples/applications/poisson_cg.py``.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import poisson_cg
from methods.poisson_cg import options, run
from sides import sides_of
from styles import main, style_of

if TYPE_CHECKING:
    from methods.interfaces import Field, Ghosts

    import polympi as mpi


class PoissonCG(poisson_cg.PoissonCG):
    """The solver of ``poisson_cg.py``.

    Args:
        world: the ranks.
        edge: unknowns along each axis of the mesh.
        variant: "blocking", "overlapped" or "merged".
        kernel: "numpy" or "numba".
        module: whose calls fill the ghost layers and add the inner products.
    """

    def __init__(
        self, world: mpi.Communicator, edge: int, variant: str = "blocking", kernel: str = "numpy", module: str = ""
    ) -> None:
        self._style = style_of(module, overlapped=variant == "overlapped")
        super().__init__(world, edge, variant, kernel)

    def _ghosts(self, u: Field) -> Ghosts:
        made: Ghosts = self._style.Exchange(sides_of(self.cart, u))
        return made

    def _total(self, values: list[float]) -> list[float]:
        sums: list[float] = self._style.total(values)
        return sums


if __name__ == "__main__":
    sys.exit(main(__file__, options, run, PoissonCG))
