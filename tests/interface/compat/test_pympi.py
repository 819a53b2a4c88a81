"""The facade of pyMPI: each of its calls, on one rank and on several, and what scripts written for it find."""

from pathlib import Path

import pytest
from rank_programs import PRELUDE

from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.any_library

BEGIN = (
    PRELUDE
    + """
from polympi.compat import pympi
from polympi.compat import pympi as old
def fails(call, kind, *words):
    try:
        call()
    except kind as error:
        assert all(word in str(error) for word in words), str(error)
    else:
        raise AssertionError("no error")
"""
)
SIZES = pytest.mark.parametrize("ranks", [1, 2, 3, 4])


CALLS = {
    "the module is that of all ranks": """
assert (old.rank, old.size, old.procs, old.persistent) == (rank, size, size, 1)
assert (old.WORLD.rank, old.WORLD.size, old.WORLD.procs, old.WORLD.persistent) == (rank, size, size, 1)
assert (old.comm_rank(), old.comm_size(), old.COLOR) == (rank, size, 0)
assert old.initialized() == 1 and old.finalized() == 0
assert old.name in mpi.library_version() and old.configuration["library"] == mpi.library_version()
for name in old.__all__:
    assert hasattr(old, name), name
for name in dir(old.WORLD):  # each method is a function, too
    if not name.startswith("_"):
        assert getattr(old, name) is not None or name == "rank", name
# ranks as a sequence
w = old.WORLD
assert list(w) == w[:] == list(range(size)) and len(w) == size and w[1::2] == list(range(size))[1::2]
assert w[-1] == size - 1 and size - 1 in w and size not in w
assert repr(w) == f"<pyMPI communicator, rank {rank} of {size}>"
fails(lambda: w[size], IndexError)
# time
first = old.time(); time.sleep(0.002)
assert 0.002 <= old.time() - first < 60 and 0 < old.wtick() == old.tick() < 0.01 and old.wtime() >= first
old.stopwatch(); time.sleep(0.002)
assert 0.002 <= old.stopwatch() < 60 and w.stopwatch() < 0.002 + 60
assert old.bcast_input_to_slaves("line" if rank == 0 else None) == "line"
# what is not there
for call, name in ((old.map, "map"), (old.mapserver, "mapserver"), (w.mapstats, "mapstats")):
    fails(lambda: call(abs, [1]), NotImplementedError, f"{name} of pyMPI is not in polympi.compat.pympi: cut the list")
fails(lambda: old.RemoteObject(old.WORLD, tag=5), NotImplementedError, "RemoteObject", "send the name of the method")
""",
    "messages are pairs of a value and a status": """
after, before = (rank + 1) % size, (rank - 1) % size
for tag, value in (3, None), (4, np.full(100_000, 1.5)):
    request = old.isend(value, after, tag)
    got, status = old.recv(before, tag)
    assert same(got, value)
    assert (status.source, status.tag, status.error) == tuple(status) == (before, tag, 0) and len(status) == 3
    assert status[0] == before and status[2] == 0
    assert repr(status) == f'<MPI_Status Source="{before}" Tag="{tag}" Error="0" \\\\>'
    request.wait()
# names and defaults
old.send(message="a", destination=rank)
assert old.recv() == ("a", (rank, 0, 0))
old.send("b", rank, 3)
assert old.recv(tag=3, source=old.ANY_SOURCE) == ("b", (rank, 3, 0))
c.barrier()  # before receives from any rank
big = np.full(50_000, rank)
got, status = old.sendrecv(big, after)
assert same(got, np.full(50_000, before)) and status == (before, 0, 0)
c.barrier()
got, status = old.sendrecv(message=rank, destination=after, source=before, sendtag=4, recvtag=4)
assert (got, status) == (before, (before, 4, 0))
# messages of polympi, of WORLD, of COMM_WORLD and of another communicator do not meet
twin = old.comm_dup()
for comm, value in ((mpi.world, "mpi"), (twin, "twin"), (old.COMM_WORLD, "COMM_WORLD"), (old.WORLD, "WORLD")):
    comm.send(value, rank, 1)
assert [comm.recv(rank, 1)[0] for comm in (old.WORLD, old.COMM_WORLD, twin)] == ["WORLD", "COMM_WORLD", "twin"]
assert mpi.world.recv(rank, 1) == "mpi"
twin.comm_free()
# errors
kinds = old.MPIError, RuntimeError, ValueError
for kind in kinds:
    fails(lambda: old.isend(1, -1), kind, "-1")
    fails(lambda: old.irecv(size), kind, str(size))
    fails(lambda: old.sendrecv(1, size, rank), kind, str(size))
fails(lambda: old.send(lambda: 1, rank), Exception, "lambda")
""",
    "requests are asked by attributes and by functions": """
after, before = (rank + 1) % size, (rank - 1) % size
asked = old.irecv(source=before, tag=1)
assert not asked and asked.ready == 0 and asked.test == (0, None) == old.test(asked) and "pending" in repr(asked)
assert old.testall(asked) == [] and old.testany(asked) == (None, None) and old.testsome([asked]) == ([], [])
c.barrier()
sent = old.isend(message=[rank], destination=after, tag=1)
assert asked.message == [before] and asked.ready == 1 and bool(asked) and "complete" in repr(asked)
assert asked.status == asked.wait() == old.wait(asked) == (before, 1, 0)
assert asked.test == old.test(asked) == (1, (before, 1, 0)) and asked.test_cancelled == old.test_cancelled(asked) == 0
sent.wait()
fails(lambda: sent.ready, AttributeError)
fails(lambda: sent.message, AttributeError)
sent.cancel()  # changes nothing
assert sent.test[0] == 1 and sent.test_cancelled == 0
# one that nobody sends for
never = old.irecv(before, 99)
old.cancel(never)
assert never.test_cancelled == old.test_cancelled(never) == 1 and never.message is None and never.status.error == 0
# many
def several(tag):
    return [old.irecv(before, tag + k) for k in range(3)], [old.isend((rank, k), after, tag + k) for k in range(3)]
receives, sends = several(10)
assert old.waitall(receives) == [(before, 10 + k, 0) for k in range(3)] and len(old.waitall(*sends)) == 3
assert [r.message for r in receives] == [(before, k) for k in range(3)]
assert old.testall(receives) == old.testall(*receives) == [(before, 10 + k, 0) for k in range(3)]
receives, sends = several(20)
seen = []
while (found := old.waitany(receives))[0] is not None:
    index, status = found
    assert status == (before, 20 + index, 0) and receives[index].message == (before, index)
    seen.append(index)
assert sorted(seen) == [0, 1, 2] and old.testany(receives) == (None, None)
old.waitall(sends)
receives, sends = several(30)
seen = []
while (some := old.waitsome(*receives))[0]:
    assert some[0] == sorted(some[0]) and some[1] == [(before, 30 + index, 0) for index in some[0]]
    seen += some[0]
assert sorted(seen) == [0, 1, 2] and old.testsome(receives) == ([], [])
old.waitall(sends)
receives, sends = several(40)
seen = []
while len(seen) < 3:
    index, status = old.testany(receives)
    if index is not None:
        assert status == (before, 40 + index, 0)
        seen.append(index)
old.waitall(sends)
assert sorted(seen) == [0, 1, 2]
assert old.waitall() == old.waitall([]) == old.testall() == [] and old.testany([]) == (None, None)
assert old.waitsome() == old.testsome([]) == ([], [])
fails(old.waitany, ValueError, "waitany needs a request, but got none")
for call in old.waitall, old.testall, old.waitany, old.testsome:
    fails(lambda: call(["no"]), TypeError, "'no' isn't a request: give what isend and irecv return")
fails(lambda: old.wait("x"), TypeError, "'x' isn't a request")
fails(lambda: old.wait(5), TypeError, "")
# dropped ones: the receive is given up, the send goes on
old.irecv(before, 50)
old.isend("kept", after, 50)
gc.collect()
assert old.recv(before, 50)[0] == "kept"
""",
    "sequences are scattered and gathered": """
old.barrier()
root = size - 1
assert old.bcast({"a": rank} if rank == 0 else None) == old.bcast({"a": rank}) == {"a": 0}
assert old.bcast() is None
assert old.bcast(rank, root) == old.bcast(message=rank, root=root) == root
grid = np.arange(44.0).reshape(11, 4)
# slices of the same type, the first ones longer
for length in 0, 1, size, 2 * size + 1, 11:
    text = "abcdefghijk"[:length]
    for whole in list(range(length)), tuple(range(length)), text, text.encode(), range(length):
        mine = old.scatter(whole) if rank == 0 else old.scatter()
        starts = [0, *itertools.accumulate(length // size + (r < length % size) for r in range(size))]
        assert same(mine, whole[starts[rank]:starts[rank + 1]]), (whole, mine)
        assert same(old.scatter(whole, root=root), mine)
        again = old.gather(mine)
        assert again == (list(whole) if rank == 0 else None) and old.allgather(mine) == list(whole)
    pieces = np.array_split(grid[:length, ::2], size)
    mine = old.scatter(grid[:length, ::2], root)
    assert same(mine, np.ascontiguousarray(pieces[rank]))
    mine[...] = mine + 0  # writable
    whole = old.gather(mine, root=root)
    assert (whole is None) == (rank != root)
    assert rank != root or np.array_equal(np.array(whole).reshape(-1, 2), grid[:length, ::2])
for nothing in 5, None, {1: 2}, {1, 2}, np.array(3):
    assert old.scatter(nothing) is None
# gather: a count, the root, strings as letters, other iterables that have a length
assert old.gather([rank, -1], 1) == (list(range(size)) if rank == 0 else None)
assert old.gather(message=[rank], count=1, root=root) == (list(range(size)) if rank == root else None)
assert old.gather([rank] * rank, rank, root) == ([r for r in range(size) for _ in range(r)] if rank == root else None)
assert old.allgather("ab") == ["a", "b"] * size and old.allgather("ab", 1) == ["a"] * size
assert old.allgather(np.array([rank, rank + 0.5])) == [r + half for r in range(size) for half in (0, 0.5)]
assert old.allgather({rank: 1}) == list(range(size)) and old.allgather([]) == []
for call in old.gather, old.allgather:
    fails(lambda: call([1], 2), RuntimeError, "Called gather with too-short sequence object", f"rank {rank} has 1 item")
    fails(lambda: call(5), TypeError, "5 is none: give [5]")
for call in old.bcast, old.scatter, lambda x, root: old.gather(x, 1, root):
    for kind in ValueError, RuntimeError:
        fails(lambda: call([1], root=size), kind, str(size))
""",
    "reductions are those of python": """
from functools import reduce
import operator as of
root = size - 1
bools = [r % 3 != 1 for r in range(size)]
cases = [
    *((old.SUM, value, of.add) for value in (
        lambda r: r + 1, lambda r: r / 2, lambda r: "abcd"[r], lambda r: [r, r], lambda r: (r,), lambda r: 10**20 + r,
        lambda r: 1j * r)),
    (old.PROD, lambda r: r + 2, of.mul), (old.MAX, lambda r: -r, max), (old.MIN, lambda r: -r, min),
    (old.MAX, lambda r: "adbc"[r], max), (old.MIN, lambda r: (r % 2, r), min),
    (old.LAND, lambda r: 5 * bools[r], lambda a, b: int(a and b)),
    (old.LOR, lambda r: [] if bools[r] else [r], lambda a, b: int(a or b)),
    (old.LXOR, lambda r: 7 * bools[r], lambda a, b: int(a != b)),
    (old.BAND, lambda r: 7 - r, of.and_), (old.BOR, lambda r: 1 << r, of.or_), (old.BXOR, lambda r: 3 * r, of.xor),
    (old.MINLOC, lambda r: ((r + 1) % 2, r), min),
    (old.MAXLOC, lambda r: (r % 2, r), lambda a, b: b if b[0] > a[0] else a),
    (lambda a, b: a + b + 2, lambda r: r, lambda a, b: a + b + 2),
    (lambda a, b: a - b, lambda r: r + 1, of.sub),  # not associative
    (lambda a, b: [a, b], lambda r: r, lambda a, b: [a, b]),
    (max, lambda r: r, max),
]
logical = old.LAND, old.LOR, old.LXOR
for op, value, function in cases:
    values = [value(r) for r in range(size)]
    if op in logical:
        values = [int(bool(v)) for v in values]
    whole = reduce(function, values)
    assert same(old.reduce(value(rank), op), whole if rank == 0 else None), (op, whole)
    assert same(old.reduce(message=value(rank), operator=op, root=root), whole if rank == root else None)
    assert same(old.allreduce(value(rank), op), whole)
    assert same(old.allreduce(value(rank), operator=op, root=root), whole)
    assert same(old.scan(value(rank), op), reduce(function, values[:rank + 1])), (op, old.scan(value(rank), op))
# a value before all
grounds = (old.SUM, of.add, 100), (old.LAND, lambda a, b: int(a and b), 0), (lambda a, b: a - b, of.sub, 5)
for op, function, ground in grounds:
    values = [1] * size
    whole = reduce(function, values, ground)
    assert same(old.reduce(1, op, 0, ground), whole if rank == 0 else None)
    assert same(old.allreduce(1, op, ground=ground), whole) and same(old.allreduce(1, op, root, ground=ground), whole)
    assert same(old.scan(1, op, ground=ground), reduce(function, values[:rank + 1], ground))
assert old.reduce("b", old.SUM, ground="a", root=0) == ("a" + "b" * size if rank == 0 else None)
# type
assert same(old.allreduce(rank, old.SUM, type=float), float(sum(range(size))))
assert same(old.reduce(rank + 0.7, old.SUM, 0, None, int), sum(range(size)) if rank == 0 else None)
# values that aren't pairs, with their ranks
assert old.allreduce(rank % 2 + 0.5, old.MAXLOC) == ((1.5, 1) if size > 1 else (0.5, 0))
assert same(old.allreduce([4, rank], old.MINLOC), (4, 0))
# arrays, also strided ones
grid = np.arange(12.0).reshape(3, 4) + rank
total = sum(np.arange(12.0).reshape(3, 4)[:, ::2] + r for r in range(size))
assert same(old.allreduce(grid[:, ::2], old.SUM), total)
assert same(old.reduce(grid[:, ::2], lambda a, b: a + b), total if rank == 0 else None)
assert same(old.allreduce(np.array([rank, -rank]), old.MAX), np.array([size - 1, 0]))
result = old.allreduce(np.zeros(3), old.SUM); result[0] = 1  # writable
# operators may be called, and sent
assert old.SUM(2, 3) == 5 and same(old.LAND(2, 0), 0) and repr(old.MAX) == "<pyMPI operator MAX>"
assert old.bcast(old.MINLOC) is old.MINLOC
# errors
def wrong(a, b):
    raise KeyError("in the function")
for call in old.allreduce, old.scan:
    if size > 1:
        words = f"rank {rank}, {call.__name__}(): rank 0 could not combine what the ranks gave: KeyError"
        fails(lambda: call(1, wrong), KeyError if rank == 0 else old.MPIError, words if rank else "in the function")
if size > 1 and rank == 0:
    fails(lambda: old.reduce(1, wrong), KeyError, "in the function")
else:
    assert old.reduce(1, wrong) == (None if size > 1 else 1)
fails(lambda: old.allreduce(1, "+"), TypeError, "the operator of a reduction is '+', but must be one like mpi.SUM")
calls = [lambda: old.reduce(1, old.SUM, size), lambda: old.allreduce(1, old.SUM, size, ground=1),
         lambda: old.allreduce(1, max, size), lambda: old.scan(1, max, size)]
for call, kind in itertools.product(calls, (RuntimeError, ValueError)):
    fails(call, kind, str(size))
old.barrier()
""",
    "communicators and meshes are made": """
w = old.WORLD
assert w and w == old.communicator(w) == old.communicator(int(w), persist=0) != old.COMM_WORLD and int(w) != 0
assert hash(w) == hash(old.communicator(w)) and w != 1
assert not old.COMM_NULL and old.communicator() == old.COMM_NULL and int(old.COMM_NULL) == len(old.COMM_NULL) == 0
assert repr(old.COMM_NULL) == "<pyMPI COMM_NULL>" and list(old.COMM_NULL) == [] and old.COMM_NULL.rank == old.UNDEFINED
for call in lambda: old.COMM_NULL.send(1, 0), old.COMM_NULL.barrier, lambda: old.COMM_NULL.allreduce(1, old.SUM):
    fails(call, RuntimeError, "was called on COMM_NULL: this rank is not in the communicator, or has freed it. Ask")
fails(lambda: old.communicator(10**6), ValueError, "there is no communicator with the number 1000000")
twin = w.comm_dup()
assert twin != w and (twin.comm_rank(), twin.comm_size(), twin.persistent) == (rank, size, 1)
other_object = old.communicator(twin)
assert other_object.allgather([rank]) == list(range(size))
number = int(twin)
twin.comm_free()
assert not twin and twin.size == 0
fails(twin.barrier, RuntimeError, "COMM_NULL")
fails(other_object.barrier, RuntimeError, "freed")
fails(lambda: old.communicator(number), ValueError, str(number))
# of some ranks
for group in ([0], 0, range(size), w[::2], w[::-1], w, list(range(size))[1:]):
    ranks = [0] if group == 0 and type(group) is int else list(group)
    made = w.comm_create(group)
    assert bool(made) == (rank in ranks) and (made or made == old.COMM_NULL)
    if made:
        assert made.rank == ranks.index(rank) and made.size == len(ranks)
        assert made.allgather([rank]) == ranks
        assert made.reduce(rank, old.SUM) == (sum(ranks) if made.rank == 0 else None)
        made.comm_free()
assert w.comm_create(None) is None
half = old.comm_create([r for r in w if r % 2 == rank % 2])  # two groups at the same time
assert half.allgather([rank]) == [r for r in w if r % 2 == rank % 2]
half.comm_free()
for wrong in [size], [-1], [0, 0]:
    fails(lambda: w.comm_create(wrong), ValueError, f"the group {wrong} must have different ranks of 0 to {size - 1}")
if size > 1:  # ranks that give different groups
    fails(lambda: w.comm_create(list(w) if rank == 0 else list(w)[::-1]), RuntimeError, "give the same group on all")
    if rank == 1:
        assert w.comm_create(None) is None
    else:
        fails(lambda: w.comm_create(w), RuntimeError, f"rank {rank}, comm_create(): this rank gives the group [0, 1")
# meshes: a ring of all unless periods say otherwise
for ring in old.cart_create(), old.cartesian_communicator(), w.cart_create():
    assert (ring.dims, ring.ndims, ring.periods, ring.coords()) == ([size], 1, [1], (rank,))
    assert ring.shift() == ((rank - 1) % size, (rank + 1) % size) and ring.coords(-1) == (size - 1,)
    assert ring.allgather([rank]) == list(range(size))
    ring.comm_free()
    fails(ring.coords, RuntimeError, "this rank is not in the mesh")
dims = (2, size // 2) if size % 2 == 0 else (1, size)
mesh = old.cartesian_communicator(w, dims, [0, 1], reorder=0)
assert mesh.dims is dims and mesh.periods == [0, 1] and mesh.ndims == 2 and isinstance(mesh, old.communicator)
assert mesh.coords() == mesh.coords(rank=rank) == divmod(rank, dims[1]) and len(mesh) == size
source, dest = mesh.shift(direction=0, displacement=1)
got, status = mesh.sendrecv(rank, dest, source)
if mesh.coords()[0] == 0:  # an open end
    assert got is None and status == (source, old.ANY_TAG, 0) and mesh.recv(source) == (None, status)
    assert mesh.irecv(source).message is None
else:
    assert got == rank - dims[1]
assert mesh.shift(1, 2)[1] == rank - rank % dims[1] + (rank % dims[1] + 2) % dims[1]
fails(lambda: mesh.coords(size), ValueError, str(size))
fails(lambda: mesh.shift(2), ValueError, "axis 2 is not in the mesh")
mesh.comm_free()
fails(lambda: old.cart_create([size], [1, 1]), ValueError, "there are 2 periods for 1 dims")
fails(lambda: old.cart_create([size, 2]), RuntimeError, f"needs {2 * size} ranks")
fails(lambda: old.cart_create([size, 2]), ValueError, f"needs {2 * size} ranks")
if size > 1:
    part = w.cart_create([size - 1], [0])
    assert bool(part) == (rank < size - 1)
    fails(part.coords, old.MPIError, "ask `if communicator:` first") if not part else part.comm_free()
""",
}


@SIZES
@pytest.mark.parametrize("script", CALLS.values(), ids=CALLS)
def test_calls(run_in_job, stack: Stack, ranks: int, script: str) -> None:
    run_in_job(BEGIN + script, ranks, stack)


@SIZES
def test_output_comes_in_the_order_of_ranks(run_in_job, stack: Stack, ranks: int, tmp_path: Path) -> None:
    script = """
old.synchronizedWriteln("rank", rank, "of", size)
old.synchronizedWrite("<", rank, ">", file=sys.stdout)
old.WORLD.synchronizedWrite()
with open(sys.argv[1], "a") as file:
    old.synchronizedWriteln("line", rank, file=file)
old.synchronizeQueuedOutput()
old.synchronizeQueuedOutput(stdout=sys.stdout, stderr=sys.stderr)
old.synchronizeQueuedOutput("/dev/null", "/dev/null")
old.synchronizeQueuedOutput(None, None)
if rank == 0:
    old.WORLD.synchronizeQueuedOutput(sys.argv[1] + ".out", stderr=sys.argv[1] + ".err")
else:
    old.WORLD.synchronizeQueuedOutput()
old.trace("trace", rank)
old.traceln("", 1.5)
"""
    place = tmp_path / "lines.txt"
    wrote = run_in_job(BEGIN + script, ranks, stack, arguments=[str(place)])
    lines = "".join(f"rank {rank} of {ranks}\n" for rank in range(ranks))
    parts = "".join(f"< {rank} >" for rank in range(ranks))
    assert wrote == lines + parts + "".join(f"trace {rank} 1.5\n" for rank in range(ranks))
    assert place.read_text() == "".join(f"line {rank}\n" for rank in range(ranks))
    assert {made.name for made in tmp_path.glob("lines*")} == {"lines.txt", "lines.txt.out", "lines.txt.err"}


def test_every_message_has_its_own_source_and_tag(run_in_job, stack: Stack) -> None:
    # Statuses are kept and given again.
    script = """
from polympi.compat import pympi as mpi
from polympi.compat.pympi.requests import MOST_KEPT, statuses
peer, tags = 1 - rank, MOST_KEPT + 100  # more than are kept
for turn in range(2):
    for tag in range(tags):
        message, status = mpi.sendrecv(tag, peer, peer, tag, tag)
        assert (message, status, status.source, status.tag, status.error) == (tag, (peer, tag, 0), peer, tag, 0)
        assert type(status) is type(statuses[peer, 0])
assert len(statuses) <= MOST_KEPT
"""
    run_in_job(PRELUDE + script, 2, stack)
