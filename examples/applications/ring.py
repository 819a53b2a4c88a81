"""A number that goes around all ranks, each of which adds one: how long a message takes from rank to rank.

    mpiexec -n 4 python examples/applications/ring.py --laps 1000

Each rank receives from the rank before it and sends to the one behind it; rank 0 begins each lap and ends it. After L
laps of N ranks the number is L N.
"""

import sys

from methods.driver import main
from methods.ring import options, run

import polympi as mpi


def ring(world: mpi.Communicator, laps: int) -> int:
    """Send the number around this many times. All ranks call it; rank 0 returns the number that came home."""
    before, behind = (world.rank - 1) % world.size, (world.rank + 1) % world.size
    number = 0
    for _ in range(laps):
        if world.rank == 0:
            sent = world.isend(number, dest=behind)  # does not wait, so that a single rank can send to itself
            number = world.recv(source=before) + 1
            sent.wait()
        else:
            number = world.recv(source=before) + 1
            world.send(number, dest=behind)
    return number


if __name__ == "__main__":
    sys.exit(main(__file__, mpi.world, options, run, ring))
