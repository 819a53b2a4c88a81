"""Heat in a plate that is hot at its left side, by Jacobi's method: the columns are divided, and edges exchanged.

It is written as scripts of the time of Numeric were.

mpiexec -n 3 python -m polympi --as mympi examples/compat/mympi/stencil.py
"""
# ruff: noqa: F403, F405  (all names of both modules, as scripts of that time have them)

import sys

from mpi import *
from Numeric import *

ROWS, COLUMNS, STEPS = 8, 12, 200


def step(psi):
    """Each inner point becomes the mean of its neighbours."""
    new = array(psi)
    new[1:-1, 1:-1] = (psi[:-2, 1:-1] + psi[2:, 1:-1] + psi[1:-1, :-2] + psi[1:-1, 2:]) / 4
    return new


def plate(first, behind):
    """Some of the columns at the beginning, with one more at each side."""
    psi = zeros((ROWS + 2, behind - first + 2), Float)
    if first == 0:
        psi[:, 0] = 100
    return psi


sys.argv = mpi_init(len(sys.argv), sys.argv)
myid = mpi_comm_rank(MPI_COMM_WORLD)
numnodes = mpi_comm_size(MPI_COMM_WORLD)
left = myid - 1 if myid > 0 else MPI_PROC_NULL
right = myid + 1 if myid < numnodes - 1 else MPI_PROC_NULL
first, behind = COLUMNS * myid // numnodes, COLUMNS * (myid + 1) // numnodes


def exchange(psi):
    """The neighbours' columns next to this rank's: even processors send first, odd ones receive first."""
    n = ROWS + 2
    for turn in 0, 1:
        if myid % 2 == turn:
            mpi_send(psi[:, 1], n, MPI_DOUBLE, left, 100, MPI_COMM_WORLD)
            mpi_send(psi[:, -2], n, MPI_DOUBLE, right, 100, MPI_COMM_WORLD)
        else:
            if right != MPI_PROC_NULL:
                psi[:, -1] = mpi_recv(n, MPI_DOUBLE, right, 100, MPI_COMM_WORLD)
            if left != MPI_PROC_NULL:
                psi[:, 0] = mpi_recv(n, MPI_DOUBLE, left, 100, MPI_COMM_WORLD)


psi = plate(first, behind)
for _ in range(STEPS):
    exchange(psi)
    psi = step(psi)

counts = [(ROWS + 2) * (COLUMNS * (rank + 1) // numnodes - COLUMNS * rank // numnodes) for rank in range(numnodes)]
displs = [sum(array(counts[:rank], Int)) for rank in range(numnodes)]
mine = transpose(psi[:, 1:-1])  # columns become rows, which follow one another
whole = mpi_gatherv(mine, counts[myid], MPI_DOUBLE, counts, displs, MPI_DOUBLE, 0, MPI_COMM_WORLD)

if myid == 0:
    alone = plate(0, COLUMNS)
    for _ in range(STEPS):
        alone = step(alone)
    assert allclose(transpose(reshape(whole, (COLUMNS, ROWS + 2))), alone[:, 1:-1])
    print("A row in the middle:", " ".join(f"{value:.0f}" for value in alone[ROWS // 2, 1:-1]))

mpi_finalize()
