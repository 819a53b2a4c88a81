"""The wave equation on all ranks, whose ghost layers an older module fills; all else is ``wave.py``.

    PYTHONPATH=examples/applications mpiexec -n 2 python bindings/compat/wave_modules.py --module pypar --mesh 129

The other options are those of ``../../examples/applications/wave.py``.
"""

from __future__ import annotations

import sys
import wave
from typing import TYPE_CHECKING

from methods.wave import options, run
from sides import sides_of
from styles import main, style_of

if TYPE_CHECKING:
    from methods.interfaces import Field, Ghosts

    import polympi as mpi


class Wave(wave.Wave):
    """The solver of ``wave.py``.

    Args:
        world: the ranks.
        edge: points along each axis of the mesh.
        overlapped: points that need no neighbour are updated while the faces are in flight.
        kernel: "numpy" or "numba".
        module: whose calls fill the ghost layers.
    """

    def __init__(
        self, world: mpi.Communicator, edge: int, overlapped: bool = False, kernel: str = "numpy", module: str = ""
    ) -> None:
        self._style = style_of(module, overlapped=overlapped)
        super().__init__(world, edge, overlapped, kernel)

    def _ghosts(self, u: Field) -> Ghosts:
        made: Ghosts = self._style.Exchange(sides_of(self.cart, u))
        return made


if __name__ == "__main__":
    sys.exit(main(__file__, options, run, Wave))
