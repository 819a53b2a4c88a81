"""A number that goes around all ranks, each of which adds one: ../ring.py with mpi4py.

    mpiexec -n 4 python examples/applications/with_mpi4py/ring_mpi4py.py --laps 1000

The number is an array of one element, as the calls for buffers need it.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import NoReturn

import numpy as np
from mpi4py import MPI


def ring(world: MPI.Comm, laps: int) -> int:
    """Send the number around so many times. All ranks call it; rank 0 returns the number that came home."""
    before, behind = (world.rank - 1) % world.size, (world.rank + 1) % world.size
    number = np.zeros(1, np.int64)
    for _ in range(laps):
        if world.rank == 0:
            sent = world.Isend(number.copy(), dest=behind)  # does not wait: a single rank can send to itself
            world.Recv(number, source=before)
            number += 1
            sent.Wait()
        else:
            world.Recv(number, source=before)
            number += 1
            world.Send(number, dest=behind)
    return int(number[0])


class Parser(argparse.ArgumentParser):
    """Raises what it has to say about arguments, which every rank would print."""

    def error(self, message: str) -> NoReturn:
        """See argparse."""
        raise ValueError(message)


def options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = Parser(description="Send a number around all ranks.", allow_abbrev=False)
    parser.add_argument("--laps", type=int, default=1000, metavar="L", help="how often it goes around (1000)")
    given = parser.parse_args()
    if given.laps < 1:
        raise ValueError(f"--laps {given.laps} is not a positive number")
    return given


def main() -> int:
    """Run with the arguments of the command line. Gives the exit code: 1 if the number is wrong, 2 if they are."""
    world = MPI.COMM_WORLD
    try:
        laps = options().laps
    except ValueError as error:
        if world.rank == 0:
            print(f"ring_mpi4py.py: {error}", file=sys.stderr, flush=True)
        world.Barrier()  # the first rank that ends with an error ends the others, too
        return 2
    ring(world, 1)
    world.Barrier()
    begun = time.perf_counter()
    number = ring(world, laps)
    hop = (time.perf_counter() - begun) / (laps * world.size)
    right = world.bcast(number == laps * world.size if world.rank == 0 else None)
    if world.rank == 0:
        print(f"{laps} laps of {world.size} ranks: the number is {number}, a hop takes {hop * 1e6:.2f} us")
        if not right:
            print("The number is wrong.", file=sys.stderr)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
