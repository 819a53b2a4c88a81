"""Step 5: the same wave; points are updated by a compiled loop, most of them while messages are in flight.

    mpiexec -n 4 python examples/steps/step5_overlap.py

Needs Numba: pip install numba
"""

import math

import numba
import numpy as np

import polympi as mpi

EDGE, STEPS = 41, 60
A = 0.25  # (time step / spacing)^2; at most 1/3


@numba.njit
def update(u: np.ndarray, after: np.ndarray, box: tuple[tuple[int, int], ...], half: float) -> None:
    """The next values of the points in a box, in the place of those of the step before."""
    for i in range(*box[0]):
        for j in range(*box[1]):
            for k in range(*box[2]):
                around = u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k] + u[i, j + 1, k]
                around += u[i, j, k - 1] + u[i, j, k + 1]
                after[i, j, k] = half * (A * around + (2 - 6 * A) * u[i, j, k]) - after[i, j, k]


cart = mpi.world.cart(ndim=3)
assert cart is not None
block = cart.block((EDGE, EDGE, EDGE))
cosines = [np.cos(np.pi * np.arange(*ends) / (EDGE - 1)) for ends in zip(block.start, block.stop, strict=True)]
x, y, z = np.ix_(*cosines)
start = 2 * x * y * z

fields = [np.zeros([points + 2 for points in block.shape]) for _ in range(2)]  # u, and the step before, by turns
fields[0][1:-1, 1:-1, 1:-1] = start
halos = [cart.halo(field) for field in fields]

# A box for the points inside, then one for each side; together they are all points, each of them once.
n0, n1, n2 = block.shape
inside = ((2, n0), (2, n1), (2, n2))
sides = [
    *(((i, i + 1), (1, n1 + 1), (1, n2 + 1)) for i in (1, n0)),
    *(((2, n0), (j, j + 1), (1, n2 + 1)) for j in (1, n1)),
    *(((2, n0), (2, n1), (k, k + 1)) for k in (1, n2)),
]

for step in range(STEPS):
    half = 0.5 if step == 0 else 1.0
    u, after = fields
    halos[0].start()
    update(u, after, inside, half)  # needs no ghost points
    halos[0].finish()

    for axis in range(3):
        below, above = cart.shift(axis)
        layers = u.swapaxes(0, axis)
        if below == mpi.PROC_NULL:
            layers[0] = layers[2]
        if above == mpi.PROC_NULL:
            layers[-1] = layers[-3]
    for side in sides:
        update(u, after, side, half)
    fields.reverse()
    halos.reverse()

u = fields[0]
exact = start * math.cos(STEPS * math.acos(1 + 3 * A * (math.cos(math.pi / (EDGE - 1)) - 1)))
error = cart.allreduce(float(abs(u[1:-1, 1:-1, 1:-1] - exact).max()), op=mpi.MAX)
if cart.rank == 0:
    print(f"{cart.dims} ranks, {STEPS} steps: the largest error is {error:.1e}")
assert error < 1e-11
for halo in halos:
    halo.free()
cart.free()
