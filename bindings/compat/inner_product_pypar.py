"""The inner product of two long vectors, of which each rank has a part, in the style of Pypar."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from polympi.compat import pypar

if TYPE_CHECKING:
    from numpy.typing import NDArray


class InnerProduct:
    """The solver, as ``../../examples/applications/inner_product.py`` describes it. All ranks call each method.

    Attributes:
        value: the inner product, on rank 0.
        communication_ns: nanoseconds that this rank has spent in reductions.
    """

    def __init__(self, _world: object, length: int) -> None:
        each, more = divmod(length, pypar.size())
        start = pypar.rank() * each + min(pypar.rank(), more)
        i = np.arange(start, start + each + (pypar.rank() < more))
        self.x = 1 / (i + 1)
        self.y = ((i + 1) * (1 + i % 3)).astype(np.float64)
        self.communication_ns = 0
        self.restart()

    def restart(self) -> None:
        """Forget the result."""
        self.value: Any = np.zeros(1)

    def advance(self, iterations: int) -> None:
        """Take the inner product so many times."""
        for _ in range(iterations):
            mine = np.array([self.x @ self.y])
            begun = time.perf_counter_ns()
            pypar.reduce(mine, pypar.SUM, 0, buffer=self.value)
            self.communication_ns += time.perf_counter_ns() - begun

    def part(self) -> tuple[NDArray[np.float64], tuple[int, ...]]:
        """The inner product as an array of one element on rank 0, none on the others; and the index of the first."""
        return self.value[: pypar.rank() == 0], (0,)

    def free(self) -> None:
        """Nothing."""
