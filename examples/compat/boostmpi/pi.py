"""Pi by Monte Carlo: the part of random points in a square that lie in the circle.

    mpiexec -n 4 python -m polympi --as boostmpi examples/compat/boostmpi/pi.py

Each rank has random points of its own; the counts are added on rank 0.
"""

import math
import operator
import random

import boostmpi as mpi

POINTS = 40_000  # of all ranks

random.seed(mpi.rank)
mine = POINTS // mpi.size
inside = sum(random.random() ** 2 + random.random() ** 2 < 1 for _ in range(mine))
whole = mpi.reduce(mpi.world, inside, operator.add, 0)
points = mpi.reduce(mpi.world, mine, operator.add, 0)
if mpi.rank == 0:
    pi = 4 * whole / points
    print(f"{points} points on {mpi.size} ranks: pi is about {pi:.3f}")
    # The standard deviation is 4 sqrt(p (1 - p) / points), p = pi / 4; six of them are hardly ever exceeded.
    assert abs(pi - math.pi) < 6 * 4 * math.sqrt(math.pi / 4 * (1 - math.pi / 4) / points)
else:
    assert whole is None
