"""Nonblocking calls: begin sends, receives and collectives, compute, then wait.

    mpiexec -n 2 python examples/nonblocking.py

``irecv`` needs no size: whatever is sent, ``wait`` returns it. What was given to ``isend`` must not be changed until
its request is complete.
"""

import numpy as np

import polympi as mpi


def main() -> None:
    """Each rank sends to the next one in a ring, in both directions, and computes meanwhile."""
    world = mpi.world
    right, left = (world.rank + 1) % world.size, (world.rank - 1) % world.size
    mine = np.full(100_000, float(world.rank))

    requests = [
        world.irecv(source=left, tag=1),
        world.irecv(source=right, tag=2),
        world.isend(mine, dest=right, tag=1),
        world.isend({"from": world.rank}, dest=left, tag=2),
    ]
    inner = float(np.sqrt(mine).sum())  # the messages travel while this is computed
    from_left, from_right, *nothing = mpi.wait_all(requests)

    print(f"rank {world.rank}: computed {inner:g}; elements {from_left[0]:g} from the left, and {from_right}")
    assert np.array_equal(from_left, np.full(100_000, float(left)))
    assert from_right == {"from": right}
    assert nothing == [None, None]  # the values of sends

    pending = [world.irecv(source=left, tag=tag) for tag in (3, 4, 5)]
    for tag in (5, 3, 4):
        world.isend(f"message {tag}", dest=right, tag=tag)  # small: the request need not be kept
    values = []
    while pending:
        index, value = mpi.wait_any(pending)  # whichever is complete first
        del pending[index]
        values.append(value)
    assert sorted(values) == ["message 3", "message 4", "message 5"]

    settings = world.ibcast({"steps": 10} if world.rank == 0 else None)  # of any objects, and several at once
    sizes = world.iallgather(world.rank + 1)
    assert mpi.wait_all([settings, sizes]) == [{"steps": 10}, list(range(1, world.size + 1))]

    largest = world.iallreduce(float(mine.max()), mpi.MAX)
    assert largest.wait() == world.size - 1

    ready, computed = world.ibarrier(), 0
    while not ready.test():  # until all ranks have arrived here
        computed += 1


if __name__ == "__main__":
    main()
