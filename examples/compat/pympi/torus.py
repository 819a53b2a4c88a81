"""A mesh of ranks that is a torus: each passes its coordinates to its neighbours.

    mpiexec -n 4 python -m polympi --as pympi examples/compat/pympi/torus.py

Periodic axes have no ends, and so every rank has all neighbours.
"""

import mpi

dims = [2, mpi.size // 2] if mpi.size % 2 == 0 else [1, mpi.size]
torus = mpi.cartesian_communicator(mpi.WORLD, dims)  # periodic along all axes unless periods say otherwise
place = torus.coords()
for axis in range(torus.ndims):
    source, dest = torus.shift(axis, 1)
    neighbour, status = torus.sendrecv(place, dest, source)
    expected = list(place)
    expected[axis] = (expected[axis] - 1) % dims[axis]
    assert neighbour == tuple(expected)
    assert neighbour == torus.coords(status.source)

# The ranks are a sequence: every second one makes its own communicator.
some = mpi.WORLD.comm_create(mpi.WORLD[::2])
if some:
    assert some.allgather([mpi.rank]) == list(range(0, mpi.size, 2))
mpi.synchronizedWriteln("rank", mpi.rank, "is at", place, "and", "in" if some else "not in", "the group of even ranks")
