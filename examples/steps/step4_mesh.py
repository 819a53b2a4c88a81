"""Step 4: a wave in a cube; the ranks are a mesh, and each has a block of the cube.

    mpiexec -n 4 python examples/steps/step4_mesh.py

One call fills all ghost points with what up to six neighbours have.
"""

import math

import numpy as np

import polympi as mpi

EDGE, STEPS = 41, 60
A = 0.25  # (time step / spacing)^2; at most 1/3

cart = mpi.world.cart(ndim=3)  # finds how many ranks go along each axis
assert cart is not None  # no rank is left over
block = cart.block((EDGE, EDGE, EDGE))  # which points this rank has
cosines = [np.cos(np.pi * np.arange(*ends) / (EDGE - 1)) for ends in zip(block.start, block.stop, strict=True)]
x, y, z = np.ix_(*cosines)
start = 2 * x * y * z

u = np.zeros([points + 2 for points in block.shape])  # one ghost layer around the block
u[1:-1, 1:-1, 1:-1] = start
before = np.zeros_like(start)

halo = cart.halo(u)
for step in range(STEPS):
    halo()
    for axis in range(3):
        below, above = cart.shift(axis)
        layers = u.swapaxes(0, axis)
        if below == mpi.PROC_NULL:
            layers[0] = layers[2]  # a wall, which reflects
        if above == mpi.PROC_NULL:
            layers[-1] = layers[-3]

    around = u[:-2, 1:-1, 1:-1] + u[2:, 1:-1, 1:-1]
    around += u[1:-1, :-2, 1:-1] + u[1:-1, 2:, 1:-1]
    around += u[1:-1, 1:-1, :-2] + u[1:-1, 1:-1, 2:]
    half = 0.5 if step == 0 else 1.0  # the wave begins at rest
    after = half * (A * around + (2 - 6 * A) * u[1:-1, 1:-1, 1:-1]) - before
    before[:] = u[1:-1, 1:-1, 1:-1]
    u[1:-1, 1:-1, 1:-1] = after
halo.free()

exact = start * math.cos(STEPS * math.acos(1 + 3 * A * (math.cos(math.pi / (EDGE - 1)) - 1)))
error = cart.allreduce(float(abs(u[1:-1, 1:-1, 1:-1] - exact).max()), op=mpi.MAX)
if cart.rank == 0:
    print(f"{cart.dims} ranks, {STEPS} steps: the largest error is {error:.1e}")
assert error < 1e-11
cart.free()
