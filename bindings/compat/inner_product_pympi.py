"""The inner product of two long vectors, of which each rank has a part, in the style of pyMPI."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from polympi.compat import pympi as mpi

if TYPE_CHECKING:
    from numpy.typing import NDArray


class InnerProduct:
    """The solver, as ``../../examples/applications/inner_product.py`` describes it. All ranks call each method.

    Attributes:
        value: the inner product, on rank 0.
        communication_ns: nanoseconds that this rank has spent in reductions.
    """

    def __init__(self, _world: object, length: int) -> None:
        each, more = divmod(length, mpi.size)
        start = mpi.rank * each + min(mpi.rank, more)
        i = np.arange(start, start + each + (mpi.rank < more))
        self.x = 1 / (i + 1)
        self.y = ((i + 1) * (1 + i % 3)).astype(np.float64)
        self.communication_ns = 0
        self.restart()

    def restart(self) -> None:
        """Forget the result."""
        self.value: Any = None

    def advance(self, iterations: int) -> None:
        """Take the inner product so many times."""
        for _ in range(iterations):
            mine = float(self.x @ self.y)
            begun = time.perf_counter_ns()
            self.value = mpi.reduce(mine, mpi.SUM)
            self.communication_ns += time.perf_counter_ns() - begun

    def part(self) -> tuple[NDArray[np.float64], tuple[int, ...]]:
        """The inner product as an array of one element on rank 0, none on the others; and the index of the first."""
        return np.array([] if self.value is None else [self.value]), (0,)

    def free(self) -> None:
        """Nothing."""
