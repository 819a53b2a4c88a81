"""Halos: ghost cells that one call fills with what the neighbours have.

    mpiexec -n 4 python examples/halo.py

The game of life on a torus: each rank has a block of it, with a layer of ghost cells around. A cell looks at all eight
cells around it, so the corners are needed, too.
"""

import numpy as np

import polympi as mpi

SHAPE, STEPS = (24, 30), 40


def step(cells: np.ndarray) -> np.ndarray:
    """What the inner cells become; there is one layer around them."""
    rows, columns = cells.shape
    around = sum(
        cells[1 + down : rows - 1 + down, 1 + right : columns - 1 + right]
        for down in (-1, 0, 1)
        for right in (-1, 0, 1)
        if down or right
    )
    return np.asarray((around == 3) | ((around == 2) & (cells[1:-1, 1:-1] == 1)))


def main() -> None:
    """All ranks compute their blocks, and the whole is compared with what one rank computes alone."""
    cart = mpi.world.cart((0, 0), periods=True)
    assert cart is not None  # no rank is left over
    whole = np.random.default_rng(1).integers(0, 2, SHAPE, np.int8)
    block = cart.block(SHAPE)
    u = np.zeros([extent + 2 for extent in block.shape], np.int8)
    u[1:-1, 1:-1] = whole[block.slices]

    halo = cart.halo(u, corners=True)
    for _ in range(STEPS):
        halo()
        u[1:-1, 1:-1] = step(u)
    halo.free()

    for _ in range(STEPS):
        whole = step(np.pad(whole, 1, mode="wrap")).astype(np.int8)
    assert np.array_equal(u[1:-1, 1:-1], whole[block.slices])
    alive = cart.allreduce(int(u[1:-1, 1:-1].sum()))
    print(f"rank {cart.rank} at {cart.coords} of {cart.dims}: {alive} cells are alive after {STEPS} steps")
    cart.free()


if __name__ == "__main__":
    main()
