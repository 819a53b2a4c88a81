"""The facade of boostmpi and boost.mpi: what its calls do on several ranks, and that scripts written for it run."""

import subprocess
import sys

import pytest
from rank_programs import PRELUDE

from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.any_library

BEGIN = (
    PRELUDE
    + """
import functools
import operator
from any_values import VALUES, arrived
from polympi.compat import boostmpi as old
world = old.world
right, left = (rank + 1) % size, (rank - 1) % size
"""
)
SIZES = pytest.mark.parametrize("ranks", [1, 2, 3, 4])


# ---- without MPI ----


def test_the_package_of_boost_alone_starts_nothing() -> None:
    program = """
import sys
from polympi.compat import boost
assert not any(name.startswith("polympi.native.core_") or name == "polympi.startup" for name in sys.modules)
try:
    boost.python
except AttributeError as error:
    print(error)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout == (
        "module 'polympi.compat.boost' has no attribute 'python': of Boost, only boost.mpi is here\n"
    )


# ---- the module ----


# ---- messages ----


CALLS = {
    "the module is that of all ranks": """
import socket
assert (old.rank, old.size, world.rank, world.size) == (rank, size, rank, size)
assert old.initialized() is True and old.finalized() is False
assert old.init() is old.init(sys.argv) is old.init(sys.argv, abort_on_exception=False) is False
assert old.processor_name == socket.gethostname() and old.host_rank is None and old.io_rank == old.any_source
assert old.max_tag >= 32767 and old.collectives_tag == old.max_tag + 1
assert all(hasattr(old, name) for name in old.__all__) and "Exception" not in old.__all__
public = {name for name, value in vars(old).items() if name[0] != "_" and type(value).__name__ != "module"}
assert public - set(old.__all__) == {"DIFFERENCES", "Exception", "annotations"}, public - set(old.__all__)
namespace = {}
exec("from polympi.compat.boostmpi import *\\nkind = Exception", namespace)
assert namespace["kind"] is Exception and namespace["Error"] is old.Exception and issubclass(old.Exception, Exception)
assert old.ObjectWithoutSkeleton is old.ObjectWithoutSkeletonError and issubclass(old.ObjectWithoutSkeleton, old.Error)
# the highest tags
for tag in old.max_tag, old.collectives_tag:
    world.send(right, tag, "high")
    assert world.recv(left, tag, True)[1].tag == tag
with raises(OverflowError if old.collectives_tag == 2**31 - 1 else old.Error, "tag", str(old.collectives_tag + 1)):
    world.send(right, old.collectives_tag + 1, "higher")
# a watch
timer = old.Timer()
time.sleep(0.002)
assert 0.002 <= timer.elapsed < 60 and timer.elapsed >= timer.elapsed_min > 0 and timer.elapsed < timer.elapsed_max
assert timer.time_is_global is False
before = timer.elapsed
timer.restart()
assert timer.elapsed < before + 60
""",
    "messages arrive as they were sent": """
for tag, value in (3, None), (4, np.arange(30.0).reshape(5, 6)[::2, ::3]), (5, np.full(100_000, 1.5)):
    sending = world.isend(right, tag, value)
    got, status = world.recv(left, tag, return_status=True)
    assert same(got, arrived(value)), value
    assert (status.source, status.tag, status.error, status.cancelled) == (left, tag, 0, False)
    assert type(sending.wait()) is old.Status
    world.isend(dest=right, tag=tag, value=value)
    got, status = world.irecv(source=left, tag=tag).wait()
    assert same(got, arrived(value)) and (status.source, status.tag) == (left, tag)
# names, defaults, the third argument of recv
world.send(right)
assert world.recv(left) is None
world.send(right, value="named", tag=4)
assert same(world.recv(left, 4, False), "named")
world.send(right, 4, "third")
value, status = world.recv(left, 4, True)
assert value == "third" and repr(status) == f"<boostmpi status: source {left}, tag 4>"
world.barrier()  # others may not send yet to ranks that receive from any
world.send(right, 5, [rank])
value, status = world.recv(return_status=True)
assert value == [left] and (status.source, status.tag) == (left, 5)
world.barrier()
# probes
assert world.iprobe() is None and world.iprobe(left, 9) is None
world.barrier()
world.send(right, 8, "first")
world.send(right, 9, "second")
found = world.probe(old.any_source, 9)
assert type(found) is old.Status and (found.source, found.tag) == (left, 9)
assert (world.probe().source, world.probe(left, 8).tag) == (left, 8)
found = world.iprobe(left)
assert (found.source, found.tag) == (left, 8) and world.recv(found.source, found.tag) == "first"
assert world.recv(old.any_source, old.any_tag) == "second"
# messages of polympi, of world and of another communicator do not meet
part = world.split(0)
for comm, value in (part, "part"), (world, "world"):
    comm.send(right, 1, value)
mpi.world.send("polympi", right, 1)
assert (world.recv(left, 1), part.recv(left, 1), mpi.world.recv(left, 1)) == ("world", "part", "polympi")
assert old.Communicator() == world and old.Communicator() is not world and part != world
world.send(right, 1, "same")
assert old.Communicator().recv(left, 1) == "same"
part._comm.free()
# nobody
assert world.send(mpi.PROC_NULL, 0, 5) is None and world.recv(mpi.PROC_NULL) is None
assert world.irecv(mpi.PROC_NULL).wait()[0] is None
""",
    "skeletons and contents are those of arrays": """
root = size - 1
arrays = [np.arange(12.0), np.arange(12).reshape(3, 4), np.asfortranarray(np.arange(12.0).reshape(3, 4)), np.array(5),
    np.zeros((0, 3)), np.arange(24.0).reshape(4, 6)[::2, ::3], np.arange(20_000, dtype=">i4"), np.array([b"ab", b"c"]),
    np.array([(1, 2.5)], [("a", "i2"), ("b", "f8")])]
for array in arrays:
    sending = world.isend(right, 2, old.skeleton(array))
    proxy = world.recv(left, 2)
    sending.wait()
    assert type(proxy) is old.SkeletonProxy and "skeleton of shape" in repr(proxy)
    assert (proxy.object.shape, proxy.object.dtype) == (array.shape, array.dtype)
    content = old.get_content(proxy.object)
    assert content.object is proxy.object and type(content) is old.Content and "content of shape" in repr(content)
    sending = world.isend(right, 3, old.get_content(array))
    got, status = world.recv(left, 3, content, return_status=True)
    sending.wait()
    assert got is proxy.object and np.array_equal(got, array) and (status.source, status.tag) == (left, 3)
    proxy.object[...] = np.zeros((), array.dtype)
    receiving = world.irecv(left, 3, buffer=content)
    sending = world.isend(right, 3, old.get_content(array))
    got, status = receiving.wait()
    assert got is proxy.object and np.array_equal(got, array) and status.tag == 3
    sending.wait()
    # of all ranks
    proxy = old.broadcast(world, old.skeleton(array) if rank == root else None, root)
    assert (proxy.object.shape, proxy.object.dtype) == (array.shape, array.dtype)
    if rank == root:
        proxy.object[...] = array
    assert old.broadcast(world, old.get_content(proxy.object), root) is proxy.object
    assert np.array_equal(proxy.object, array)
small = np.arange(4.0)
world.send(right, 3, old.get_content(small))
assert same(world.recv(left, 3), small)  # a content arrives as an array where none is given
room = np.zeros(8)
world.send(right, 3, old.get_content(small))
assert world.recv(left, 3, old.get_content(room[::2])).base is room and room.tolist() == [0, 0, 1, 0, 2, 0, 3, 0]
for value in [1, 2], 5, "text", None, np.array([None]), np.float64(1):
    for call in old.skeleton, old.get_content:
        with raises(old.ObjectWithoutSkeleton, f"{call.__name__}(): only NumPy arrays", f"not {type(value).__name__}"):
            call(value)
try:
    old.skeleton(value)
except old.ObjectWithoutSkeletonError as error:
    assert error.object is value
# what does not fit: it is lost, the next one is not
world.send(right, 3, small)
with raises(old.Error, f"rank {rank}"):
    world.recv(left, 3, old.get_content(np.zeros(4, int)))
world.send(right, 3, small)
with raises(old.Error, f"rank {rank}", "4"):
    world.irecv(left, 3, old.get_content(np.zeros(2))).wait()
locked = np.zeros(4)
locked.flags.writeable = False
with raises(old.Error, f"rank {rank}"):
    world.irecv(left, 3, old.get_content(locked))
world.send(right, 3, "next")
assert world.recv(left, 3) == "next"
""",
    "requests alone and in lists": """
asked = world.irecv(left, 1)
assert asked.test() is None and repr(asked) == "<boostmpi RequestWithValue, pending>"
world.barrier()
sent = world.isend(right, 1, [rank])
while (got := asked.test()) is None:
    pass
value, status = got
assert value == [left] and (status.source, status.tag) == (left, 1) and asked.wait() == asked.test() == got
assert repr(asked) == "<boostmpi RequestWithValue, complete>"
while sent.test() is None:
    pass
assert type(sent.wait()) is old.Status
sent.cancel()  # changes nothing
# one that nobody sends for
never = world.irecv(left, 99)
never.cancel()
value, status = never.wait()
assert value is None and status.cancelled is True and "cancelled" in repr(status)

def several(tag, kind=old.RequestList):
    return (kind([world.irecv(left, tag + k) for k in range(4)]),
            kind([world.isend(right, tag + k, (rank, k)) for k in range(4)]))
reported = []
def report(value, status):
    reported.append((value, status.source, status.tag))
def took(tag, *places):
    "Whether exactly these messages were reported."
    found = reported == [((left, k), left, tag + k) for k in places]
    reported.clear()
    return found
# all
for kind in old.RequestList, list, tuple:
    receives, sends = several(10, kind)
    assert old.wait_all(receives, report) is None and took(10, 0, 1, 2, 3)
    old.wait_all(sends)
    assert old.test_all(receives, callable=report) is True and took(10, 0, 1, 2, 3)
    assert old.test_all(sends) is True
world.barrier()
receives = old.RequestList(world.irecv(left, 20 + k) for k in range(2))
assert old.test_all(receives, report) is False and old.test_any(receives) is None and not reported
order = list(receives)
assert old.test_some(receives, report) == 2 and receives == order and not reported
world.barrier()
world.send(right, 21, "only")  # the second alone
assert old.wait_some(receives, report) == 1 and receives == [order[0], order[1]] and reported == [("only", left, 21)]
reported.clear()
assert old.test_some(receives, report) == 1 and receives == order and not reported and old.test_any(receives) is None
world.barrier()
world.send(right, 20, "other")
value, status, index = old.wait_any(receives)
assert (value, status.source, status.tag, index) == ("other", left, 20, 0)
for call in old.wait_any, old.test_any:
    with raises(ValueError, f"{call.__name__}(): earlier calls have found all requests of the list complete"):
        call(receives)
assert old.wait_some(receives, report) == old.test_some(receives, report) == 0 and not reported
# what is complete goes to the end
receives = old.RequestList(world.irecv(left, 30 + k) for k in range(4))
order = list(receives)
world.barrier()
world.send(right, 30, (rank, 0))
world.send(right, 32, (rank, 2))
world.send(right, 39, "after them")
assert world.recv(left, 39) == "after them"
while (index := old.wait_some(receives, report)) > 2:
    pass
assert index == 2 and receives[:2] == [order[1], order[3]] and set(receives[2:]) == {order[0], order[2]}
assert sorted(reported) == [((left, k), left, 30 + k) for k in (0, 2)]
reported.clear()
del receives[index:]
world.barrier()
world.send(right, 31, (rank, 1))
world.send(right, 33, (rank, 3))
while receives:
    del receives[old.wait_some(receives, report):]
assert sorted(reported) == [((left, k), left, 30 + k) for k in (1, 3)]
reported.clear()
# any, until none is left; sends, too
receives, sends = several(40)
seen = []
while receives:
    value, status, index = old.wait_any(receives)
    assert value == (left, status.tag - 40) and status.source == left
    seen.append(status.tag)
    del receives[index]
assert sorted(seen) == [40, 41, 42, 43]
seen = []
while len(seen) < 4:
    if (found := old.test_any(sends)) is not None:
        assert found[0] is None and type(found[1]) is old.Status
        seen.append(found[2])
assert sorted(seen) == [0, 1, 2, 3]
# lists
requests = old.RequestList()
requests.append(world.isend(right, 50))
requests.extend([world.irecv(left, 50)])
assert len(requests) == 2 and requests[1] in requests and world.irecv(mpi.PROC_NULL) not in requests
assert isinstance(requests[0], old.Request) and isinstance(requests[1], old.RequestWithValue)
old.wait_all(requests)
for call in old.wait_any, old.test_any, old.wait_all, old.test_all, old.wait_some, old.test_some:
    with raises(ValueError, "cannot wait on an empty request vector"):
        call([])
    with raises(TypeError, f"{call.__name__}(): 5 isn't a request: give what isend and irecv return"):
        call([5])
for call in old.wait_some, old.test_some:
    with raises(TypeError, f"{call.__name__}() moves complete requests to the end: give a RequestList"):
        call(tuple(requests))
""",
    "communicators are split": """
half = world.split(rank % 2)
members = [r for r in range(size) if r % 2 == rank % 2]
assert type(half) is old.Communicator and half and (half.rank, half.size) == (members.index(rank), len(members))
assert old.all_gather(half, rank) == tuple(members)
assert repr(half) == f"<boostmpi communicator, rank {half.rank} of {half.size}>"
back = world.split(0, -rank)
assert old.all_gather(back, rank) == tuple(reversed(range(size))) and back != world and hash(back) != hash(world)
assert hash(world) == hash(old.Communicator()) and world != 5
assert same(old.broadcast(back, rank, 0), size - 1)
alone = world.split(color=None if rank else 3, key=0)
assert bool(alone) == (rank == 0)
if not alone:
    assert (alone.rank, alone.size) == (-1, 0) and repr(alone) == "<boostmpi communicator of no ranks>"
    for call in (lambda: alone.send(0), alone.barrier, lambda: old.all_gather(alone, 1), alone.irecv,
                 lambda: alone.recv(0), lambda: alone.split(1), alone.iprobe):
        with raises(old.Error, "was called on a communicator of no ranks: ask `if communicator:` first"):
            call()
with raises(old.Error, f"rank {rank}, split(): color is -1"):
    world.split(-1)
for comm in half, back, alone:
    if comm:
        comm._comm.free()
with raises(old.Error, "freed"):
    half.barrier()
""",
    "values are shared and gathered": """
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
""",
    "reductions are those of Python": """
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
""",
}


@SIZES
@pytest.mark.parametrize("script", CALLS.values(), ids=CALLS)
def test_calls(run_in_job, stack: Stack, ranks: int, script: str) -> None:
    run_in_job(BEGIN + script, ranks, stack)


MISTAKES = {
    "in messages": """
for wrong in -1, size:
    for call in (lambda: world.send(wrong, 0, 1), lambda: world.recv(wrong), lambda: world.isend(wrong, 0, 1),
                 lambda: world.recv(wrong, 0, True), lambda: world.irecv(wrong), lambda: world.probe(wrong),
                 lambda: world.iprobe(wrong)):
        with raises(old.Error, f"rank {rank}", f"is {wrong}", f"the ranks of this communicator are 0 to {size - 1}"):
            call()
for call in (lambda: world.send(right, -2, 1), lambda: world.recv(left, -2), lambda: world.isend(right, -2, 1)):
    with raises(old.Error, f"rank {rank}", "tag is -2"):
        call()
try:
    world.send(size, 0, 1)
except old.Exception as error:
    assert error.what == error.routine == str(error) and type(error.result_code) is int and error.result_code > 0
with raises(TypeError, "str"):
    world.send("1", 0, 1)
for call in world.recv, world.irecv:
    for buffer in [1], np.zeros(1):
        with raises(TypeError, f"rank {rank}, {call.__name__}(): the third argument is", "give mpi.get_content(array)"):
            call(left, 3, buffer)
""",
    "in collectives": """
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
""",
}


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("script", MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_reported_in_one_sentence(run_in_job, stack: Stack, ranks: int, script: str) -> None:
    run_in_job(BEGIN + script, ranks, stack)
