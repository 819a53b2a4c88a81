"""Windows: ranks access the arrays of others, which take no part.

    mpiexec -n 4 python examples/windows.py

A counter gives each piece of work to the rank that is free first, without a manager. Then ranks count words in a table
whose parts are on all ranks, and fetch a row from a neighbour.
"""

import numpy as np

import polympi as mpi

PIECES = 20
BINS = 5  # of the table, on each rank


def share_work(world: mpi.Communicator) -> None:
    """Take pieces of work until none is left: each piece once."""
    mine = []
    with world.window(np.zeros(1, int) if world.rank == 0 else None) as counter, counter.lock_all():
        while (piece := counter.fetch_and_op(1, rank=0)) < PIECES:  # what was there before
            mine.append(int(piece))
    pieces = world.reduce(mine)
    if pieces is not None:
        assert sorted(pieces) == list(range(PIECES))
        print(f"{world.size} ranks have done {len(pieces)} pieces of work")


def count(world: mpi.Communicator) -> None:
    """Add to bins that are on any rank, all ranks at a time."""
    numbers = np.random.default_rng(world.rank).integers(0, BINS * world.size, 100)
    bins = np.zeros(BINS, int)
    with world.window(bins) as table:
        table.fence()
        for number in numbers:
            table.accumulate(1, rank=number // BINS, offset=number % BINS)
        table.fence()  # now all ranks have added theirs, and `bins` may be read
        expected = world.allreduce(np.bincount(numbers, minlength=BINS * world.size))
        assert (bins == expected[world.rank * BINS : (world.rank + 1) * BINS]).all()


def fetch(world: mpi.Communicator) -> None:
    """Read a row of the next rank, into a column."""
    rows = np.full((3, 4), world.rank)
    right = (world.rank + 1) % world.size
    columns = np.zeros((4, 3), int)
    with world.window(rows) as window:
        with window.lock(right):
            window.get(columns[:, 0], rank=right, offset=4)  # the second row
        assert (columns[:, 0] == right).all()  # complete at the end of the lock


if __name__ == "__main__":
    share_work(mpi.world)
    count(mpi.world)
    fetch(mpi.world)
