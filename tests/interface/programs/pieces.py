"""bcast, gather, scatter, allgather and alltoall against what they must give, on any number of ranks."""

from typing import Any

import numpy as np
from alike import RANKS, assert_alike, raised, rank, run_all, size, world

import polympi as mpi


class Thing:
    """What only pickle can send."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return type(other) is Thing and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)


# Each from a small number, so that ranks can have different ones of one kind. Large and small, with separate parts
# and without, strided, of no elements.
OBJECTS: list[Any] = [
    lambda n: None,
    lambda n: n,
    lambda n: 1.5 * n,
    lambda n: "x" * n,
    lambda n: "y" * (20_000 + n),
    lambda n: b"z" * (9000 * n),
    lambda n: list(range(n)),
    lambda n: list(range(5000 + n)),
    lambda n: {"a": np.arange(n * 700.0), "b": n},
    lambda n: np.arange(n * 3),
    lambda n: np.arange(60.0).reshape(3, 20)[:, ::2] + n,
    lambda n: np.arange(100_000.0) + n,
    lambda n: (np.arange(100_000.0) + n)[::2],
    lambda n: np.asfortranarray(np.arange(6000.0).reshape(100, 60) + n),
    Thing,
    np.float32,
    lambda n: [np.zeros(1000 + n), np.ones(2000)],
    lambda n: np.zeros((0, 3)),
    np.array,
    lambda n: np.array([("a", n)], dtype="U5,i4"),
    lambda n: [np.zeros(600 + n)] * 3 + [Thing(n)] * 2000,
]


def made(kind: int, number: int) -> Any:
    return OBJECTS[kind % len(OBJECTS)](number)


def at(root: int, value: object) -> Any:
    """The value at root, None elsewhere."""
    return value if rank == root else None


def bcast_of_anything() -> None:
    for kind in range(len(OBJECTS)):
        root = kind % size
        assert_alike(world.bcast(at(root, made(kind, 3)), root), made(kind, 3))
    mine = [1]
    assert size > 1 or world.bcast(mine) is mine


def pieces_of_anything() -> None:
    for kind in range(len(OBJECTS)):
        root = kind % size
        for mixed in (0, 1):  # the same kind on all ranks; another one on each
            expected = [made(kind + mixed * r, r + 1) for r in RANKS]
            mine = made(kind + mixed * rank, rank + 1)
            assert_alike(world.gather(mine, root), at(root, expected))
            assert_alike(world.allgather(mine), expected)
            assert_alike(world.scatter(at(root, expected), root), mine)
            sent = [made(kind + mixed * (rank + r), rank + 2 * r) for r in RANKS]
            received = [made(kind + mixed * (rank + r), r + 2 * rank) for r in RANKS]
            assert_alike(world.alltoall(tuple(sent) if kind % 2 else sent), received)


def own_pieces_are_copies() -> None:
    for length in (2, 2000):
        mine = np.zeros(length)
        pieces = [world.gather(mine, rank and 0), world.allgather(mine), world.alltoall([mine] * size)]
        mine += 1
        for piece in pieces:
            assert piece is None or not piece[rank].any()
        array = np.zeros(length * size)
        pieces = [world.scatter(array, r) for r in RANKS] + world.alltoall(array)
        array += 1
        assert not any(piece.any() for piece in pieces)


def arrays_into_memory() -> None:
    for length in (3, 700, 30_000):
        rows = [r * length // 2 for r in RANKS]  # uneven; none for rank 0
        mine = np.full((rows[rank], 2), rank + 1.0)
        expected = np.concatenate([np.full((rows[r], 2), r + 1.0) for r in RANKS])
        for strided in (False, True):
            memory = np.zeros((sum(rows) + 2, 4))
            into = memory[:, ::2] if strided else np.zeros((sum(rows) + 2, 2))
            assert world.allgather(mine, into=into) is into
            assert np.array_equal(into[:-2], expected)
            assert not into[-2:].any()
            assert not memory[:, 1::2].any()
            for root in RANKS:
                into[:] = 0
                result = world.gather(mine, root, into=into)
                assert result is (into if rank == root else None)
                assert np.array_equal(into[:-2], expected if rank == root else 0 * expected)
            whole = np.arange(2.0 * sum(rows)).reshape(-1, 2)
            into[:] = 0
            world.alltoall(whole + rank, into=into)
            received = np.concatenate([np.array_split(whole + r, size)[rank] for r in RANKS])
            assert np.array_equal(into[: len(received)], received)
            first = sum(rows[:rank])
            piece = world.scatter(at(size - 1, whole), size - 1, counts=rows, into=into[: rows[rank]])
            assert np.array_equal(piece, whole[first : first + rows[rank]])
            target = np.zeros((length, 2)).T if strided else np.zeros((2, length))
            source = np.arange(2.0 * length).reshape(2, length)
            assert world.bcast(at(0, source), into=target) is target
            assert np.array_equal(target, source)


def what_is_given_may_lie_where_the_result_goes() -> None:
    for length in (3, 700, 30_000):
        numbers = np.arange(length)

        def row(r: int, for_rank: int = 0, numbers: Any = numbers) -> Any:
            return numbers + 100 * r + for_rank

        gathered = np.array([row(r) for r in RANKS])
        exchanged = np.array([row(r, rank) for r in RANKS])
        table = np.array([row(rank, r) for r in RANKS])
        assert np.array_equal(world.alltoall(table, into=table), exchanged)
        table = np.array([row(rank, r) for r in reversed(RANKS)])
        assert np.array_equal(world.alltoall([table[size - 1 - r] for r in RANKS], into=table), exchanged)
        table = np.full((size, length), -1)
        table[rank] = row(rank)
        assert np.array_equal(world.allgather(table[rank], into=table), gathered)
        for root in RANKS:
            table = np.full((size, length), -1)
            table[0] = row(rank)  # where the piece of rank 0 goes
            result = world.gather(table[0], root, into=table)
            assert rank != root or np.array_equal(result, gathered)
            table = np.array([row(root, r) for r in RANKS])
            piece = world.scatter(at(root, table), root, into=table[0])
            assert np.array_equal(piece, row(root, rank))
            table = np.array([row(root, r) for r in RANKS])
            piece = world.scatter(at(root, table[::-1]), root, into=table[size - 1 - root])  # where it lies
            assert np.array_equal(piece, row(root, size - 1 - rank))
            numbers_of_all = np.arange(size * length + length)
            later = numbers_of_all[root * length + length // 2 :][:length]  # half of it where it lies
            piece = world.scatter(at(root, numbers_of_all[: size * length]), root, into=later)
            assert np.array_equal(piece, np.arange(rank * length, rank * length + length))
        shifted = np.full(size * length + length, -1)
        shifted[length // 2 : length // 2 + length] = row(rank)
        mine = shifted[length // 2 : length // 2 + length]
        assert np.array_equal(world.allgather(mine, into=shifted[: size * length]), gathered.ravel())
        every_other = np.full(2 * length * size, -1)
        every_other[: 2 * length : 2] = row(rank)
        result = world.allgather(every_other[: 2 * length : 2], into=every_other[: size * length])
        assert np.array_equal(result, gathered.ravel())
        memory = bytearray(size * length)
        memory[:length] = bytes([rank + 1]) * length
        world.allgather(memoryview(memory)[:length], into=memory)
        assert memory == b"".join(bytes([r + 1]) * length for r in RANKS)
        whole = np.arange(2.0 * length)
        world.bcast(at(0, whole[:length]), into=whole[length // 2 : length // 2 + length])
        assert np.array_equal(whole[length // 2 : length // 2 + length], np.arange(float(length)))


def arrays_are_cut_as_array_split_cuts() -> None:
    for rows in (0, 1, size, 2 * size + 1, 999):
        array = np.arange(3.0 * rows).reshape(rows, 3)
        for root in RANKS:
            assert_alike(world.scatter(at(root, array), root), np.array_split(array, size)[rank])
        assert_alike(world.alltoall(array + rank), [np.array_split(array + r, size)[rank] for r in RANKS])
        counts = [0] * (size - 1) + [rows]
        for received, expected in zip(world.alltoall(array, counts=counts), RANKS, strict=True):
            assert len(received) == (rows if rank == size - 1 else 0), expected


def numbers_into_memory() -> None:
    for dtype, number in (("f8", float), ("i2", int), ("f4", np.float32), ("f8", int), ("c16", complex), ("?", bool)):
        into = np.zeros(size, dtype)
        world.allgather(number(rank), into=into)
        assert np.array_equal(into, [number(r) for r in RANKS]), dtype
    text = bytearray(2 * size)
    world.allgather(b"ab", into=text)
    assert text == b"ab" * size
    array = np.full(3, float(rank))
    world.bcast(root=size - 1, into=array)
    assert (array == size - 1).all()


def wrong_arguments_are_refused_before_anything_is_sent() -> None:
    for root in (size, -1, mpi.PROC_NULL, mpi.ANY_SOURCE):
        raised(mpi.RankError, world.bcast, 1, root)
        raised(mpi.RankError, world.gather, 1, root)
        raised(mpi.RankError, world.scatter, [1] * size, root)
    raised(TypeError, world.gather)
    raised(TypeError, world.bcast, 1, "0")
    raised(ValueError, world.barrier, timeout=-1)


def what_does_not_fit_is_refused_on_the_rank_it_concerns() -> None:
    large = np.zeros(10_000)
    read_only = np.zeros(10_000 * size)
    read_only.flags.writeable = False
    assert "read-only" in raised(mpi.MismatchError, world.allgather, large, into=read_only)
    assert "rows" in raised(mpi.TruncationError, world.allgather, large, into=np.zeros(10_000 * size - 1))
    assert "float32" in raised(mpi.MismatchError, world.allgather, large, into=np.zeros(10_000 * size, "f4"))
    assert "rows" in raised(mpi.MismatchError, world.allgather, large, into=np.zeros((10_000 * size, 3)))
    assert "object" in raised(mpi.MismatchError, world.allgather, "text", into=np.zeros(10))
    assert "single element" in raised(mpi.MismatchError, world.allgather, 1.0, into=np.zeros(()))
    last = size - 1
    if rank == last:
        raised(mpi.MismatchError, world.gather, large, last, into=np.zeros(10_000 * size, "i4"))
    else:
        world.gather(large, last)
    if size > 1:
        if rank == last:
            assert "int32" in raised(mpi.MismatchError, world.bcast, into=np.zeros(5, "i4"))
            raised(mpi.TruncationError, world.scatter, into=np.zeros(5))
        else:
            world.bcast(large)
            world.scatter(np.zeros(1000 * size))


def what_the_root_cannot_take_reaches_the_others_all_the_same() -> None:
    for length in (3, 700, 100_000):
        rows = np.arange(float(size * length)).reshape(size, length)
        mine = rows[rank].copy()
        for root in RANKS:
            into = np.zeros(length)
            small, narrow = np.zeros(length - 1), np.zeros(length, "f4")
            for wrong, error in ((small, mpi.TruncationError), (narrow, mpi.MismatchError)):
                if rank == root:
                    raised(error, world.scatter, rows, root, into=wrong)
                    assert not wrong.any()
                else:
                    assert_alike(world.scatter(None, root, into=into), mine)
            pieces = [rows[r] if r != root else lambda: None for r in RANKS]
            if rank == root:
                assert "<lambda>" in raised(Exception, world.scatter, pieces, root)
            else:
                assert_alike(world.scatter(None, root), mine)


def what_one_rank_cannot_send_is_an_error_on_those_that_wait_for_it() -> None:
    def cannot_be_sent() -> None:
        """Nor can it be pickled."""

    large = np.zeros(10_000)
    last = size - 1
    for value in (cannot_be_sent, [large, cannot_be_sent]):
        mine = value if rank == last else large
        calls: list[tuple[Any, ...]] = [(world.allgather, mine), (world.bcast, mine, last)]
        calls += [(world.alltoall, [mine] * size), (world.scatter, [mine] * size, last)]
        for function, *arguments in calls:
            text = raised(Exception, function, *arguments)
            assert "cannot_be_sent" in text
            assert rank == last or f"rank {last} could not do its part" in text
    mine = cannot_be_sent if rank == last else large
    if rank in (0, last):
        assert size == 1 or "cannot_be_sent" in raised(Exception, world.gather, mine, 0)
    else:
        assert world.gather(mine, 0) is None


def what_cannot_be_cut_is_an_error_on_all_ranks() -> None:
    for pieces, counts in (([1] * (size + 1), None), ("text", None), (np.zeros(()), None), ([1] * size, [1] * size)):
        assert rank or "could not" not in raised(mpi.MismatchError, world.scatter, pieces, counts=counts)
        assert not rank or "rank 0 could not do its part" in raised(mpi.Error, world.scatter)
        raised(mpi.MismatchError, world.alltoall, pieces, counts=counts)
    rows = np.zeros(3 * size)
    for counts in ([3] * (size + 1), [2] * size, [4] * size, [-1] + [4] * (size - 1)):
        raised(mpi.MismatchError, world.alltoall, rows, counts=counts)


run_all(vars())
