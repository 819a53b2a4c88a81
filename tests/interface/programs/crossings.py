"""What collectives give, and how many messages they send between machines: for any placement of the ranks."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from prelude import c, rank, size

from polympi.native import core

# The machine of each rank, by the number of ranks.
PLACEMENTS: dict[str, Callable[[int], Sequence[int]]] = {
    "in blocks of two": lambda n: [r // 2 for r in range(n)],
    "in blocks of four": lambda n: [r // 4 for r in range(n)],
    "in turn on two": lambda n: [r % 2 for r in range(n)],
    "in turn on three": lambda n: [7 - r % 3 for r in range(n)],
    "unevenly": lambda n: [0, *[1] * (n // 2), *[2] * (n - 1 - n // 2)],
    "one alone at the end": lambda n: [5] * (n - 1) + [3],
    "one alone in the middle": lambda n: [int(r == n // 2) for r in range(n)],
    "in no order": lambda n: [(r * r + r // 3) % 4 for r in range(n)],
}


def by_tree(machines: int) -> int:
    """Messages to all machines but one, or from them."""
    return machines - 1


def by_doubling(machines: int) -> int:
    """Messages of recursive doubling: the next lower power of two participate, the others send and get one."""
    rounds = machines.bit_length() - 1
    return (rounds << rounds) + 2 * (machines - (1 << rounds))


def by_bruck(machines: int) -> int:
    return machines * (machines - 1).bit_length()


class Count:
    """Messages between machines, of all ranks of a communicator."""

    def __init__(self, comm: Any) -> None:
        self.comm = comm

    def crossings(self, call: Callable[[], Any]) -> tuple[Any, int]:
        """What a call gives here, and the messages that it sends between machines."""
        before = core._crossings(self.comm)  # type: ignore[attr-defined]
        result = call()
        sent = core._crossings(self.comm) - before  # type: ignore[attr-defined]
        return result, sum(self.comm.allgather(sent))


def check_rooted(comm: Any, count: Count, machines: int, root: int) -> None:
    ranks, here = range(comm.size), comm.rank == root
    for value in (root, "x" * 3000, np.arange(40.0)):  # messages of a rank and of a packet
        got, sent = count.crossings(lambda value=value: comm.bcast(value if here else None, root))
        assert np.array_equal(got, value)
        assert sent == by_tree(machines), ("bcast", root, sent)
    got, sent = count.crossings(lambda: comm.gather(("from", comm.rank), root))
    assert got == ([("from", r) for r in ranks] if here else None)
    assert sent == by_tree(machines), ("gather", root, sent)
    got, sent = count.crossings(lambda: comm.scatter([("to", r) for r in ranks] if here else None, root))
    assert got == ("to", comm.rank)
    assert sent == by_tree(machines), ("scatter", root, sent)


def check_among_all(comm: Any, count: Count, machines: int, consecutive: bool) -> None:
    ranks, root = range(comm.size), comm.size - 1
    _, sent = count.crossings(comm.barrier)
    assert sent == by_doubling(machines), ("barrier", sent)
    got, sent = count.crossings(lambda: comm.allgather(("from", comm.rank)))
    assert got == [("from", r) for r in ranks]
    assert sent == by_bruck(machines), ("allgather", sent)
    for contribution in (float, int, lambda r: np.full(100, float(r))):
        total = sum(map(contribution, ranks))
        got, sent = count.crossings(lambda contribution=contribution: comm.allreduce(contribution(comm.rank)))
        assert np.array_equal(got, total)
        assert not consecutive or sent == by_doubling(machines), ("allreduce", sent)
        got, sent = count.crossings(lambda contribution=contribution: comm.reduce(contribution(comm.rank), root=root))
        assert np.array_equal(got, total) if comm.rank == root else got is None
        assert not consecutive or sent == by_doubling(machines), ("reduce", sent)


def check_objects(comm: Any, count: Count, machines: int) -> None:
    """What Python combines, after the ranks have told one another that it must."""
    ranks = range(comm.size)
    got, sent = count.crossings(lambda: comm.allreduce([comm.rank]))
    assert got == list(ranks)
    assert sent == by_doubling(machines) + 2 * by_tree(machines), ("allreduce of objects", sent)
    got, sent = count.crossings(lambda: comm.reduce([comm.rank]))
    assert got == (list(ranks) if comm.rank == 0 else None)
    assert sent == by_doubling(machines) + by_tree(machines), ("reduce of objects", sent)


def check_order(comm: Any) -> None:
    """What does not commute is combined in the order of ranks, and floating-point sums are the same bits everywhere."""
    ranks = range(comm.size)
    assert comm.allreduce([comm.rank]) == list(ranks)
    assert comm.scan(comm.rank) == sum(range(comm.rank + 1))
    assert comm.exscan(float(comm.rank + 1)) == (sum(range(comm.rank + 1)) if comm.rank else None)
    total = comm.allreduce(1 / (comm.rank + 3))
    assert comm.allgather(total) == [total] * comm.size
    rows = np.arange(2.0 * comm.size)
    assert np.array_equal(comm.reduce_scatter(rows), comm.size * rows[2 * comm.rank : 2 * comm.rank + 2])


def check_large(comm: Any) -> None:
    """Collectives of the library, before which ranks ask one another; pieces that are sent by themselves."""
    large = np.arange(30_000.0)
    assert np.array_equal(comm.bcast(large if comm.rank == 0 else None), large)
    assert np.array_equal(comm.allreduce(large), large * comm.size)
    assert all(np.array_equal(piece, large + r) for r, piece in enumerate(comm.allgather(large + comm.rank)))
    with comm.dup() as twin:
        assert twin.allgather(comm.rank) == list(range(comm.size))


def check(comm: Any, placed: Sequence[int]) -> None:
    machines, count = len(set(placed)), Count(comm)
    apart = core._crossings(comm) is None  # type: ignore[attr-defined]
    assert apart == (machines in (1, comm.size)), placed
    check_order(comm)
    check_large(comm)
    if not apart:
        consecutive = len([machine for machine, _ in itertools.groupby(placed)]) == machines
        for root in range(comm.size):
            check_rooted(comm, count, machines, root)
        check_among_all(comm, count, machines, consecutive)
        if consecutive:
            check_objects(comm, count, machines)


for members in {2, 3, 4, 5, 7, size}:  # powers of two, and what lies between them
    for place in PLACEMENTS.values():
        placed = place(members)
        core._pretend_machine(placed[rank] if rank < members else 99)  # type: ignore[attr-defined]
        with c.split(int(rank >= members)) as comm:
            if rank < members:
                check(comm, placed)
print("done")
