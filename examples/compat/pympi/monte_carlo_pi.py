"""Pi by Monte Carlo: the part of random points in a square that lie in the circle.

    mpiexec -n 4 python -m polympi --as pympi examples/compat/pympi/monte_carlo_pi.py

Each rank has random points of its own.
"""

import math
import random

import mpi

POINTS = 40_000  # of all ranks

random.seed(mpi.rank)
mine = POINTS // mpi.size
inside = sum(random.random() ** 2 + random.random() ** 2 < 1 for _ in range(mine))
whole = mpi.allreduce(inside, mpi.SUM)
points = mpi.allreduce(mine, mpi.SUM)
pi = 4 * whole / points
if mpi.rank == 0:
    print(f"{points} points on {mpi.size} ranks: pi is about {pi:.3f}")
# The standard deviation is 4 sqrt(p (1 - p) / points) with p = pi / 4; six of them are hardly ever exceeded.
assert abs(pi - math.pi) < 6 * 4 * math.sqrt(math.pi / 4 * (1 - math.pi / 4) / points)
