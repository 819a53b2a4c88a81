"""Uneven pieces: rows that do not divide by the number of ranks, without counting anywhere.

    mpiexec -n 3 python examples/uneven_pieces.py

An array is cut along its first axis as ``numpy.array_split`` cuts it, or as ``counts`` say. What the ranks contribute
to a gather need not be alike: they find out themselves how much comes from whom.
"""

import numpy as np

import polympi as mpi

ROWS = 10


def main() -> None:
    """Scatter a table, drop rows of it on each rank, and put together what is left."""
    world = mpi.world
    table = np.arange(ROWS * 2.0).reshape(ROWS, 2)

    mine = world.scatter(table if world.rank == 0 else None)
    print(f"rank {world.rank} got {len(mine)} rows of {ROWS}")
    assert np.array_equal(mine, np.array_split(table, world.size)[world.rank])

    kept = mine[mine[:, 0] % 4 == 0]  # nobody knows of the others how many
    pieces = world.gather(kept)
    if pieces is not None:
        print(f"rank 0 gathered {[len(piece) for piece in pieces]} rows")
        assert np.array_equal(np.concatenate(pieces), table[::2])

    everything = np.full((ROWS, 2), -1.0)
    world.allgather(kept, into=everything)  # one after another; what is left of `into` stays as it was
    assert np.array_equal(everything[: ROWS // 2], table[::2])
    assert (everything[ROWS // 2 :] == -1).all()

    counts = [ROWS - world.size + 1] + [1] * (world.size - 1)  # a large piece for rank 0
    mine = world.scatter(table if world.rank == 0 else None, counts=counts if world.rank == 0 else None)
    assert len(mine) == counts[world.rank]


if __name__ == "__main__":
    main()
