"""The inner product of two long vectors, of which each rank has a part.

    mpiexec -n 2 python examples/applications/inner_product.py --length 262144

The vectors, the check and the options are in methods/inner_product.py; here is what the ranks exchange.
"""

import sys
import time

from methods.driver import main
from methods.inner_product import Vectors, options, run

import polympi as mpi


class InnerProduct(Vectors):
    """The solver: each rank takes the inner product of its parts, and one reduction adds these up on rank 0."""

    def advance(self, iterations: int) -> None:
        """Take the inner product this many times."""
        for _ in range(iterations):
            mine = self.product(self.x, self.y)
            begun = time.perf_counter_ns()
            self.value = self.world.reduce(mine)
            self.communication_ns += time.perf_counter_ns() - begun


if __name__ == "__main__":
    sys.exit(main(__file__, mpi.world, options, run, InnerProduct))
