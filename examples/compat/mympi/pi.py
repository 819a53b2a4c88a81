"""Pi by the Monte Carlo method: how many of many random points of a square are in the circle.

mpiexec -n 4 python -m polympi --as mympi examples/compat/mympi/pi.py
"""

import sys

import mpi
import numpy

sys.argv = mpi.mpi_init(len(sys.argv), sys.argv)
myid = mpi.mpi_comm_rank(mpi.MPI_COMM_WORLD)
numnodes = mpi.mpi_comm_size(mpi.MPI_COMM_WORLD)

# Processor 0 says how many points each one takes.
points = int(mpi.mpi_bcast(400000 // numnodes, 1, mpi.MPI_INT, 0, mpi.MPI_COMM_WORLD)[0])
place = numpy.random.default_rng(myid).random((points, 2))
inside = (place[:, 0] ** 2 + place[:, 1] ** 2 < 1).sum()

total = mpi.mpi_reduce(inside, 1, mpi.MPI_INT, mpi.MPI_SUM, 0, mpi.MPI_COMM_WORLD)

if myid == 0:
    pi = 4 * total[0] / (points * numnodes)
    print(f"{points * numnodes} points on {numnodes} processors: pi is about {pi:.4f}")
    assert abs(pi - numpy.pi) < 5 * 1.65 / (points * numnodes) ** 0.5  # five standard deviations
else:
    assert len(total) == 0

mpi.mpi_finalize()
