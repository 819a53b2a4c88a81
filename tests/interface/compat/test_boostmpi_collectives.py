"""The collective calls of the facade of boostmpi and boost.mpi, on one rank and on several."""

import pytest
from rank_programs import PRELUDE

from polympi.lab.stacks.stack import Stack

BEGIN = (
    PRELUDE
    + """
import functools
import operator
from any_values import VALUES, arrived
from polympi.compat import boostmpi as old
world = old.world
"""
)
SIZES = pytest.mark.parametrize("ranks", [1, 2, 3, 4])


@pytest.mark.mpi
@SIZES
def test_values_are_shared_and_gathered(run_in_job, stack: Stack, ranks: int) -> None:
    script = """
root = size - 1
for value in VALUES:
    for got in old.all_gather(world, value), old.all_to_all(world, [value] * size):
        assert type(got) is tuple and len(got) == size and all(same(one, arrived(value)) for one in got)
    got = old.gather(world, value, root)
    assert got is None if rank != root else all(same(one, arrived(value)) for one in got)
    assert same(old.scatter(world, [value] * size if rank == root else None, root), arrived(value))
# each form of a call
some = ["abcd"[r] for r in range(size)]
for got in (old.broadcast(world, rank, root), old.broadcast(rank, root), old.broadcast(value=rank, root=root),
            old.broadcast(rank, root=root), old.broadcast(comm=world, root=root, value=rank),
            old.broadcast(old.Communicator(), rank, root=root)):
    assert same(got, root)
for got in (old.all_gather(world, some[rank]), old.all_gather(some[rank]), old.all_gather(value=some[rank])):
    assert same(got, tuple(some))
assert old.all_gather() == old.all_gather(world) == old.all_gather(None) == (None,) * size
for got in (old.gather(world, some[rank], root), old.gather(some[rank], root), old.gather(root=root, value=some[rank]),
            old.gather(some[rank], root=root)):
    assert same(got, tuple(some) if rank == root else None)
assert old.gather(world, root=root) == old.gather(None, root) == ((None,) * size if rank == root else None)
letters = lambda: (letter for letter in some)  # any iterable
for got in (old.scatter(world, some, root), old.scatter(letters(), root), old.scatter(values="abcd"[:size], root=root),
            old.scatter(some, root=root), old.scatter(world, dict.fromkeys(some), root)):
    assert same(got, some[rank])
assert same(old.scatter(world, np.arange(size) if rank == root else 5, root), np.int64(rank))
table = np.arange(6.0 * size).reshape(2 * size, 3)
for pieces in np.split(table, size), np.split(table[:, ::2], size):
    got = old.scatter(world, pieces, 0)
    assert same(got, np.ascontiguousarray(pieces[rank]))
    got[...] = 0  # writable
for mine in [(rank, r) for r in range(size)], ((rank, r) for r in range(size)):
    assert same(old.all_to_all(world, mine), tuple((r, rank) for r in range(size)))
assert same(old.all_to_all(values=[rank] * size), tuple(range(size)))
assert same(old.all_to_all(range(size)), (rank,) * size)
assert world.barrier() is None
"""
    run_in_job(BEGIN + script, ranks, stack)


@pytest.mark.mpi
@SIZES
def test_reductions_are_those_of_python(run_in_job, stack: Stack, ranks: int) -> None:
    script = """
root = size - 1
pair = lambda left, right: [left, right]
cases = [
    *((operator.add, value) for value in (lambda r: r + 1, lambda r: r / 2, lambda r: "abcd"[r], lambda r: [r, r],
        lambda r: 10**20 + r, lambda r: 1j * r, lambda r: np.arange(5) + r,
        lambda r: (np.arange(12.0) + r)[::2], lambda r: np.full((3, 4), 2 * r, "i2"))),
    (lambda left, right: left + right, lambda r: "abcd"[r]), (lambda left, right: left + right, lambda r: [r]),
    (operator.mul, lambda r: r + 2), (operator.mul, lambda r: np.array([r + 1.0, 2])),
    (operator.and_, lambda r: 7 - r), (operator.or_, lambda r: 1 << r), (operator.xor, lambda r: 3 * r),
    (operator.or_, lambda r: {r}), (min, lambda r: -r), (max, lambda r: (r % 2, r)), (min, lambda r: "adbc"[r]),
    (np.maximum, lambda r: np.array([r, -r])), (np.add, lambda r: np.arange(6).reshape(2, 3)[:, ::2] * r),
    (np.matmul, lambda r: np.array([[1, r], [0, 1]])), (mpi.MAX, lambda r: r % 3),
    (lambda left, right: left if len(left) >= len(right) else right, lambda r: "x" * (r % 3)),
    (functools.partial(operator.add), lambda r: r)]
for op, value in cases:
    given = [value(r) for r in range(size)]
    whole = functools.reduce(op, given)
    assert same(arrived(old.all_reduce(world, value(rank), op)), arrived(whole)), (op, whole)
    assert same(arrived(old.all_reduce(value(rank), op)), arrived(whole))
    assert same(arrived(old.all_reduce(op=op, value=value(rank))), arrived(whole))
    assert same(arrived(old.all_reduce(value(rank), op=op)), arrived(whole))
    for got in (old.reduce(world, value(rank), op, root), old.reduce(value(rank), op, root),
                old.reduce(value(rank), op, root=root), old.reduce(world, op=op, root=root, value=value(rank))):
        assert same(arrived(got), arrived(whole) if rank == root else None), (op, got)
    so_far = functools.reduce(op, given[: rank + 1])
    for got in old.scan(world, value(rank), op), old.scan(value(rank), op), old.scan(value=value(rank), op=op):
        assert same(arrived(got), arrived(so_far)), (op, got)
# neighbours in any grouping, but always in the order of ranks
def flat(tree):
    return [tree] if isinstance(tree, int) else [leaf for part in tree for leaf in flat(part)]
assert flat(old.all_reduce(world, rank, pair)) == list(range(size))
assert flat(old.scan(world, rank, pair)) == list(range(rank + 1))
result = old.all_reduce(world, np.zeros(3), operator.add)
result[0] = 1  # writable
# a function that fails does so for all
def wrong(left, right):
    raise KeyError("in the function")
if size > 1:
    for comm in world, old.Communicator():
        try:
            old.all_reduce(comm, 1, wrong)
        except (KeyError, old.Error) as error:
            assert "in the function" in str(error)
        else:
            raise AssertionError("no error")
assert old.all_reduce(world, True, operator.add) == size
"""
    run_in_job(BEGIN + script, ranks, stack)


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 3])
def test_mistakes_are_one_sentence(run_in_job, stack: Stack, ranks: int) -> None:
    script = """
root = size - 1
for wrong in -1, size:
    for call in (lambda: old.broadcast(world, 1, wrong), lambda: old.gather(world, 1, wrong),
                 lambda: old.reduce(world, 1, max, wrong), lambda: old.scatter(world, [1] * size, wrong)):
        with raises(old.Error, f"rank {rank}", f"root is {wrong}"):
            call()
# arguments that are missing
for call, name in ((lambda: old.broadcast(world, 1), "root"), (lambda: old.broadcast(1), "root"),
                   (lambda: old.gather(world, 1), "root"), (lambda: old.scatter(world, [1]), "root"),
                   (lambda: old.reduce(world, 1, max), "root"), (lambda: old.reduce(world, 1, root=0), "op"),
                   (lambda: old.all_reduce(world, 1), "op"), (lambda: old.all_reduce(op=max), "value"),
                   (lambda: old.scan(world), "value"), (lambda: old.scan(1), "op")):
    with raises(TypeError, f"rank {rank}, ", f"(): {name} is missing: give ", "(comm, "):
        call()
with raises(TypeError, f"rank {rank}, all_gather(): the communicator comes first, but 1 is none: give mpi.world"):
    old.all_gather(1, 2)
with raises(TypeError, "not 5"):
    old.all_reduce(world, 1, 5)
# what one rank cannot give ends the call on all
def none_left():
    raise KeyError("no more")
    yield
for pieces, kind, words in ((None, TypeError, f"scatter(): values must have one for each of the {size} ranks"),
                            (5, TypeError, "but is 5"), ([1] * (size + 1), old.Error, f"{size + 1}"),
                            (none_left(), KeyError, "no more"), ([lambda: 1] * size, None, "lambda")):
    try:
        old.scatter(world, pieces, root)
    except Exception as error:
        assert words in str(error) or rank != root, error
        assert isinstance(error, (kind or Exception) if rank == root else old.Error), error
    else:
        raise AssertionError("no error")
for pieces, words in (None, f"all_to_all(): values must have one for each of the {size}"), (none_left(), "no more"):
    with raises(TypeError if pieces is None else KeyError, words):
        old.all_to_all(world, pieces)
assert old.all_gather(world, rank) == tuple(range(size))
"""
    run_in_job(BEGIN + script, ranks, stack)
