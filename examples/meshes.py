"""Meshes of ranks: which ranks are neighbours, and which part of an array each rank has.

    mpiexec -n 4 python examples/meshes.py

``cart`` arranges the ranks as a mesh, and finds its sizes. Each rank then has a block of the global array. The ranks
beside it are those that it exchanges faces with; ``PROC_NULL`` stands for a rank beyond the end of an axis.
"""

import sys

import numpy as np

import polympi as mpi

SHAPE = (8, 10)
RANKS = 4


def main() -> None:
    """An array is cut into blocks, each rank adds up what its neighbours have, and the blocks come together again."""
    world = mpi.world
    if world.size != RANKS:
        sys.exit(
            f"This example wants {RANKS} ranks: mpiexec -n {RANKS} python examples/meshes.py" if world.rank == 0 else 1
        )
    cart = world.cart(ndim=2, periods=(True, False))  # 2 by 2, of four ranks; freed at the end of `with`
    assert cart is not None  # all ranks are used: the sizes were found for them
    with cart:
        table = np.arange(80.0).reshape(SHAPE)
        mine = cart.scatter_blocks(table if cart.rank == 0 else None)
        block = cart.block(SHAPE)
        print(f"rank {cart.rank} at {cart.coords} of {cart.dims} has rows {block.slices[0]}, columns {block.slices[1]}")
        assert np.array_equal(mine, table[block.slices])

        source, dest = cart.shift(axis=1)  # from the rank before, to the rank behind; this axis has ends
        left = cart.sendrecv(mine[:, -1], dest=dest, source=source)
        assert (
            left is None
            if source == mpi.PROC_NULL
            else np.array_equal(left, table[block.slices[0], block.start[1] - 1])
        )

        means = [mean for mean in cart.neighbor_allgather(mine.mean()) if mean is not None]
        print(f"rank {cart.rank} has the mean {mine.mean():g}, its neighbours have {means}")
        assert len(means) == 3  # one of the four is beyond an end

        with cart.sub(keep=[1]) as row:  # the neighbours along axis 1
            assert row.allreduce(mine.sum()) == table[block.slices[0]].sum()

        mine *= 2
        whole = cart.gather_blocks(mine)
        assert whole is None or np.array_equal(whole, 2 * table)


if __name__ == "__main__":
    main()
