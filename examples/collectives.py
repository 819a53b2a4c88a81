"""Collectives: calls that all ranks make together, with any object or array.

    mpiexec -n 3 python examples/collectives.py

Where a rank gives or gets a piece for each rank, the pieces are a list, with item i for rank i; ``into=`` lays them one
after another in an array instead.
"""

import numpy as np

import polympi as mpi


def main() -> None:
    """One after the other; all ranks must call the same collectives in the same order."""
    world = mpi.world
    rank, size = world.rank, world.size

    settings = world.bcast({"steps": 100, "grid": np.zeros((4, 4))} if rank == 0 else None, root=0)
    assert settings["steps"] == 100  # everybody has what rank 0 had

    mine = world.scatter([f"piece {i}" for i in range(size)] if rank == 0 else None, root=0)
    assert mine == f"piece {rank}"

    names = world.gather(mine.upper(), root=0)
    if rank == 0:
        print(f"rank 0 gathered {names}")
    assert names == ([f"PIECE {i}" for i in range(size)] if rank == 0 else None)

    table = world.allgather(np.full(2, float(rank)), into=np.empty((size, 2)))  # row i from rank i
    assert np.array_equal(table, np.repeat(np.arange(float(size)), 2).reshape(size, 2))

    letters = world.alltoall([f"from {rank} to {i}" for i in range(size)])
    print(f"rank {rank} has the letters {letters}")
    assert letters == [f"from {i} to {rank}" for i in range(size)]

    world.barrier(timeout=60)  # all ranks have got this far


if __name__ == "__main__":
    main()
