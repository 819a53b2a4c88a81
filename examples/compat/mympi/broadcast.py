"""What processor 0 has goes to all: numbers, an array of two axes, a text. What comes has one axis.

mpiexec -n 4 python -m polympi --as mympi examples/compat/mympi/broadcast.py
"""

import sys

import mpi
import numpy

sys.argv = mpi.mpi_init(len(sys.argv), sys.argv)
myid = mpi.mpi_comm_rank(mpi.MPI_COMM_WORLD)

number = 7 if myid == 0 else None
number = mpi.mpi_bcast(number, 1, mpi.MPI_INT, 0, mpi.MPI_COMM_WORLD)
assert list(number) == [7]

grid = numpy.arange(12.0).reshape(3, 4) if myid == 0 else 0
grid = mpi.mpi_bcast(grid, 12, mpi.MPI_DOUBLE, 0, mpi.MPI_COMM_WORLD)
assert (grid == numpy.arange(12.0)).all()
grid = grid.reshape(3, 4)

# A text whose length only processor 0 knows: the length goes first.
text = "this is a message" if myid == 0 else ""
length = mpi.mpi_bcast(len(text), 1, mpi.MPI_INT, 0, mpi.MPI_COMM_WORLD)[0]
text = "".join(mpi.mpi_bcast(text, length, mpi.MPI_CHAR, 0, mpi.MPI_COMM_WORLD))
assert text == "this is a message"

print(f"Processor {myid} got {number[0]}, an array of {grid.shape}, and '{text}'")

mpi.mpi_finalize()
