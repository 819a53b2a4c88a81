"""Pi by the Monte Carlo method: how many of many random points of a square are in the circle.

mpiexec -n 4 python -m polympi --as pypar examples/compat/pypar/pi.py
"""

import numpy
import pypar

numproc = pypar.size()
myid = pypar.rank()

POINTS = 400000
first, behind = pypar.balance(POINTS, numproc, myid)
points = numpy.random.default_rng(myid).random((behind - first, 2))

inside = numpy.array([(points[:, 0] ** 2 + points[:, 1] ** 2 < 1).sum(), behind - first], float)
total = numpy.zeros(2)
pypar.reduce(inside, pypar.SUM, 0, buffer=total)

if myid == 0:
    pi = 4 * total[0] / total[1]
    print(f"{POINTS} points on {numproc} processors: pi is about {pi:.4f}")
    assert total[1] == POINTS
    assert abs(pi - numpy.pi) < 5 * 1.65 / POINTS**0.5  # five standard deviations, each 4 sqrt(p (1 - p) / n)

pypar.finalize()
