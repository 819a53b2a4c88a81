"""A complete small program: pi, as the area under 4 / (1 + x^2) between 0 and 1.

    mpiexec -n 2 python examples/pi.py

Each rank takes every size-th slice. Alone, ``python examples/pi.py`` is rank 0 of 1 and does it all.
"""

import numpy as np

import polympi as mpi

SLICES = 1_000_000


def main() -> None:
    """Rank 0 decides how many slices there are; everybody gets the sum."""
    world = mpi.world
    slices = world.bcast(SLICES if world.rank == 0 else None)
    middles = (np.arange(world.rank, slices, world.size) + 0.5) / slices
    mine = float((4 / (1 + middles**2)).sum()) / slices
    pi = world.allreduce(mine)
    if world.rank == 0:
        print(f"{world.size} ranks: pi is about {pi:.12f}, off by {abs(pi - np.pi):.1e}")
    assert abs(pi - np.pi) < 1e-11  # the midpoint rule errs by 1 / (12 SLICES^2), rounding by a little more


if __name__ == "__main__":
    main()
