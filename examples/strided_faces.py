"""A halo exchange: faces of a 3-d grid, sent as the views they are, and received into views.

    mpiexec -n 2 python examples/strided_faces.py

The grid has one layer of ghost cells around it, which hold what the neighbours have. Along the last axis the cells of
a face lie far apart in memory; polympi packs them or describes them to MPI, whichever is faster. At the ends of the
line of ranks there is no neighbour: ``PROC_NULL`` makes the same calls do nothing there.
"""

import numpy as np

import polympi as mpi

N = 16  # cells of the grid, each way


def main() -> None:
    """Ranks form a line along the last axis; each sends its two faces there, and gets its neighbours'."""
    world = mpi.world
    grid = np.full((N + 2, N + 2, N + 2), -1.0)
    grid[1:-1, 1:-1, 1:-1] = world.rank
    left = world.rank - 1 if world.rank > 0 else mpi.PROC_NULL
    right = world.rank + 1 if world.rank < world.size - 1 else mpi.PROC_NULL

    world.sendrecv(grid[:, :, -2], dest=right, source=left, into=grid[:, :, 0])
    world.sendrecv(grid[:, :, 1], dest=left, source=right, into=grid[:, :, -1])

    ghosts = grid[N // 2, N // 2, 0], grid[N // 2, N // 2, -1]
    print(f"rank {world.rank}: left ghost {ghosts[0]:g}, own cells {world.rank}, right ghost {ghosts[1]:g}")
    assert ghosts[0] == world.rank - 1  # -1 is what it was filled with: nobody is there
    assert ghosts[1] == (world.rank + 1 if right != mpi.PROC_NULL else -1)


if __name__ == "__main__":
    main()
