"""Numbers of all processors become one: a sum, a maximum, and who has the least; and the sum on all of them.

mpiexec -n 4 python -m polympi --as mympi examples/compat/mympi/reductions.py
"""

import sys

import mpi
import numpy

sys.argv = mpi.mpi_init(len(sys.argv), sys.argv)
world = mpi.MPI_COMM_WORLD
myid = mpi.mpi_comm_rank(world)
numnodes = mpi.mpi_comm_size(world)

row = numpy.array([myid + 1.0, -myid, 2.0])
total = mpi.mpi_reduce(row, 3, mpi.MPI_DOUBLE, mpi.MPI_SUM, 0, world)
largest = mpi.mpi_reduce(row, 3, mpi.MPI_DOUBLE, mpi.MPI_MAX, 0, world)
least = mpi.mpi_reduce((abs(myid - 1.5), myid), 1, mpi.MPI_DOUBLE_INT, mpi.MPI_MINLOC, 0, world)

if myid == 0:
    print("Sums:", total, "largest:", largest)
    assert list(total) == [numnodes * (numnodes + 1) / 2, -numnodes * (numnodes - 1) / 2, 2 * numnodes]
    assert list(largest) == [numnodes, 0, 2]
    distances = [abs(rank - 1.5) for rank in range(numnodes)]
    print(f"Processor {least['place'][0]} is next to 1.5: {least['value'][0]} away")
    assert least["value"][0] == min(distances)
    assert least["place"][0] == distances.index(min(distances))

# There is no mpi_allreduce: a broadcast after the reduction does the same.
total = mpi.mpi_reduce(row, 3, mpi.MPI_DOUBLE, mpi.MPI_SUM, 0, world)
total = mpi.mpi_bcast(total, 3, mpi.MPI_DOUBLE, 0, world)
assert total[2] == 2 * numnodes

mpi.mpi_finalize()
