"""Step 3: a wave on a string; each rank has a piece of it, and one ghost point at each end.

    mpiexec -n 2 python examples/steps/step3_ghost_points.py

Neighbours send each other the last points of their pieces, in each time step.
"""

import math

import numpy as np

import polympi as mpi

POINTS, STEPS = 201, 400
A = 0.25  # (time step / spacing)^2; at most 1, or errors grow without end

world = mpi.world
left = world.rank - 1 if world.rank > 0 else mpi.PROC_NULL  # no neighbour: sends and receives do nothing
right = world.rank + 1 if world.rank < world.size - 1 else mpi.PROC_NULL

first, stop = POINTS * world.rank // world.size, POINTS * (world.rank + 1) // world.size
start = np.cos(np.pi * np.arange(first, stop) / (POINTS - 1))

u = np.zeros(stop - first + 2)  # u[0] and u[-1] are ghost points
u[1:-1] = start
before = np.zeros_like(start)

for step in range(STEPS):
    world.sendrecv(u[1:2], dest=left, source=right, into=u[-1:])
    world.sendrecv(u[-2:-1], dest=right, source=left, into=u[:1])
    if left == mpi.PROC_NULL:
        u[0] = u[2]  # a wall, which reflects
    if right == mpi.PROC_NULL:
        u[-1] = u[-3]

    half = 0.5 if step == 0 else 1.0  # the string begins at rest
    after = half * (A * (u[:-2] + u[2:]) + (2 - 2 * A) * u[1:-1]) - before
    before[:] = u[1:-1]
    u[1:-1] = after

exact = start * math.cos(STEPS * math.acos(1 + A * (math.cos(math.pi / (POINTS - 1)) - 1)))
error = world.allreduce(float(abs(u[1:-1] - exact).max()), op=mpi.MAX)  # the largest one, on all ranks
if world.rank == 0:
    print(f"{world.size} ranks, {STEPS} steps: the largest error is {error:.1e}")
assert error < 1e-11
