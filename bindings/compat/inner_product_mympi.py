"""The inner product of two long vectors, of which each rank has a part, in the style of MYMPI."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from polympi.compat import mympi as mpi

if TYPE_CHECKING:
    from numpy.typing import NDArray


class InnerProduct:
    """The solver, as ``../../examples/applications/inner_product.py`` describes it. All ranks call each method.

    Attributes:
        value: the inner product, on rank 0.
        communication_ns: nanoseconds that this rank has spent in reductions.
    """

    def __init__(self, _world: object, length: int) -> None:
        rank, size = mpi.mpi_comm_rank(mpi.MPI_COMM_WORLD), mpi.mpi_comm_size(mpi.MPI_COMM_WORLD)
        each, more = divmod(length, size)
        start = rank * each + min(rank, more)
        i = np.arange(start, start + each + (rank < more))
        self.x = 1 / (i + 1)
        self.y = ((i + 1) * (1 + i % 3)).astype(np.float64)
        self.communication_ns = 0
        self.restart()

    def restart(self) -> None:
        """Forget the result."""
        self.value: Any = np.zeros(0)

    def advance(self, iterations: int) -> None:
        """Take the inner product so many times."""
        for _ in range(iterations):
            mine = float(self.x @ self.y)
            begun = time.perf_counter_ns()
            self.value = mpi.mpi_reduce(mine, 1, mpi.MPI_DOUBLE, mpi.MPI_SUM, 0, mpi.MPI_COMM_WORLD)
            self.communication_ns += time.perf_counter_ns() - begun

    def part(self) -> tuple[NDArray[np.float64], tuple[int, ...]]:
        """The inner product as an array of one element on rank 0, none on the others; and the index of the first."""
        return self.value, (0,)

    def free(self) -> None:
        """Nothing."""
