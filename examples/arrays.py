"""NumPy arrays: received as new ones, or into memory that you own.

    mpiexec -n 2 python examples/arrays.py

An array that is received is writable and owns its memory. With ``into=`` it lands in an array that exists already,
which spares the new memory; the element types must be the same, since nothing is converted behind your back.
"""

import numpy as np

import polympi as mpi


def main() -> None:
    """Rank 0 sends a table three times, rank 1 receives it in three ways."""
    world = mpi.world
    table = np.arange(12.0).reshape(3, 4)
    if world.rank == 0:
        world.send(table, dest=1)
        world.send(table, dest=1)
        world.send(table[:, 1], dest=1)  # a column: its elements lie apart in memory
    elif world.rank == 1:
        new = world.recv(source=0)
        print(f"a new array: {new.dtype}, {new.shape}, writable: {new.flags.writeable}")
        assert np.array_equal(new, table)

        mine = np.empty((3, 4))
        same, status = world.recv(source=0, into=mine, status=True)
        print(f"into mine: {status.elements} elements, {status.nbytes} bytes, the very same array: {same is mine}")
        assert same is mine
        assert np.array_equal(mine, table)

        grid = np.zeros((5, 5))
        world.recv(source=0, into=grid[1:4, 0])  # a view as target: only these three elements are written
        print(grid)
        assert np.array_equal(grid[1:4, 0], table[:, 1])
        assert np.count_nonzero(grid) == 3


if __name__ == "__main__":
    main()
