"""The facade of Scientific.MPI: what its calls do on several ranks, and that scripts written for it run."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from rank_programs import PRELUDE

from polympi.compat.scientific import N
from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.any_library

BEGIN = (
    PRELUDE
    + """
from polympi.compat.scientific import MPI, N
from polympi.compat.scientific.MPI import IO
from polympi.compat.scientific.MPI.errors import ArgumentError
world = MPI.world
right, left = (rank + 1) % size, (rank - 1) % size
def shifted(x, *given):
    "What comes from the left when all send to the right."
    sending = world.nonblockingSend(x, right, 3)  # large messages wait for their receivers
    try:
        return world.receive(*given)
    finally:
        sending.wait()
"""
)
SIZES = pytest.mark.parametrize("ranks", [1, 2, 4])


# ---- without MPI ----


def test_the_package_alone_starts_nothing_and_says_what_is_not_there() -> None:
    program = """
import sys
from polympi.compat import scientific
from polympi.compat.scientific import N
assert not any(name.startswith("polympi.native.core_") or name == "polympi.startup" for name in sys.modules)
try:
    from polympi.compat.scientific import BSP
except NotImplementedError as error:
    print(error)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout.startswith("Scientific.BSP of ScientificPython is not in polympi.compat.scientific: ")


def test_differences_name_arrays_that_there_are() -> None:
    assert set(N.DIFFERENCES) <= set(N.__all__)
    assert len(set(N.__all__)) == len(N.__all__)
    assert all(sentence.endswith(".") for sentence in N.DIFFERENCES.values())


def test_arrays_have_the_names_and_the_defaults_of_numeric() -> None:
    assert all(hasattr(N, name) for name in N.__all__)
    codes = {
        "Int": "l",
        "Int16": "i2",
        "UInt8": "u1",
        "Float": "f8",
        "Float32": "f4",
        "Complex": "c16",
        "Complex32": "c8",
    }
    for code, dtype in {**codes, "Character": "S1"}.items():
        assert np.dtype(getattr(N, code)) == np.dtype(dtype)
    grid = np.arange(6).reshape(2, 3)
    for made, expected in [
        (N.zeros(3), np.zeros(3, int)),
        (N.ones((2, 2), N.Float), np.ones((2, 2))),
        (N.zeros_st((2,), np.zeros(1, "f")), np.zeros(2, "f")),
        (N.array([1, 2], N.Float), np.array([1.0, 2.0])),
        (N.arange(3), np.arange(3)),
        (N.arange(1, 2, 0.5, N.Float32), np.array([1, 1.5], "f")),
        (N.arange(3, typecode=N.Complex), np.array([0, 1, 2 + 0j])),
        (N.sum(grid), grid.sum(0)),
        (N.sum(grid, 1), grid.sum(1)),
        (N.product(grid), grid.prod(0)),
        (N.cumsum(grid), grid.cumsum(0)),
        (N.cumproduct(grid), grid.cumprod(0)),
        (N.average(grid), grid.mean(0)),
        (N.alltrue(grid), grid.all(0)),
        (N.sometrue(grid), grid.any(0)),
        (N.take(grid, [1]), grid[[1]]),
        (N.repeat(grid, 2), grid.repeat(2, 0)),
        (N.compress([1, 0, 1], grid), grid[:, [0, 2]]),
        (N.nonzero(grid[0]), np.array([1, 2])),
        (N.fromstring("ab", N.Character), np.array([b"a", b"b"])),
        (N.fromfunction(lambda i, j: 10 * i + j, (2, 2)), np.array([[0, 1], [10, 11]])),
        (N.cross_correlate([1, 2], [3, 4]), np.array([11])),
        (N.cross_correlate([1, 2], [3, 4], 2), np.array([4, 11, 6])),
        (N.linspace(0, 1, 3), np.array([0, 0.5, 1])),
    ]:
        assert (made.dtype, made.shape, made.tolist()) == (expected.dtype, expected.shape, expected.tolist())
        made[...] = expected  # it can be written
    assert N.array(grid, copy=0) is N.asarray(grid) is grid
    assert N.array(grid) is not grid
    assert N.rank(grid) == 2
    assert N.NewAxis is None
    assert N.ArrayType is N.array_type is type(grid)


# ---- messages ----


@SIZES
def test_messages_arrive_as_they_were_sent(run_in_job, stack: Stack, ranks: int) -> None:
    script = """
assert (world.rank, world.size) == (rank, size)
for code in N.Character, "b", "l", "d", "F", "?", ">f8", "M8[s]", "S3", "f2":
    dtype = np.dtype(code)
    count = 2 if dtype.kind == "c" else 1
    for shape in (0,), (), (5,), (3, 4), (2, 3, 500):
        x = (np.arange(np.prod(shape, dtype=int)) % 100 + left).astype(dtype).reshape(shape)
        mine = (np.arange(np.prod(shape, dtype=int)) % 100 + rank).astype(dtype).reshape(shape)
        if len(code) == 1:
            got, source, tag, elements = shifted(mine, code + "xyz")
            assert same(got, x.ravel()) and (source, tag, elements) == (left, 3, count * x.size), (code, shape)
            got[...] = got
        room = np.zeros(shape, dtype)
        got = shifted(mine, room, left, 3)
        assert got[0] is room and same(room, x) and got[1:] == (left, 3, count * x.size), (code, shape)
        larger = np.zeros((4, 1000), dtype)
        expected = larger.copy()
        expected.flat[:x.size] = x.ravel()
        assert shifted(mine, larger)[3] == count * x.size and same(larger, expected)
        strided = np.zeros((8, 2000), dtype)[::2, ::2]
        assert shifted(mine, strided)[0] is strided and same(strided.copy(), expected)
        request = world.nonblockingReceive(strided, left, 3)
        sending = world.nonblockingSend(mine, right, 3)
        assert repr(sending).endswith(": active>")
        assert request.wait()[1:] == (left, 3, count * x.size) and same(strided.copy(), expected)
        assert sending.wait() is None and repr(sending).endswith(": expired>")
grid = np.arange(24.0).reshape(4, 6) + rank
from_left = np.arange(24.0).reshape(4, 6) + left
assert same(shifted(grid[::2, 1::2], "d")[0], from_left[::2, 1::2].ravel())
row = np.zeros(12)[::2]
assert shifted(grid[:, 0], row)[0] is row and row.tolist() == [*from_left[:, 0].tolist(), 0, 0]
assert same(shifted(np.matrix([[rank, 2.0]]), "d")[0], np.array([left, 2.0]))
# strings
for x in "", "abc", "ä" * 5000, b"a", f"from {rank}":
    sending = world.nonblockingSend(x, right, 7)
    expected = f"from {left}" if x == f"from {rank}" else x
    assert same(world.receiveString(left, 7), (expected, left, 7))
    sending.wait()
    world.send(x[:100], right, 7)
    assert len(world.receiveString()[0]) == len(x[:100])
world.send("text", right, 1)
assert same(world.receive(N.Character)[0], np.array([b"t", b"e", b"x", b"t"]))
world.send("text", right, 1)
room = np.zeros(6, "b")
assert world.receive(room)[3] == 4 and bytes(room) == b"text\\0\\0"
world.send(np.frombuffer(b"text", N.Character), right, 1)
assert same(world.receiveString(), ("text", left, 1))
# tags, probes, wildcards
world.barrier()
assert world.nonblockingProbe() is None
world.barrier()
world.send(np.ones(1), right, 0)
world.send(np.ones(2), right, 32767)
assert world.receive("d", None, 32767)[1:] == (left, 32767, 2)
while (found := world.nonblockingProbe(left)) is None:
    pass
assert found == (left, 0) and world.nonblockingProbe(None, 32767) is None
assert world.receive("d", *found)[1:] == (left, 0, 1)
assert (world.receive("d", source=left, tag=5)[3] if not world.send(data=grid, destination=right, tag=5) else 0) == 24
"""
    run_in_job(BEGIN + script, ranks, stack, timeout=60)


def test_requests_expire(run_in_job, stack: Stack) -> None:
    script = """
room = np.zeros((2, 3))
request = world.nonblocking_receive(room, left)
assert request.test() == 0 and repr(request).startswith("<PyMPIRequest at 0x")
world.barrier()
sending = world.nonblocking_send(np.full((2, 3), float(rank)), right, 3)
while not (got := request.test()):
    pass
assert got[0] is room and got[1:] == (left, 3, 6) and (room == left).all()
while not (sent := sending.test()):
    pass
assert sent is True
for call in request.wait, request.test, sending.wait, sending.test:
    with raises(MPI.MPIError, "Cannot wait on expired request"):
        call()
# what is strided may be changed at once
x = np.arange(8.0)
request = world.nonblockingSend(x[::2], right, 3)
x[:] = -1
assert world.receive("d")[0].tolist() == [0, 2, 4, 6]
request.wait()
large = np.arange(100_000.0)
request = world.nonblockingSend(large, right, 3)
room = np.zeros(100_000)
assert world.nonblockingReceive(room).wait()[3] == 100_000 and (room == large).all()
request.wait()
"""
    run_in_job(BEGIN + script, 2, stack, timeout=60)


# ---- collectives ----


@SIZES
def test_collectives_fill_arrays(run_in_job, stack: Stack, ranks: int) -> None:
    script = """
root = size - 1
for code in "b", "l", "f", "d", "F", "D", "?", N.Character:
    for shape in (), (5,), (3, 4), (2, 3, 5000):
        x = (np.arange(np.prod(shape, dtype=int)) % 100 + rank).astype(code).reshape(shape)
        of = lambda n: (np.arange(np.prod(shape, dtype=int)) % 100 + n).astype(code).reshape(shape)
        for comm in world, :
            room = x.copy()
            assert comm.broadcast(room, root) is None and same(room, of(root))
            room = np.zeros((size, *shape), code)
            assert comm.share(x, room) is None
            assert same(room, np.array([of(n) for n in range(size)], code).reshape(size, *shape)), (code, shape)
            strided = np.zeros((size, *(2 * n for n in shape)), code)[(slice(None), *(slice(0, None, 2),) * len(shape))]
            comm.share(np.asfortranarray(x) if shape else x, strided)
            assert same(strided.copy(), room)
            if shape:
                strided = np.repeat(x, 2, -1)[..., ::2]
                comm.broadcast(strided, root)
                assert same(strided.copy(), of(root))
def alike(one, two):
    "Also where zeros have other signs, as those of complex products have in another order."
    return (one.dtype, one.tolist()) == (two.dtype, two.tolist())
for dtype, (name, ufunc) in itertools.product("lfFD", {"sum": np.add, "prod": np.multiply}.items()):
    op = getattr(MPI, name)
    assert repr(op).startswith("<PyMPIOperation at 0x") and repr(op).endswith(f": operation = {name}>")
    parts = [((np.arange(6) * (n + 3)) % 5 + (1j * n if dtype in "FD" else 0)).astype(dtype).reshape(2, 3)
        for n in range(size)]
    expected = ufunc.reduce(parts, axis=0, dtype=dtype)
    room = np.full((2, 3), 9, dtype)
    assert world.reduce(parts[rank], room, op, root) is None
    assert alike(room, expected if rank == root else np.full((2, 3), 9, dtype))
    strided = np.zeros((2, 6), dtype)[:, ::2]
    assert world.allreduce(np.repeat(parts[rank], 2, -1)[:, ::2], strided, op) is None
    assert alike(strided, expected)
pairs = np.array([(3.0 - rank, rank), (1.0, rank)], [("value", "d"), ("place", "l")])
room = np.zeros_like(pairs)
world.allreduce(pairs, room, MPI.minloc)
assert room.tolist() == [(4.0 - size, root), (1.0, 0)]
world.allreduce(pairs, room, MPI.maxloc)
assert room.tolist() == [(3.0, 0), (1.0, 0)]
x = np.full(3, rank + 1.0)
world.allreduce(x, x, MPI.sum)
assert x.tolist() == [size * (size + 1) / 2] * 3
"""
    run_in_job(BEGIN + script, ranks, stack, timeout=60)


def test_communicators_keep_messages_apart(run_in_job, stack: Stack) -> None:
    script = """
twin = world.duplicate()
assert type(twin) is type(world) and (twin.rank, twin.size) == (rank, size)
world.send(np.zeros(1), right, 3)
twin.send(np.ones(1), right, 3)
c.send("polympi", right, 3)
assert twin.receive("d", left, 3)[0][0] == 1
assert c.recv(left, 3) == "polympi"
assert world.receive("d", left, 3)[0][0] == 0
for ranks in [2, 0], (1,), np.array([0, 1, 2, 3]), range(3, -1, -1), []:
    part = world.subset(ranks)
    ranks = list(ranks)
    assert (part is None) == (rank not in ranks)
    if part is not None:
        assert (part.rank, part.size) == (ranks.index(rank), len(ranks))
        room = np.zeros(len(ranks), int)
        part.share(np.array(rank), room)
        assert room.tolist() == ranks
        assert repr(part).startswith("<PyMPICommunicator at 0x")
        part._comm.free()
for ranks in [0, 0], [size], [-1]:
    with raises(ArgumentError, f"rank {rank}, subset(): {ranks} must be different ranks of 0 to 3"):
        world.subset(ranks)
world.barrier()
twin._comm.free()
"""
    run_in_job(BEGIN + script, 4, stack, timeout=60)


def test_mistakes_are_one_sentence(run_in_job, stack: Stack) -> None:
    script = """
assert issubclass(MPI.MPIError, EnvironmentError) and issubclass(ArgumentError, (MPI.MPIError))
assert issubclass(ArgumentError, TypeError) and issubclass(ArgumentError, ValueError)
x, me = np.zeros(3), f"rank {rank}, "
for call in lambda y: world.send(y, right, 3), lambda y: world.nonblockingSend(y, right, 3):
    for y in 5, 2.5, [1, 2], None, np.float64(1), np.array([None]), bytearray(3):
        with raises(MPI.MPIError, me, "can send only array or string, not a"):
            call(y)
for wrong in -1, size, mpi.PROC_NULL, mpi.ANY_SOURCE:
    with raises(ArgumentError, f"{me}send(): invalid MPI destination {wrong}: ranks are 0 to 1"):
        world.send(x, wrong, 3)
    with raises(ArgumentError, f"{me}nonblockingSend(): invalid MPI destination {wrong}"):
        world.nonblockingSend(x, wrong, 3)
    for name, given in ("receive", ["d"]), ("receive", [x]), ("receiveString", []), ("nonblockingProbe", []), (
        "nonblockingReceive", [x]):
        with raises(ArgumentError, f"{me}{name}(): invalid MPI source {wrong}: ranks are 0 to 1; None is any"):
            getattr(world, name)(*given, wrong)
    for name, given in ("broadcast", [x]), ("reduce", [x, x.copy(), MPI.sum]):
        with raises(ArgumentError, f"{me}{name}(): invalid MPI root {wrong}: ranks are 0 to 1"):
            getattr(world, name)(*given, wrong)
for call in lambda: world.send(x, right, -1), lambda: world.receive(x, left, -1), \\
    lambda: world.receive("d", left, -1), \\
    lambda: world.nonblockingReceive(x, left, -1), lambda: world.nonblockingProbe(left, -1), \\
    lambda: world.receiveString(left, -1), lambda: world.nonblockingSend(x, right, -1):
    with raises(ArgumentError, f"rank {rank}", "tag"):
        call()
with raises(TypeError):
    world.send(x, right)  # a tag is needed
for code in "", "z", "O", "S", "V", "U":
    with raises(ArgumentError, f"{me}receive(): {code!r} isn't a type code"):
        world.receive(code)
locked = np.zeros(3)
locked.flags.writeable = False
for y, words in (5, "not a int"), (np.array([None]), "an array of objects"), (locked, "the array is read-only"):
    with raises(ArgumentError, f"{me}nonblockingReceive()", words):
        world.nonblockingReceive(y, left, 3)
    if y is not locked:
        with raises(ArgumentError, f"{me}receive(): ", words):
            world.receive(y, left, 3)
    with raises(ArgumentError, f"{me}share(): ", words):
        world.share(np.zeros(()) if y is locked else x, y)
with raises(ArgumentError, f"rank {rank}", "receive", "into"):
    shifted(x, locked)
# the message does not fit; the next message does
for sent, given, words in [
    (x, "l", "an array of float64 came for one of int64: receive it with an array or a type code"),
    ("text", "d", "a string came for one of float64: receive it by receiveString"),
    (np.zeros(9, "b"), np.zeros(4, "b"), "9 elements came for an array of 4: give a larger one, or the type code"),
    (np.zeros(9), np.zeros((4, 4))[::2, ::2], "9 elements came for an array of 4")]:
    with raises(MPI.MPIError, f"{me}receive(): {words}"):
        shifted(sent, given)
with raises(MPI.MPIError, "9", "4"):
    shifted(np.zeros(9), np.zeros(4))
with raises(ArgumentError, f"rank {rank}"):
    shifted(np.zeros(4), np.zeros(4, int))
world.send(x, right, 3)
with raises(MPI.MPIError, f"{me}receiveString(): an array of float64 came: receive it by receive"):
    world.receiveString()
assert same(shifted(np.ones(3), "d")[0], np.ones(3))
# collectives, wrong on all ranks
with raises(ArgumentError, f"{me}share(): the second array must have the shape (2, 3) and", "float64, but has (3,)"):
    world.share(x, x)
with raises(ArgumentError, f"{me}reduce(): the second array must have the shape (3,) and the type float64", "int64"):
    world.reduce(x, np.zeros(3, int), MPI.sum, 0)
with raises(ArgumentError, f"{me}allreduce(): the second array must have the shape (3,)"):
    world.allreduce(x, np.zeros(4), MPI.sum)
with raises(ArgumentError, f"{me}allreduce(): <built-in function sum> isn't an operation: give MPI.sum"):
    world.allreduce(x, x, sum)
with raises(MPI.MPIError, f"{me}reduce(): arrays cannot be reduced by replace"):
    world.reduce(x, x, MPI.replace, 0)
with raises(MPI.MPIError, f"{me}allreduce(): maxloc needs pairs"):
    world.allreduce(x, x, MPI.maxloc)
for call in lambda: world.share("abc", x), lambda: world.allreduce("abc", "abc", MPI.sum):
    with raises(MPI.MPIError, "arrays are needed, not a string"):
        call()
comm = world.duplicate()
with raises(MPI.MPIError if rank == 0 else ArgumentError, f"{me}broadcast(): "):
    comm.broadcast("abc", 0)
try:
    comm.broadcast(np.zeros(3 + rank - 3 * rank, "d"), 0)  # one element for three
except MPI.MPIError as error:
    assert rank == 1 and "3" in str(error), error
else:
    assert rank == 0
comm.barrier()
comm._comm.free()
try:
    comm.barrier()
except MPI.MPIError as error:
    assert FREED in str(error)
else:
    raise AssertionError
"""
    run_in_job(BEGIN + script, 2, stack, timeout=60)


def test_a_log_file_has_the_texts_of_all_ranks_in_order(run_in_job, stack: Stack, tmp_path: Path) -> None:
    script = """
path = sys.argv[1]
log = IO.LogFile(path)
for turn in range(2):
    for line in range(rank + 1):
        log.write(f"{turn} {rank}.{line} ä\\n")
    log.flush()
    lines = [f"{t} {r}.{line} ä\\n" for t in range(turn + 1) for r in range(size) for line in range(r + 1)]
    assert open(path, encoding="utf-8").readlines() == lines
    world.barrier()
log.write(f"end {rank}\\n")
log.close()
log.close()
assert open(path, encoding="utf-8").readlines()[-size:] == [f"end {r}\\n" for r in range(size)]
for call in log.flush, lambda: log.write("more"):
    with raises(ValueError, f"the log file {path} is closed: make another one"):
        call()
twin = world.duplicate()
with contextlib.closing(IO.LogFile(path, twin)) as log:
    if rank == 1:
        log.write("alone")
assert open(path).read() == "alone"
with raises(MPI.MPIError, f"rank 0 cannot write to the log file {path}/x: Not a directory"):
    IO.LogFile(path + "/x", twin)
twin._comm.free()
"""
    run_in_job(BEGIN + script, 3, stack, arguments=[str(tmp_path / "log")])
