"""The inner product of two long vectors, of which each rank has a part: ../inner_product.py with mpi4py.

    mpiexec -n 2 python examples/applications/with_mpi4py/inner_product_mpi4py.py --length 262144

The vectors are those of the program with polympi, and so is what is printed.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import TYPE_CHECKING, NoReturn

os.environ.setdefault("OMP_NUM_THREADS", "1")  # of NumPy's BLAS: a processor has a rank, and no threads besides

import numpy as np
from mpi4py import MPI

if TYPE_CHECKING:
    from numpy.typing import NDArray

ALLOWED = 1e-12  # relative error; what is added up in another order differs in its last digits


def exact(length: int) -> int:
    """The sum of 1 + i mod 3."""
    return 6 * (length // 3) + (0, 1, 3)[length % 3]


class InnerProduct:
    """The solver. All ranks call each of its methods.

    Args:
        world: the ranks.
        length: of each vector; the ranks' parts differ by one element at most.
        kernel: "numpy".

    Attributes:
        value: the inner product, on rank 0.
        communication_ns: nanoseconds that this rank has spent in reductions.

    Raises:
        ValueError: on all ranks; the vectors have no elements, there is no such kernel, or no memory on a rank.
    """

    def __init__(self, world: MPI.Comm, length: int, kernel: str = "numpy") -> None:
        if length < 1:
            raise ValueError(f"vectors of {length} elements are too short: they need one at least")
        if kernel != "numpy":
            raise ValueError(f"there is no kernel {kernel}, but numpy")
        self.world, self.length = world, length
        self.communication_ns = 0
        fits = True
        try:
            self._allocate()
        except MemoryError:
            fits = False
        if not world.allreduce(fits, op=MPI.LAND):
            raise ValueError("there is no memory for the vectors on one of the ranks")

    def _allocate(self) -> None:
        """Make this rank's parts of the vectors."""
        size, rank = self.world.Get_size(), self.world.Get_rank()
        each, more = divmod(self.length, size)
        start = rank * each + min(rank, more)
        i = np.arange(start, start + each + (rank < more))
        self.x = 1 / (i + 1)
        self.y = ((i + 1) * (1 + i % 3)).astype(np.float64)
        self.value = np.zeros(1)

    def restart(self) -> None:
        """Forget the result."""
        self.value[0] = 0

    def advance(self, iterations: int) -> None:
        """Take the inner product so many times."""
        for _ in range(iterations):
            mine = np.array([np.dot(self.x, self.y)])
            begun = time.perf_counter_ns()
            self.world.Reduce(mine, self.value, op=MPI.SUM, root=0)
            self.communication_ns += time.perf_counter_ns() - begun

    def part(self) -> tuple[NDArray[np.float64], tuple[int, ...]]:
        """The inner product as an array of one element on rank 0, none on the others; and the index of the first."""
        return self.value[: self.world.Get_rank() == 0], (0,)

    def free(self) -> None:
        """Nothing: no communicator and no type was made."""


class Parser(argparse.ArgumentParser):
    """Raises what it has to say about arguments, which every rank would print."""

    def error(self, message: str) -> NoReturn:
        """See argparse."""
        raise ValueError(message)


def options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = Parser(description="The inner product of two vectors that all ranks share.", allow_abbrev=False)
    parser.add_argument("--length", type=int, default=2**18, metavar="N", help="elements of a vector (262144)")
    parser.add_argument("--iterations", type=int, default=100, metavar="N", help="how often it is computed (100)")
    given = parser.parse_args()
    if given.iterations < 1:
        raise ValueError(f"--iterations {given.iterations} is not a positive number")
    return given


def run(given: argparse.Namespace, world: MPI.Comm) -> int:
    """Compute, check the result, say how long it took. Gives the exit code."""
    solver = InnerProduct(world, given.length)
    solver.advance(1)  # finds the vectors in the cache, as later ones do
    solver.communication_ns = 0
    world.Barrier()
    begun = MPI.Wtime()
    solver.advance(given.iterations)
    seconds = world.allreduce(MPI.Wtime() - begun, op=MPI.MAX)
    reductions = world.allreduce(solver.communication_ns * 1e-9, op=MPI.MAX)
    part, _ = solver.part()
    error = world.bcast(abs(part[0] / exact(given.length) - 1) if world.rank == 0 else None)
    if world.rank == 0:
        ranks = "1 rank" if world.size == 1 else f"{world.size} ranks"
        print(f"{given.length} elements, {given.iterations} times, {ranks}")
        rate = given.length * given.iterations / seconds
        share = reductions / seconds
        print(f"{seconds:.3f} s, {rate * 1e-6:.1f} million elements a second, at most {share:.1%} of it in reductions")
        print(f"inner product: {part[0]:.17g}, relative error {error:.1e}")
        if not error <= ALLOWED:
            print("The result is wrong.", file=sys.stderr)
    solver.free()
    return 0 if error <= ALLOWED else 1


def main() -> int:
    """Run with the arguments of the command line. Gives the exit code: 2 if they cannot be followed."""
    world = MPI.COMM_WORLD
    try:
        return run(options(), world)
    except ValueError as error:
        if world.rank == 0:
            print(f"inner_product_mpi4py.py: {error}", file=sys.stderr, flush=True)
        world.Barrier()  # the first rank that ends with an error ends the others, too
        return 2


if __name__ == "__main__":
    sys.exit(main())
