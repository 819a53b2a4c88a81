"""Files: all ranks write into one, and read it again, without sending their data to one rank first.

    mpiexec -n 4 python examples/files.py

Offsets are in bytes. The second part writes a distributed array that any program with NumPy can load.
"""

import tempfile
from pathlib import Path

import numpy as np

import polympi as mpi


def main() -> None:
    """A table whose rows come from all ranks in turn; then the blocks of an array on a mesh."""
    world = mpi.world
    folder = world.bcast(Path(tempfile.mkdtemp()) if world.rank == 0 else None)

    table = folder / "table"
    row = np.array([world.rank, world.rank**2])
    with world.open(table, "w") as file:
        file.write_at_all(world.rank * row.nbytes, row)
    with world.open(table) as file:
        last = file.read_at(file.size - row.nbytes, into=np.empty_like(row))
    assert last.tolist() == [world.size - 1, (world.size - 1) ** 2]

    path = folder / "grid.npy"
    with world.cart(ndim=2) as cart:
        block = cart.block((6, 8))
        mpi.save_npy(path, np.full(block.shape, cart.rank), cart)
        assert (mpi.load_npy(path, cart) == cart.rank).all()
    if world.rank == 0:
        print(np.load(path))

    try:
        world.open(folder / "missing")
    except FileNotFoundError as error:
        print(error)

    world.barrier()
    if world.rank == 0:
        for file_there in folder.iterdir():
            file_there.unlink()
        folder.rmdir()


if __name__ == "__main__":
    main()
