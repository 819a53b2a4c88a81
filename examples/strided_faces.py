"""A halo exchange: faces of a 3-d block, sent as the views they are, and received into views.

    mpiexec -n 2 python examples/strided_faces.py

The block has one layer of ghost cells around it, which hold what the neighbours have. Along the last axis the cells of
a face lie far apart in memory; polympi packs them or describes them to MPI, whichever is faster. At the ends of the
line of ranks there is no neighbour: ``PROC_NULL`` makes the same calls do nothing there.
"""

import numpy as np

import polympi as mpi

N = 16  # cells of a block, each way


def main() -> None:
    """Ranks form a line along the last axis; each sends its two faces there, and gets its neighbours'."""
    world = mpi.world
    block = np.full((N + 2, N + 2, N + 2), -1.0)
    block[1:-1, 1:-1, 1:-1] = world.rank
    left = world.rank - 1 if world.rank > 0 else mpi.PROC_NULL
    right = world.rank + 1 if world.rank < world.size - 1 else mpi.PROC_NULL

    world.sendrecv(block[:, :, -2], dest=right, source=left, into=block[:, :, 0])
    world.sendrecv(block[:, :, 1], dest=left, source=right, into=block[:, :, -1])

    ghosts = block[N // 2, N // 2, 0], block[N // 2, N // 2, -1]
    print(f"rank {world.rank}: left ghost {ghosts[0]:g}, own cells {world.rank}, right ghost {ghosts[1]:g}")
    assert ghosts[0] == world.rank - 1  # -1 is what it was filled with: nobody is there
    assert ghosts[1] == (world.rank + 1 if right != mpi.PROC_NULL else -1)


if __name__ == "__main__":
    main()
