"""The inner product of two long vectors, of which each rank has a part.

Each rank takes the inner product of its parts, and one reduction adds these up on rank 0. With x_i = 1 / (i + 1) and
y_i = (i + 1) (1 + i mod 3) each term is 1 + i mod 3, so the sum is known.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # of NumPy's BLAS: each rank has one processor

import numpy as np

from methods.driver import Parser, measured, ranks_of, verdict
from methods.ranks import Solver, made_on_all, part_of

if TYPE_CHECKING:
    import argparse

    from methods.interfaces import Field, Ranks

    Kernel = Callable[[Field, Field], float]

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
    def product(x: Field, y: Field) -> float:
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


class Vectors(Solver):
    """This rank's parts of the vectors, and what is known of their inner product. All ranks call each of its methods.

    Args:
        world: the ranks.
        length: of each vector; the ranks' parts differ by one element at most.
        kernel: "numpy" or "numba".

    Attributes:
        value: the inner product on rank 0, when there is one.

    Raises:
        ValueError: on all ranks; the vectors have no elements, or a rank does not have the kernel or the memory.
    """

    def __init__(self, world: Ranks, length: int, kernel: str = "numpy") -> None:
        if length < 1:
            raise ValueError(f"vectors of {length} elements are too short: they need one at least")
        if kernel not in KERNELS:
            raise ValueError(f"there is no kernel {kernel}, but {' and '.join(KERNELS)}")
        self.world: Any = world
        self.first, self.last = part_of(length, world.size, world.rank)
        made_on_all(world, "the vectors", functools.partial(self._allocate, kernel))
        self.restart()

    def _allocate(self, kernel: str) -> None:
        self.product = KERNELS[kernel]()
        i = np.arange(self.first, self.last)
        self.x, self.y = 1 / (i + 1), ((i + 1) * (1 + i % 3)).astype(np.float64)

    def restart(self) -> None:
        """Forget the result."""
        self.value: Any = None

    def advance(self, iterations: int) -> None:
        """Take the inner product this many times, in the style of a program."""
        raise NotImplementedError

    def part(self) -> tuple[Field, tuple[int, ...]]:
        """The inner product as an array of one element on rank 0, none on the others; and the index of the first."""
        return np.reshape([] if self.value is None or self.world.rank else self.value, -1), (0,)

    def free(self) -> None:
        """Nothing: no plan and no communicator was made."""


def options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = Parser("The inner product of two vectors that all ranks share.", KERNELS)
    parser.add_argument("--length", type=int, default=2**18, metavar="N", help="elements of a vector (262144)")
    parser.add_argument("--iterations", type=int, default=100, metavar="N", help="how often it is computed (100)")
    return parser.numbers("iterations")


def run(given: argparse.Namespace, world: Ranks, made: Callable[..., Vectors]) -> int:
    """Compute, check the result, say how long it took. Gives the exit code."""
    solver = made(world, given.length, given.kernel)
    solver.advance(1)  # finds the vectors in the cache, as later ones do
    seconds, share = measured(world, solver, functools.partial(solver.advance, given.iterations))
    (product,) = world.allgather(solver.part()[0])[0]
    error = abs(product / exact(given.length) - 1)
    rate = given.length * given.iterations / seconds
    return verdict(
        world,
        error <= ALLOWED,
        f"{given.length} elements, {given.iterations} times, {ranks_of(world)}, {given.kernel}",
        f"{seconds:.3f} s, {rate * 1e-6:.1f} million elements a second, at most {share:.1%} of it in reductions",
        f"inner product: {product:.17g}, relative error {error:.1e}",
    )
