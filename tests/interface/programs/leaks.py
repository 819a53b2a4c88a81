"""Operations repeated many times: neither objects, nor references, nor memory may grow; two ranks.

Every operation ends with the ranks together, so that nothing is under way when things are counted.
"""

import contextlib
import dataclasses
import gc
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import polympi as mpi
from polympi.native import core

ROUNDS = 40  # at most: what the allocators keep in reserve grows at first, too
REPEATS = 60  # in a round
LEAST_KB = 12  # what leaks grows in every round by more than this: 10 bytes a call

world = mpi.world
rank, other = world.rank, 1 - world.rank


@dataclasses.dataclass
class Cell:
    name: str
    content: object


BIG = np.arange(50_000.0)
STRIDED = np.arange(30_000.0).reshape(100, 300)[:, ::3]
RECORDS = np.zeros(5000, "i4,f8")
INTO = np.zeros(50_000)
VALUES: list[Any] = [
    *(None, 2**99, 1.5, "text", "é" * 9000, b"x" * 100, b"x" * 50_000, bytearray(50_000), memoryview(bytes(9000))),
    *([1, [2, {"a": (3,)}]], {"key": "x" * 5000}, np.arange(5), BIG, STRIDED, RECORDS, np.float64(2), np.array([None])),
    *(Cell("pickled", 1), Cell("with data", BIG), [BIG, BIG, STRIDED], np.asfortranarray(np.ones((90, 90)))),
]


class Refusing:
    def __reduce__(self) -> str:
        raise ZeroDivisionError


class Unloadable:
    def __reduce__(self) -> Any:
        return int, ("no number",), BIG


def exchanged(value: Any) -> None:
    world.sendrecv(value, other, 1, other, 1)


def by_requests(value: Any) -> None:
    requests = [world.irecv(other, 1), world.isend(value, other, 1)]
    mpi.wait_all(requests)
    mpi.wait_any(requests)


def in_all_modes(value: Any) -> None:
    for send in (world.isend, world.issend, world.ibsend):
        request = send(value, other, 1)
        world.recv(other, 1, status=True)
        request.wait(status=True)


def dropped(value: Any) -> None:
    request = world.irecv(other, 1)
    world.isend(value, other, 1)
    world.sendrecv(None, other, 2, other, 2)
    del request  # its message is here
    world.recv(other, 1)


def cancelled(value: Any) -> None:
    world.irecv(other, 3).cancel()
    with contextlib.suppress(mpi.Timeout):
        world.recv(other, 3, timeout=1e-6)
    exchanged(value)


def abandoned(value: Any) -> None:
    with contextlib.suppress(mpi.Timeout):
        world.ssend(value, other, 4, timeout=1e-6)
    world.recv(other, 4)


def into_memory(value: Any) -> None:
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        world.sendrecv(value, other, 1, other, 1, into=np.empty_like(value))
        request = world.irecv(other, 1, into=np.empty(value.shape, value.dtype, order="F"))
        world.send(value, other, 1)
        request.wait()


def refused(value: Any) -> None:
    for into in (bytearray(3), np.zeros(3, "c8"), np.zeros((2, 60_000), "u1"), RECORDS.copy()[::-1]):
        with contextlib.suppress(mpi.Error):
            world.sendrecv(value, other, 1, other, 1, into=into)
        request = world.irecv(other, 1, into=into)
        world.send(value, other, 1)
        for _ in range(2):
            with contextlib.suppress(mpi.Error):
                request.wait()


def wrong(value: Any) -> None:
    for call in (
        lambda: world.send(value, 9),
        lambda: world.isend(value, 0, -1),
        lambda: world.recv(5),
        lambda: world.irecv(0, into=b"read-only"),
        lambda: world.sendrecv(value, 0, 0, 0, -1),
        lambda: world.send([value, Refusing()], other),
        lambda: world.isend([value, Refusing()], other),
        lambda: world.sendrecv([value, Refusing()], other, source=other),
        lambda: world.bsend([value, Refusing()], other),
        lambda: mpi.wait_all([value]),
        lambda: world.send(value, other, timeout=-1),
    ):
        with contextlib.suppress(mpi.Error, ZeroDivisionError, TypeError, ValueError):
            call()
    with contextlib.suppress(ValueError, TypeError):
        world.sendrecv([value, Unloadable()], other, 1, other, 1)


def without_room(value: Any) -> None:
    mpi.buffer_detach()
    with contextlib.suppress(mpi.NoBufferError):
        world.bsend(value, other)
    mpi.buffer_attach(0)
    with contextlib.suppress(mpi.NoBufferError):
        world.bsend([value, BIG], other)
    mpi.buffer_detach()
    mpi.buffer_attach(10**7)


def probed(value: Any) -> None:
    request = world.isend(value, other, 1)
    world.probe(other, 1)
    while not world.iprobe(other, 1):
        pass
    world.recv(other, 1)
    while not request.test():
        pass


def among_ranks(value: Any) -> None:
    if value is not None:
        return
    twin = world.dup()
    twin.irecv(other, 7)
    twin.free()
    with world.split(0) as part:
        part.sendrecv(None, other, source=other)


OPERATIONS: list[Callable[[Any], None]] = [
    *(exchanged, by_requests, in_all_modes, dropped, cancelled, abandoned, into_memory, refused, wrong, without_room),
    *(probed, among_ranks),
]


def resident_kb() -> int:
    with open("/proc/self/statm") as file:  # noqa: PTH123  (as little as possible may be allocated here)
        return int(file.read().split()[1]) * 4


def in_use() -> dict[str, int]:
    """What must not grow: references to what was sent, objects, and the memory of received arrays."""
    world.barrier()
    while core.buffer_in_use():
        pass
    gc.collect()
    world.barrier()
    counts = {f"references to value {n}": sys.getrefcount(value) for n, value in enumerate(VALUES[1:])}
    types = (type(None), np.dtype("f8"), RECORDS.dtype, world, Cell, mpi.Timeout, mpi.MismatchError, mpi.RankError)
    counts |= {f"references to {kind}": sys.getrefcount(kind) for kind in types[1:]}
    return {**counts, "objects": len(gc.get_objects()), "pieces of the pool": core._pool_statistics()["live"]}


def check(operation: Callable[[Any], None]) -> None:
    def repeat(times: int) -> None:
        for _ in range(times):
            for value in VALUES:
                operation(value)

    repeat(3)
    in_use()
    before, memory, grows = in_use(), [resident_kb()], True
    while grows and len(memory) <= ROUNDS:
        repeat(REPEATS)
        after = in_use()
        memory.append(resident_kb())
        mine = memory[-1] - memory[-2] >= LEAST_KB
        grows = mine | world.sendrecv(mine, other, 9, other, 9)
    grown = {name: after[name] - before[name] for name in before if after[name] - before[name] >= REPEATS}
    assert not grown, f"{operation.__name__}: {grown}"
    assert not grows, f"{operation.__name__}: {memory} KB"


if __name__ == "__main__":
    mpi.buffer_attach(10**7)
    for operation in OPERATIONS:
        check(operation)
    mpi.buffer_detach()
