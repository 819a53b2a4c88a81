"""Numbers sorted on all ranks, each of which has a part of them: a sample sort.

    mpiexec -n 2 python examples/applications/sort.py --length 1048576

Each rank sorts its keys, and shows samples of them, at equal distances, to all. The samples tell which keys shall go to
which rank; then each rank sends the others their keys, and merges what it receives, one sorted run from each rank. At
the end rank 0 has the least keys, and rank 1 those that follow. After H. Shi and J. Schaeffer, Parallel sorting by
regular sampling, J. Parallel Distrib. Comput. 14 (1992).

Key number i of n is (2654435761 i + 12345) mod n. The factor is prime, so the keys are 0, 1, ..., n - 1 in another
order, and number g of the sorted ones is g.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING, NoReturn

import numpy as np

import polympi as mpi

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Keys = NDArray[np.float64]

FACTOR = 2654435761  # of the keys; products with them are below 2^64


class Sort:
    """The solver. All ranks call each of its methods.

    Args:
        world: the ranks.
        length: number of keys; at first the ranks' parts differ by one key at most.

    Attributes:
        communication_ns: nanoseconds that this rank has spent in sending and receiving keys, samples included.

    Raises:
        ValueError: on all ranks; the length is below the number of ranks, or too large for the keys or for memory.
    """

    def __init__(self, world: mpi.Communicator, length: int) -> None:
        if length >= FACTOR:
            raise ValueError(f"{length} keys cannot be made: there are at most {FACTOR - 1}")
        if length < world.size:
            raise ValueError(f"{length} keys are too few for {world.size} ranks: each needs one")
        self.world, self.length = world, length
        self.communication_ns = 0
        problem = None
        try:
            self.keys = self._first_keys()
        except MemoryError as error:
            problem = f"there is no memory for the keys: {error}"
        problems = [text for text in world.allgather(problem) if text]
        if problems:
            raise ValueError(problems[0])
        self.restart()

    def _first_keys(self) -> Keys:
        """This rank's, before they are sorted."""
        each, more = divmod(self.length, self.world.size)
        start = self.world.rank * each + min(self.world.rank, more)
        i = np.arange(start, start + each + (self.world.rank < more), dtype=np.uint64)
        return ((i * np.uint64(FACTOR) + np.uint64(12345)) % np.uint64(self.length)).astype(np.float64)

    def restart(self) -> None:
        """Forget the result."""
        self.sorted = self.keys[:0]

    def advance(self, iterations: int) -> None:
        """Sort the keys, as they were at first, so many times."""
        size = self.world.size
        for _ in range(iterations):
            mine = np.sort(self.keys)
            samples = mine[np.arange(size) * mine.size // size]

            begun = time.perf_counter_ns()
            shown = self.world.allgather(samples)
            self.communication_ns += time.perf_counter_ns() - begun

            splitters = np.sort(np.concatenate(shown))[size::size]  # the first key of each rank but rank 0
            pieces = np.split(mine, np.searchsorted(mine, splitters))

            begun = time.perf_counter_ns()
            runs = self.world.alltoall(pieces)  # of any lengths: nobody has to tell them to the others
            self.communication_ns += time.perf_counter_ns() - begun

            self.sorted = np.concatenate(runs)
            self.sorted.sort(kind="stable")  # finds the runs and merges them; the usual kind would sort anew

    def part(self) -> tuple[Keys, tuple[int, ...]]:
        """This rank's keys, sorted, and how many keys the ranks below have."""
        return self.sorted, (self.world.exscan(self.sorted.size) or 0,)

    def free(self) -> None:
        """Nothing: no plan and no communicator was made."""


class Parser(argparse.ArgumentParser):
    """Raises what it has to say about arguments, which every rank would print."""

    def error(self, message: str) -> NoReturn:
        """See argparse."""
        raise ValueError(message)


def options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = Parser(description="Sort numbers on all ranks.", allow_abbrev=False)
    parser.add_argument("--length", type=int, default=2**20, metavar="N", help="how many (1048576)")
    parser.add_argument("--iterations", type=int, default=10, metavar="N", help="how often they are sorted (10)")
    given = parser.parse_args()
    if given.iterations < 1:
        raise ValueError(f"--iterations {given.iterations} is not a positive number")
    return given


def run(given: argparse.Namespace, world: mpi.Communicator) -> int:
    """Sort, check the result, say how long it took. Gives the exit code."""
    solver = Sort(world, given.length)
    solver.advance(1)  # finds the memory that later ones have, too
    solver.communication_ns = 0
    world.barrier()
    begun = time.perf_counter()
    solver.advance(given.iterations)
    seconds = world.allreduce(time.perf_counter() - begun, op=mpi.MAX)
    exchange = world.allreduce(solver.communication_ns * 1e-9, op=mpi.MAX)
    part, (start,) = solver.part()
    right = world.allreduce(np.array_equal(part, np.arange(start, start + part.size)), op=mpi.LAND)
    complete = world.allreduce(part.size) == given.length
    most = world.allreduce(part.size, op=mpi.MAX)
    if world.rank == 0:
        ranks = "1 rank" if world.size == 1 else f"{world.size} ranks"
        print(f"{given.length} keys, {given.iterations} times, {ranks}")
        rate = given.length * given.iterations / seconds
        share = exchange / seconds
        print(f"{seconds:.3f} s, {rate * 1e-6:.1f} million keys a second, at most {share:.1%} of it in the exchange")
        print(f"largest part: {most} keys, {most * world.size / given.length:.2f} of the mean")
        if not (right and complete):
            print("The result is wrong.", file=sys.stderr)
    solver.free()
    return 0 if right and complete else 1


def main() -> int:
    """Run with the arguments of the command line. Gives the exit code: 2 if they cannot be followed."""
    world = mpi.world
    try:
        return run(options(), world)
    except ValueError as error:
        if world.rank == 0:
            print(f"sort.py: {error}", file=sys.stderr, flush=True)
        world.barrier()  # the first rank that ends with an error ends the others, too
        return 2


if __name__ == "__main__":
    sys.exit(main())
