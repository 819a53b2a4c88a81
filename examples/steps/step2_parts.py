"""Step 2: the same in parallel; each rank has a part of the vectors.

    mpiexec -n 2 python examples/steps/step2_parts.py

One reduction adds up what the ranks have.
"""

import numpy as np

import polympi as mpi

LENGTH = 1_000_003

world = mpi.world
first = LENGTH * world.rank // world.size  # this rank has the elements from here
stop = LENGTH * (world.rank + 1) // world.size  # to here, where the next rank begins

i = np.arange(first, stop)
x = 1 / (i + 1)
y = (i + 1) * (1 + i % 3)

mine = float(x @ y)
product = world.reduce(mine)  # the sum, on rank 0; None on the others

print(f"rank {world.rank} of {world.size} has {stop - first} elements, and {mine:.6f} of the sum")
if product is not None:
    print(f"the inner product is {product:.6f}")
    assert abs(product / (2 * LENGTH - 1) - 1) < 1e-12
