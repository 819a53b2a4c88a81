"""Reductions: combine what all ranks have, by MPI's operations or by a function of your own.

    mpiexec -n 3 python examples/reductions.py

Numbers follow Python's rules and arrays NumPy's: ints stay exact, arrays keep their dtype and shape.
"""

import numpy as np

import polympi as mpi


def merge(mine: dict[str, int], theirs: dict[str, int]) -> dict[str, int]:
    """Add up counts by word; the arguments stay as they are."""
    return {word: mine.get(word, 0) + theirs.get(word, 0) for word in mine | theirs}


MERGE = mpi.op(merge, commutative=True)


def main() -> None:
    """Sums, extremes and where they are, prefixes, pieces of a sum, and an operation on dictionaries."""
    world = mpi.world
    rank, size = world.rank, world.size

    assert world.allreduce(rank) == sum(range(size))
    assert world.reduce(10**30, root=0) == (size * 10**30 if rank == 0 else None)

    field = np.array([rank, -rank], dtype=np.float32)
    highest = world.allreduce(field, op=mpi.MAX, into=np.empty(2, dtype=np.float32))
    assert highest.tolist() == [size - 1, 0]

    residual, where = world.allreduce((1 / (rank + 1), rank), op=mpi.MINLOC)
    print(f"rank {rank}: the least residual is {residual:.3g}, at rank {where}")
    assert where == size - 1

    rows = 10 + rank
    before = world.exscan(rows) or 0  # None at rank 0, below which there is nobody
    print(f"rank {rank}: its rows are {before} to {before + rows - 1} of all")
    assert before + rows == world.scan(rows) == sum(10 + lower for lower in range(rank + 1))

    piece = world.reduce_scatter(np.arange(2 * size))  # summed over the ranks, two elements for each
    assert piece.tolist() == [size * 2 * rank, size * (2 * rank + 1)]

    words = world.allreduce({"all": 1, f"odd {rank % 2}": 1}, op=MERGE)
    assert words == {"all": size, "odd 0": (size + 1) // 2, "odd 1": size // 2}


if __name__ == "__main__":
    main()
