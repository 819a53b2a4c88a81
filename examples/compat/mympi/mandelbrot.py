"""The Mandelbrot set: each processor computes some lines, as many as it gets, and processor 0 gathers them.

mpiexec -n 3 python -m polympi --as mympi examples/compat/mympi/mandelbrot.py
"""

import sys

import mpi
import numpy

WIDTH, HEIGHT, STEPS = 60, 25, 50


def lines(first, behind):
    """How many steps the points of some lines stay near 0."""
    real = numpy.linspace(-2.2, 0.8, WIDTH)
    imaginary = numpy.linspace(-1.2, 1.2, HEIGHT)[first:behind, None]
    c = real + 1j * imaginary
    z = numpy.zeros_like(c)
    counts = numpy.zeros(c.shape, dtype="i")
    for _ in range(STEPS):
        near = abs(z) < 2
        z[near] = z[near] ** 2 + c[near]
        counts += near
    return counts


sys.argv = mpi.mpi_init(len(sys.argv), sys.argv)
myid = mpi.mpi_comm_rank(mpi.MPI_COMM_WORLD)
numnodes = mpi.mpi_comm_size(mpi.MPI_COMM_WORLD)

begins = [HEIGHT * rank // numnodes for rank in range(numnodes + 1)]
counts = [WIDTH * (begins[rank + 1] - begins[rank]) for rank in range(numnodes)]
displs = [WIDTH * begin for begin in begins[:-1]]

mine = lines(begins[myid], begins[myid + 1])
whole = mpi.mpi_gatherv(mine, counts[myid], mpi.MPI_INT, counts, displs, mpi.MPI_INT, 0, mpi.MPI_COMM_WORLD)

if myid == 0:
    whole = whole.reshape(HEIGHT, WIDTH)  # received arrays have one axis
    for row in whole:
        print("".join(" .:-=+*#"[min(7, count // 7)] for count in row))
    assert (whole == lines(0, HEIGHT)).all()
else:
    assert len(whole) == 0

mpi.mpi_finalize()
