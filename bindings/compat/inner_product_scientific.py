"""The inner product of two long vectors, of which each rank has a part, in the style of Scientific.MPI."""

from __future__ import annotations

import time

import numpy as np
from methods.inner_product import Vectors

from polympi.compat.scientific import MPI


class InnerProduct(Vectors):
    """The solver of ``../../examples/applications/inner_product.py`` with another reduction."""

    def restart(self) -> None:
        """Forget the result."""
        self.value = np.zeros(1)

    def advance(self, iterations: int) -> None:
        """Take the inner product this many times."""
        for _ in range(iterations):
            mine = np.array([self.product(self.x, self.y)])
            begun = time.perf_counter_ns()
            MPI.world.reduce(mine, self.value, MPI.sum, 0)
            self.communication_ns += time.perf_counter_ns() - begun
