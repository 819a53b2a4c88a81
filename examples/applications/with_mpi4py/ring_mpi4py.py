"""A number that goes around all ranks, each of which adds one: ../ring.py with mpi4py.

    mpiexec -n 4 python examples/applications/with_mpi4py/ring_mpi4py.py --laps 1000

The number is an array of one element, as the calls for buffers need it.
"""

import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

sys.path.append(str(Path(__file__).parents[1]))  # what all styles share is there

from methods.driver import main
from methods.ring import options, run


def ring(world: MPI.Comm, laps: int) -> int:
    """Send the number around this many times. All ranks call it; rank 0 returns the number that came home."""
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


if __name__ == "__main__":
    sys.exit(main(__file__, MPI.COMM_WORLD, options, run, ring))
