"""A message goes around the ring of all ranks, and each of them adds to it.

    mpiexec -n 3 python -m polympi --as boostmpi examples/compat/boostmpi/ring.py

Then arrays move on by one rank, all at the same time.
"""

import boostmpi as mpi
import numpy as np

world = mpi.world
left, right = (world.rank - 1) % world.size, (world.rank + 1) % world.size

if world.rank == 0:
    world.send(right, 0, [0])
    visited, status = world.recv(left, 0, return_status=True)
    print(f"the message came back from rank {status.source} after ranks {visited}")
    assert visited == list(range(world.size))
else:
    visited = world.recv(left, 0)
    world.send(right, 0, [*visited, world.rank])

grid = np.full((4, 5), world.rank)
going = world.isend(right, 1, grid[:, ::2])  # a strided view
coming, status = world.irecv(left, 1).wait()
going.wait()
assert status.source == left
assert np.array_equal(coming, np.full((4, 3), left))
