"""Numbers sorted on all ranks, each of which has a part of them: ../sort.py with mpi4py.

    mpiexec -n 2 python examples/applications/with_mpi4py/sort_mpi4py.py --length 1048576

The keys are those of the program with polympi, and so are the method and what is printed.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from mpi4py import MPI

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

    def __init__(self, world: MPI.Comm, length: int) -> None:
        if length >= FACTOR:
            raise ValueError(f"{length} keys cannot be made: there are at most {FACTOR - 1}")
        if length < world.size:
            raise ValueError(f"{length} keys are too few for {world.size} ranks: each needs one")
        self.world, self.length = world, length
        self.communication_ns = 0
        fits = True
        try:
            self.keys = self._first_keys()
        except MemoryError:
            fits = False
        if not world.allreduce(fits, op=MPI.LAND):
            raise ValueError("there is no memory for the keys on one of the ranks")
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

            shown = np.empty(size * size)
            begun = time.perf_counter_ns()
            self.world.Allgather(samples, shown)
            self.communication_ns += time.perf_counter_ns() - begun

            splitters = np.sort(shown)[size::size]  # the first key of each rank but rank 0
            cuts = np.concatenate(([0], np.searchsorted(mine, splitters), [mine.size]))
            counts = np.diff(cuts)
            incoming = np.empty_like(counts)

            begun = time.perf_counter_ns()
            self.world.Alltoall(counts, incoming)
            ends = np.cumsum(incoming)
            self.sorted = np.empty(ends[-1])
            self.world.Alltoallv(
                [mine, counts, cuts[:-1], MPI.DOUBLE], [self.sorted, incoming, ends - incoming, MPI.DOUBLE]
            )
            self.communication_ns += time.perf_counter_ns() - begun

            self.sorted.sort(kind="stable")  # finds the runs and merges them; the usual kind would sort anew

    def part(self) -> tuple[Keys, tuple[int, ...]]:
        """This rank's keys, sorted, and how many keys the ranks below have."""
        return self.sorted, (self.world.exscan(self.sorted.size) or 0,)

    def free(self) -> None:
        """Nothing: no communicator and no type was made."""


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


def run(given: argparse.Namespace, world: MPI.Comm) -> int:
    """Sort, check the result, say how long it took. Gives the exit code."""
    solver = Sort(world, given.length)
    solver.advance(1)  # finds the memory that later ones have, too
    solver.communication_ns = 0
    world.Barrier()
    begun = time.perf_counter()
    solver.advance(given.iterations)
    seconds = world.allreduce(time.perf_counter() - begun, op=MPI.MAX)
    exchange = world.allreduce(solver.communication_ns * 1e-9, op=MPI.MAX)
    part, (start,) = solver.part()
    right = world.allreduce(np.array_equal(part, np.arange(start, start + part.size)), op=MPI.LAND)
    complete = world.allreduce(part.size) == given.length
    most = world.allreduce(part.size, op=MPI.MAX)
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
    world = MPI.COMM_WORLD
    try:
        return run(options(), world)
    except ValueError as error:
        if world.rank == 0:
            print(f"sort_mpi4py.py: {error}", file=sys.stderr, flush=True)
        world.Barrier()  # the first rank that ends with an error ends the others, too
        return 2


if __name__ == "__main__":
    sys.exit(main())
