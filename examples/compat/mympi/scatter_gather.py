"""Arrays and texts are divided among the processors, and put together again; then all exchange pieces with all.

mpiexec -n 4 python -m polympi --as mympi examples/compat/mympi/scatter_gather.py
"""

import sys

import mpi
import numpy

sys.argv = mpi.mpi_init(len(sys.argv), sys.argv)
world = mpi.MPI_COMM_WORLD
myid = mpi.mpi_comm_rank(world)
numnodes = mpi.mpi_comm_size(world)
EACH = 3

# Equal pieces of an array
whole = numpy.arange(EACH * numnodes, dtype="d") if myid == 0 else []
mine = mpi.mpi_scatter(whole, EACH, mpi.MPI_DOUBLE, EACH, mpi.MPI_DOUBLE, 0, world)
assert (mine == numpy.arange(EACH * myid, EACH * (myid + 1))).all()
together = mpi.mpi_gather(mine**2, EACH, mpi.MPI_DOUBLE, EACH, mpi.MPI_DOUBLE, 0, world)
if myid == 0:
    print("Squares of all numbers:", together)
    assert (together == whole**2).all()

# Equal pieces of a text
text = "".join(letter * EACH for letter in "abcdefghijklmnopqrstuvwxyz"[:numnodes])
part = "".join(mpi.mpi_scatter(text, EACH, mpi.MPI_CHAR, EACH, mpi.MPI_CHAR, 0, world))
assert part == text[EACH * myid : EACH * (myid + 1)]
back = "".join(mpi.mpi_gather(part.upper(), EACH, mpi.MPI_CHAR, EACH, mpi.MPI_CHAR, 0, world))
if myid == 0:
    print("The text in capitals:", back)
    assert back == text.upper()

# Pieces of 1, 2, 3, ... numbers
counts = [rank + 1 for rank in range(numnodes)]
displs = [sum(counts[:rank]) for rank in range(numnodes)]
numbers = list(range(sum(counts)))
piece = mpi.mpi_scatterv(numbers, counts, displs, mpi.MPI_INT, counts[myid], mpi.MPI_INT, 0, world)
assert list(piece) == numbers[displs[myid] : displs[myid] + counts[myid]]
joined = mpi.mpi_gatherv(piece, counts[myid], mpi.MPI_INT, counts, displs, mpi.MPI_INT, 0, world)
assert list(joined) == (numbers if myid == 0 else [])

# Each processor has a number for each other one
given = [100 * myid + rank for rank in range(numnodes)]
taken = mpi.mpi_alltoall(given, 1, mpi.MPI_INT, 1, mpi.MPI_INT, world)
assert list(taken) == [100 * rank + myid for rank in range(numnodes)]

mpi.mpi_finalize()
