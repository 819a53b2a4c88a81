"""The inner product of two long vectors, of which each rank has a part: ../inner_product.py with mpi4py.

    mpiexec -n 2 python examples/applications/with_mpi4py/inner_product_mpi4py.py --length 262144

The vectors, the check and the options are in ../methods/inner_product.py; here is what the ranks exchange.
"""

import sys
import time
from pathlib import Path

import numpy as np
from mpi4py import MPI

sys.path.append(str(Path(__file__).parents[1]))  # what all styles share is there

from methods.driver import main
from methods.inner_product import Vectors, options, run


class InnerProduct(Vectors):
    """The solver: each rank takes the inner product of its parts, and one reduction adds these up on rank 0."""

    def restart(self) -> None:
        """Forget the result."""
        self.value = np.zeros(1)

    def advance(self, iterations: int) -> None:
        """Take the inner product this many times."""
        for _ in range(iterations):
            mine = np.array([self.product(self.x, self.y)])
            begun = time.perf_counter_ns()
            self.world.Reduce(mine, self.value, op=MPI.SUM, root=0)
            self.communication_ns += time.perf_counter_ns() - begun


if __name__ == "__main__":
    sys.exit(main(__file__, MPI.COMM_WORLD, options, run, InnerProduct))
