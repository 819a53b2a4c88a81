"""The inner product of two long vectors, of which each rank has a part.

    mpiexec -n 2 python examples/applications/inner_product.py --length 262144

Each rank takes the inner product of its parts, and one reduction adds these up on rank 0. With x_i = 1 / (i + 1) and
y_i = (i + 1) (1 + i mod 3) each term is 1 + i mod 3, so the sum is known.
"""

from __future__ import annotations

import argparse
import functools
import os
import sys
import time
from typing import TYPE_CHECKING, NoReturn

os.environ.setdefault("OMP_NUM_THREADS", "1")  # of NumPy's BLAS: a processor has a rank, and no threads besides

import numpy as np

import polympi as mpi

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Vector = NDArray[np.float64]
    Kernel = Callable[[Vector, Vector], float]

ALLOWED = 1e-12  # relative error; what is added up in another order differs in its last digits


def numpy_kernel() -> Kernel:
    """The inner product of NumPy, which is that of its BLAS."""
    return lambda x, y: float(x @ y)


@functools.cache
def numba_kernel() -> Kernel:
    """A loop that Numba compiles.

    Raises:
        ImportError: there is no Numba.
    """
    import numba  # noqa: PLC0415 - only for who wants it

    @numba.njit(cache=True, fastmath={"reassoc", "contract"})  # in any order: in vectors, in several sums
    def product(x: Vector, y: Vector) -> float:
        total = 0.0
        for i in range(x.size):
            total += x[i] * y[i]
        return total

    product(np.zeros(1), np.zeros(1))  # compiles it now, and not when time is taken
    return product


KERNELS: dict[str, Callable[[], Kernel]] = {"numpy": numpy_kernel, "numba": numba_kernel}


def exact(length: int) -> int:
    """The sum of 1 + i mod 3."""
    return 6 * (length // 3) + (0, 1, 3)[length % 3]


class InnerProduct:
    """The solver. All ranks call each of its methods.

    Args:
        world: the ranks.
        length: of each vector; the ranks' parts differ by one element at most.
        kernel: "numpy" or "numba".

    Attributes:
        value: the inner product on rank 0, when there is one; else None.
        communication_ns: nanoseconds that this rank has spent in reductions.

    Raises:
        ValueError: on all ranks; the vectors have no elements, or a rank does not have the kernel or the memory.
    """

    def __init__(self, world: mpi.Communicator, length: int, kernel: str = "numpy") -> None:
        if length < 1:
            raise ValueError(f"vectors of {length} elements are too short: they need one at least")
        self.world, self.length = world, length
        self.product = self._made(kernel)
        self.communication_ns = 0
        self.restart()

    def _vectors(self) -> tuple[Vector, Vector]:
        """This rank's parts."""
        # As numpy.array_split cuts: of the elements that are left over, each of the first ranks has one.
        each, more = divmod(self.length, self.world.size)
        start = self.world.rank * each + min(self.world.rank, more)
        i = np.arange(start, start + each + (self.world.rank < more))
        return 1 / (i + 1), ((i + 1) * (1 + i % 3)).astype(np.float64)

    def _made(self, kernel: str) -> Kernel:
        """The kernel, with the vectors made; all ranks have both, or all raise."""
        problem = made = None
        try:
            made = KERNELS[kernel]()
            self.x, self.y = self._vectors()
        except KeyError:
            problem = f"there is no kernel {kernel}, but {' and '.join(KERNELS)}"
        except ImportError as error:
            problem = f"the kernel {kernel} needs a package, which pip install {kernel} installs: {error}"
        except MemoryError as error:
            problem = f"there is no memory for the vectors: {error}"
        problems = [text for text in self.world.allgather(problem) if text]
        if problems or made is None:
            raise ValueError(problems[0])
        return made

    def restart(self) -> None:
        """Forget the result."""
        self.value: float | None = None

    def advance(self, iterations: int) -> None:
        """Take the inner product so many times."""
        for _ in range(iterations):
            mine = self.product(self.x, self.y)
            begun = time.perf_counter_ns()
            self.value = self.world.reduce(mine)
            self.communication_ns += time.perf_counter_ns() - begun

    def part(self) -> tuple[Vector, tuple[int, ...]]:
        """The inner product as an array of one element on rank 0, none on the others; and the index of the first."""
        return np.array([] if self.value is None else [self.value]), (0,)

    def free(self) -> None:
        """Nothing: no plan and no communicator was made."""


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
    parser.add_argument("--kernel", default="numpy", choices=list(KERNELS), help="what multiplies (numpy)")
    given = parser.parse_args()
    if given.iterations < 1:
        raise ValueError(f"--iterations {given.iterations} is not a positive number")
    return given


def run(given: argparse.Namespace, world: mpi.Communicator) -> int:
    """Compute, check the result, say how long it took. Gives the exit code."""
    solver = InnerProduct(world, given.length, given.kernel)
    solver.advance(1)  # finds the vectors in the cache, as later ones do
    solver.communication_ns = 0
    world.barrier()
    begun = time.perf_counter()
    solver.advance(given.iterations)
    seconds = world.allreduce(time.perf_counter() - begun, op=mpi.MAX)
    reductions = world.allreduce(solver.communication_ns * 1e-9, op=mpi.MAX)
    part, _ = solver.part()
    error = world.bcast(abs(part[0] / exact(given.length) - 1) if world.rank == 0 else None)
    if world.rank == 0:
        ranks = "1 rank" if world.size == 1 else f"{world.size} ranks"
        print(f"{given.length} elements, {given.iterations} times, {ranks}, {given.kernel}")
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
    world = mpi.world
    try:
        return run(options(), world)
    except ValueError as error:
        if world.rank == 0:
            print(f"inner_product.py: {error}", file=sys.stderr, flush=True)
        world.barrier()  # the first rank that ends with an error ends the others, too
        return 2


if __name__ == "__main__":
    sys.exit(main())
