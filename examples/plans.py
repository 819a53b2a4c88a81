"""Plans: sends and receives that are agreed on once, and made by one call in each step.

    mpiexec -n 2 python examples/plans.py

Each rank has a strip of a plate that is warm at its left side, with a column of ghost cells at each side. In each step
it sends its outer columns, as the views they are, and receives those of its neighbours. ``start`` and ``finish`` let
the inner cells be computed meanwhile. An ``allreduce`` in the plan finds the warmest cell before the step.
"""

import numpy as np

import polympi as mpi

ROWS, COLUMNS, STEPS = 32, 16, 200


def smooth(new: np.ndarray, old: np.ndarray, columns: slice) -> None:
    """Each cell of these columns becomes the mean of its neighbours."""
    left, right = slice(columns.start - 1, columns.stop - 1), slice(columns.start + 1, columns.stop + 1)
    new[1:-1, columns] = (old[:-2, columns] + old[2:, columns] + old[1:-1, left] + old[1:-1, right]) / 4


def main() -> None:
    """Ranks form a line from left to right."""
    world = mpi.world
    left = world.rank - 1 if world.rank > 0 else mpi.PROC_NULL
    right = world.rank + 1 if world.rank < world.size - 1 else mpi.PROC_NULL
    old, new = np.zeros((ROWS, COLUMNS + 2)), np.zeros((ROWS, COLUMNS + 2))
    if left == mpi.PROC_NULL:
        old[:, 0] = new[:, 0] = 1

    plans = {}
    warmest, warmest_of_all = np.zeros(1), np.zeros(1)
    for grid in (old, new):
        plan = plans[id(grid)] = world.plan()
        plan.send(grid[:, 1], dest=left, tag=1)
        plan.recv(grid[:, -1], source=right, tag=1)
        plan.send(grid[:, -2], dest=right, tag=2)
        plan.recv(grid[:, 0], source=left, tag=2)
        plan.allreduce(warmest, mpi.MAX, into=warmest_of_all)

    for _ in range(STEPS):
        plan = plans[id(old)]
        warmest[0] = old[:, 1:-1].max()
        plan.start()
        smooth(new, old, slice(2, COLUMNS))  # needs no ghost cell
        plan.finish()
        smooth(new, old, slice(1, 2))
        smooth(new, old, slice(COLUMNS, COLUMNS + 1))
        assert warmest[0] <= warmest_of_all[0] <= 1
        old, new = new, old

    heat = world.allreduce(old[:, 1:-1].sum())
    print(f"rank {world.rank}: {len(plans)} plans with {len(plan)} parts, heat of the plate {heat:.3f}")
    alone = np.zeros((ROWS, world.size * COLUMNS + 2)), np.zeros((ROWS, world.size * COLUMNS + 2))
    alone[0][:, 0] = alone[1][:, 0] = 1
    for _ in range(STEPS):
        smooth(alone[1], alone[0], slice(1, world.size * COLUMNS + 1))
        alone = alone[1], alone[0]
    first = world.rank * COLUMNS + 1
    assert np.array_equal(old[:, 1:-1], alone[0][:, first : first + COLUMNS])


if __name__ == "__main__":
    main()
