"""The root gives its value to all ranks: an object, an array, and the elements of an array that all have already.

    mpiexec -n 3 python -m polympi --as boostmpi examples/compat/boostmpi/broadcast.py

The root must be named: it has no default.
"""

import boostmpi as mpi
import numpy as np

settings = mpi.broadcast(mpi.world, {"steps": 10, "name": "run"} if mpi.rank == 0 else None, root=0)
assert settings == {"steps": 10, "name": "run"}

last = mpi.size - 1
array = mpi.broadcast(value=np.arange(10.0)[::2] if mpi.rank == last else None, root=last)  # comm may be left out
assert array.tolist() == [0, 2, 4, 6, 8]
array += mpi.rank  # the array of this rank only

# A skeleton has the shape and the type; the content is sent as often as it changes.
grid = np.zeros((20, 30)) if mpi.rank == 0 else None
proxy = mpi.broadcast(mpi.world, mpi.skeleton(grid) if mpi.rank == 0 else None, root=0)
grid = proxy.object
assert grid.shape == (20, 30)
for step in range(settings["steps"]):
    if mpi.rank == 0:
        grid[...] = step
    mpi.broadcast(mpi.world, mpi.get_content(grid), root=0)
    assert (grid == step).all()
if mpi.rank == 0:
    print(f"an array of shape {grid.shape} was broadcast {settings['steps']} times")
