"""The inner product of two long vectors, of which each rank has a part, in the style of MYMPI."""

from __future__ import annotations

import time

from methods.inner_product import Vectors

from polympi.compat import mympi as mpi


class InnerProduct(Vectors):
    """The solver of ``../../examples/applications/inner_product.py`` with another reduction."""

    def advance(self, iterations: int) -> None:
        """Take the inner product this many times."""
        for _ in range(iterations):
            mine = self.product(self.x, self.y)
            begun = time.perf_counter_ns()
            self.value = mpi.mpi_reduce(mine, 1, mpi.MPI_DOUBLE, mpi.MPI_SUM, 0, mpi.MPI_COMM_WORLD)
            self.communication_ns += time.perf_counter_ns() - begun
