"""Numbers sorted on all ranks, each of which has a part of them: a sample sort.

Each rank sorts its keys, and shows samples of them, at equal distances, to all. The samples tell which keys shall go to
which rank; then each rank sends the others their keys, and merges what it receives, one sorted run from each rank. At
the end rank 0 has the least keys, and rank 1 those that follow. After H. Shi and J. Schaeffer, Parallel sorting by
regular sampling, J. Parallel Distrib. Comput. 14 (1992).

Key number i of n is (2654435761 i + 12345) mod n. The factor is prime, so the keys are 0, 1, ..., n - 1 in another
order, and number g of the sorted ones is g.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from methods.driver import Parser, largest, measured, ranks_of, verdict
from methods.ranks import Solver, made_on_all, part_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from numpy.typing import NDArray

    from methods.interfaces import Field, Ranks

FACTOR = 2654435761  # of the keys; products with them are below 2^64


class Keys(Solver):
    """The solver. All ranks call each of its methods.

    Args:
        world: the ranks.
        length: number of keys; at first the ranks' parts differ by one key at most.

    Raises:
        ValueError: on all ranks; the length is below the number of ranks, or too large for the keys or for memory.
    """

    def __init__(self, world: Ranks, length: int) -> None:
        if length >= FACTOR:
            raise ValueError(f"{length} keys cannot be made: there are at most {FACTOR - 1}")
        if length < world.size:
            raise ValueError(f"{length} keys are too few for {world.size} ranks: each needs one")
        self.world: Any = world
        self.length = length
        made_on_all(world, "the keys", self._allocate)
        self.restart()

    def _allocate(self) -> None:
        """Make this rank's keys, before they are sorted."""
        i = np.arange(*part_of(self.length, self.world.size, self.world.rank), dtype=np.uint64)
        self.keys = ((i * np.uint64(FACTOR) + np.uint64(12345)) % np.uint64(self.length)).astype(np.float64)

    def restart(self) -> None:
        """Forget the result."""
        self.sorted = self.keys[:0]

    def advance(self, iterations: int) -> None:
        """Sort the keys, as they were at first, this many times."""
        size = self.world.size
        for _ in range(iterations):
            mine = np.sort(self.keys)
            shown = self._shown(mine[np.arange(size) * mine.size // size])
            splitters = np.sort(shown)[size::size]  # the first key of each rank but rank 0
            self.sorted = self._dealt(mine, np.searchsorted(mine, splitters))
            self.sorted.sort(kind="stable")  # finds the runs and merges them; the usual kind would sort from scratch

    def _shown(self, samples: Field) -> Field:
        """The samples of all ranks, in the style of a program."""
        raise NotImplementedError

    def _dealt(self, mine: Field, cuts: NDArray[np.intp]) -> Field:
        """The keys of all ranks for this one, run after run, where each cuts its own, in the style of a program."""
        raise NotImplementedError

    def part(self) -> tuple[Field, tuple[int, ...]]:
        """This rank's keys, sorted, and how many keys the ranks below have."""
        return self.sorted, (self.world.exscan(self.sorted.size) or 0,)

    def free(self) -> None:
        """Nothing: no plan and no communicator was made."""


def options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = Parser("Sort numbers on all ranks.")
    parser.add_argument("--length", type=int, default=2**20, metavar="N", help="how many (1048576)")
    parser.add_argument("--iterations", type=int, default=10, metavar="N", help="how often they are sorted (10)")
    return parser.numbers("iterations")


def run(given: argparse.Namespace, world: Ranks, made: Callable[..., Keys]) -> int:
    """Sort, check the result, say how long it took. Gives the exit code."""
    solver = made(world, given.length)
    solver.advance(1)  # finds the memory that later ones have, too
    seconds, share = measured(world, solver, partial(solver.advance, given.iterations))
    part, (start,) = solver.part()
    right = all(world.allgather(np.array_equal(part, np.arange(start, start + part.size))))
    complete = sum(world.allgather(part.size)) == given.length
    most = int(largest(world, part.size))
    rate = given.length * given.iterations / seconds
    return verdict(
        world,
        right and complete,
        f"{given.length} keys, {given.iterations} times, {ranks_of(world)}",
        f"{seconds:.3f} s, {rate * 1e-6:.1f} million keys a second, at most {share:.1%} of it in the exchange",
        f"largest part: {most} keys, {most * world.size / given.length:.2f} of the mean",
    )
