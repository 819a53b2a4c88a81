"""Every kind of call on many ranks, which outnumber the processors: numbers, objects, small and large arrays."""

import numpy as np
from alike import RANKS, assert_alike, raised, rank, run_all, size, world

import polympi as mpi

FEW, MANY = 10, 100_000
# Where every rank gets a piece from every other, all pieces together are to fit the memory of one machine.
EACH = min(MANY, 2**22 // size**2)
RIGHT, LEFT = (rank + 1) % size, (rank - 1) % size
# What rank r contributes: of the kinds that travel in different ways.
VALUES = [
    lambda r: r,
    lambda r: {"rank": r, "name": "x" * r, "more": [r, None, 1.5]},
    lambda r: np.arange(FEW) + r,
    lambda r: np.arange(float(MANY)) + r,
]
PIECES = [*VALUES[:3], lambda r: np.arange(float(EACH)) + r]


def at(root: int, value: object) -> object:
    """The value at root, None elsewhere."""
    return value if rank == root else None


def a_ring() -> None:
    for value in VALUES:
        assert_alike(world.sendrecv(value(rank), RIGHT, 1, LEFT, 1), value(LEFT))
        requests = [world.irecv(LEFT, 2), world.isend(value(rank), RIGHT, 2)]
        assert_alike(mpi.wait_all(requests)[0], value(LEFT))
    into = np.empty(MANY)
    world.sendrecv(VALUES[3](rank), RIGHT, 3, LEFT, 3, into=into)
    assert_alike(into, VALUES[3](LEFT))


def a_token_that_all_wait_for() -> None:
    token = world.recv(LEFT, 4) if rank else 0
    world.send(token + 1, RIGHT, 4)
    assert rank or world.recv(LEFT, 4) == size


def messages_from_all_to_all() -> None:
    for value in PIECES:
        sent = [world.isend(value(rank), (rank + step) % size, 5) for step in range(1, size)]
        for _ in range(size - 1):
            got, status = world.recv(tag=5, status=True)
            assert_alike(got, value(status.source))
        mpi.wait_all(sent)
        world.barrier()


def from_one_to_all_and_back() -> None:
    for root in {0, size - 1, size // 2}:
        for value in VALUES:
            assert_alike(world.bcast(at(root, value(root)), root), value(root))
            assert_alike(world.scatter(at(root, [value(r) for r in RANKS]), root), value(rank))
            assert_alike(world.gather(value(rank), root), at(root, [value(r) for r in RANKS]))
    table = np.arange(3.0 * MANY).reshape(MANY, 3)
    mine = world.scatter(at(0, table))
    assert_alike(mine, np.array_split(table, size)[rank])
    whole = world.gather(mine, into=np.empty_like(table) if rank == 0 else None)
    assert rank or np.array_equal(whole, table)


def from_all_to_all() -> None:
    for value in PIECES:
        assert_alike(world.allgather(value(rank)), [value(r) for r in RANKS])
        assert_alike(world.alltoall([value(rank + r) for r in RANKS]), [value(rank + r) for r in RANKS])
    cut = world.alltoall(np.arange(MANY) + rank)
    assert_alike(cut, [np.array_split(np.arange(MANY) + r, size)[rank] for r in RANKS])


def reductions() -> None:
    total = size * (size - 1) // 2
    root = size - 1
    assert_alike(world.allreduce(rank), total)
    assert_alike(world.allreduce(2**62 + rank), size * 2**62 + total)
    assert_alike(world.allreduce(rank, op=mpi.MAX), size - 1)
    assert_alike(world.allreduce([rank]), list(RANKS))
    assert_alike(world.reduce(str(rank), root=root), at(root, "".join(map(str, RANKS))))
    assert_alike(world.scan(rank), rank * (rank + 1) // 2)
    assert_alike(world.exscan([rank]), list(range(rank)) if rank else None)
    assert_alike(world.allreduce((1.0 * (rank * 7 % size), rank), op=mpi.MINLOC), (0.0, 0))
    for count in (FEW, MANY):
        mine = np.arange(count) + rank
        assert_alike(world.allreduce(mine), np.arange(count) * size + total)
        assert_alike(world.reduce(mine, root=root), at(root, np.arange(count) * size + total))
        assert_alike(world.allreduce(mine, op=mpi.MAX, into=mine), np.arange(count) + size - 1)
        mine = np.arange(float(count)) + rank
        assert_alike(world.scan(mine), np.arange(float(count)) * (rank + 1) + rank * (rank + 1) // 2)
        assert_alike(world.reduce_scatter(mine), np.array_split(np.arange(float(count)) * size + total, size)[rank])


def groups() -> None:
    with world.split(rank % 3, -rank) as third:
        assert_alike(third.allgather(rank), [r for r in reversed(RANKS) if r % 3 == rank % 3])
        third.barrier()
    with world.dup() as twin:
        assert_alike(twin.allreduce(np.full(MANY, 1.0)), np.full(MANY, float(size)))


def a_mistake_of_one_rank_leaves_nobody_waiting() -> None:
    if rank == 0:
        raised(mpi.MismatchError, world.scatter, [1])
    else:
        raised(mpi.Error, world.scatter, None)
    assert_alike(world.allreduce(1), size)


run_all(vars())
