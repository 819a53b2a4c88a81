"""Pi by Monte Carlo: how many of random points in a square are in the circle.

    mpiexec -n 4 python -m polympi --as scientific examples/compat/scientific/pi.py

Each rank has its own random numbers.
"""

import math
import random

from Scientific import MPI, N
from Scientific.MPI import world

points = 50000  # of each rank
random.seed(world.rank)
inside = N.zeros((1,), N.Int)
for _ in range(points):
    if random.random() ** 2 + random.random() ** 2 <= 1:
        inside[0] += 1

total = N.zeros_st((1,), inside)
world.reduce(inside, total, MPI.sum, 0)
if world.rank == 0:
    pi = 4 * total[0] / (points * world.size)
    # Six standard deviations of the mean of this many points.
    assert abs(pi - math.pi) < 6 * math.sqrt(math.pi * (4 - math.pi) / (points * world.size))
    print(f"pi is about {pi}")
