"""gather, scatter, allgather and alltoall that go on while their rank does something else."""

import numpy as np
from prelude import c, in_turn, raises, rank, same, size

import polympi as mpi

comm = c.dup()


def begin(operation: str, value: object, root: int = 0, into: object = None) -> mpi.Request[object]:
    keywords = {"root": root} if operation in {"gather", "scatter"} else {}
    request: mpi.Request[object] = getattr(comm, f"i{operation}")(value, into=into, **keywords)
    return request


def wait(call: mpi.Request[object], timeout: float = 30) -> object:
    return call.wait(timeout=timeout)


# Small; too large for a slot; arrays that travel by themselves, strided, several at once; beyond what boards take.
PAYLOADS = [
    lambda owner, dest: (owner, dest),
    lambda owner, dest: "x" * (9000 + owner) + str(dest),
    lambda owner, dest: np.full(20_000 + owner, dest, np.float32),
    lambda owner, dest: np.arange(12_000.0 + dest)[:: owner + 1],
    lambda owner, dest: {"a": np.full(3000, owner), "b": [np.full(4000, dest), dest]},
    lambda owner, dest: np.full(300_000, owner + dest, np.float64),
]


def every_call(payload: object, root: int) -> list[tuple[str, object, object]]:
    """Each operation with what this rank gives and what it shall return."""
    mine = payload(rank, root)
    all_of = [payload(owner, root) for owner in range(size)]
    given = [payload(rank, dest) for dest in range(size)]
    return [
        ("gather", mine, all_of if rank == root else None),
        ("scatter", given if rank == root else None, payload(root, rank)),
        ("allgather", mine, all_of),
        ("alltoall", given, [payload(owner, rank) for owner in range(size)]),
    ]


def blocking(operation: str, value: object, root: int) -> object:
    keywords = {"root": root} if operation in {"gather", "scatter"} else {}
    return getattr(comm, operation)(value, timeout=30, **keywords)


def whatever_they_send() -> None:
    for turn, payload in enumerate(PAYLOADS):
        root = turn % size
        calls = every_call(payload, root)
        begun = [begin(operation, value, root) for operation, value, _ in calls]
        assert comm.allreduce(1, timeout=30) == size  # waits for those before it
        assert mpi.test_all(begun)
        for call, (operation, _, expected) in zip(begun, calls, strict=True):
            assert same(wait(call), expected), (operation, turn)


def beside_ranks_that_block() -> None:
    for turn, payload in enumerate(PAYLOADS * 2):
        root = turn % size
        for operation, value, expected in every_call(payload, root):
            begins = (turn + rank) % 2
            result = wait(begin(operation, value, root)) if begins else blocking(operation, value, root)
            assert same(result, expected), (operation, turn)


def into_memory() -> None:
    # 900 bytes do not fit the slot of one of many ranks: only such a piece reports how many rows it has.
    for rows in 1, 40, 4000:
        mine = np.full((rows + rank, 3), rank, np.float64)
        both = np.concatenate([np.full((rows + owner, 3), owner, np.float64) for owner in range(size)])
        into = np.zeros_like(both)
        assert wait(begin("allgather", mine, 0, into)) is into
        assert same(into, both)
        into = np.zeros_like(both) if rank == 1 else None
        assert wait(begin("gather", mine, 1, into)) is into
        assert into is None or same(into, both)
        even = np.full((rows, size), float(rank))
        into = np.zeros((rows, size))
        call = begin("scatter", [even + dest for dest in range(size)] if rank == 2 else None, 2, into)
        assert wait(call) is into
        assert same(into, np.full((rows, size), 2.0 + rank))
        into = np.zeros((size * rows, size))
        assert wait(begin("alltoall", [even + dest for dest in range(size)], 0, into)) is into
        assert same(into, np.repeat(np.arange(size) + float(rank), rows)[:, None] * np.ones(size))


def what_goes_wrong() -> None:
    big = np.full(20_000, float(rank))
    if rank == 1:
        with raises(TypeError):
            wait(begin("allgather", c))
    else:
        with raises(mpi.Error, "rank 1 could not do its part"):
            wait(begin("allgather", big))
    small = np.zeros(3)
    if rank == 0:
        with raises(mpi.TruncationError):
            wait(begin("gather", big, 0, small))
    else:
        assert wait(begin("gather", big, 0)) is None
    with raises(mpi.MismatchError, f"there are {size + 1} pieces for {size} ranks"):
        wait(begin("alltoall", [big] * (size + 1)))
    assert comm.allgather(rank, timeout=30) == list(range(size))


def a_wait_ends_early() -> None:
    big = np.full(20_000, float(rank))
    for operation, value, expected in every_call(PAYLOADS[2], 0):
        if rank == size - 1:
            in_turn()
            assert same(blocking(operation, value, 0), expected)
            continue
        call = begin(operation, value, 0)
        if (operation, rank) != ("gather", 1) and (operation != "scatter") and (operation, rank) != ("gather", 2):
            with raises(mpi.Timeout, f"{operation}("):
                wait(call, 0.05)
        in_turn()
        assert same(wait(call), expected)
    begin("allgather", big)  # nobody asks
    assert comm.allgather(rank, timeout=30) == list(range(size))


for test in whatever_they_send, beside_ranks_that_block, into_memory, what_goes_wrong, a_wait_ends_early:
    test()
    in_turn()
comm.free()
print("done")
