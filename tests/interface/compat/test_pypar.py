"""Pypar: what its calls do on several ranks, and that its documented programs run."""

import pytest
from rank_programs import PRELUDE

from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.any_library

PYPAR = (
    PRELUDE
    + """
from polympi.compat import pypar
from prelude import by_turns
right, left = (rank + 1) % size, (rank - 1) % size
def shifted(x, give={}, **get):
    "What the left rank sends, when all send to the right."
    return by_turns(lambda: pypar.send(x, right, **give), lambda: pypar.receive(left, **get))
"""
)


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_messages_arrive_as_they_were_sent(run_in_job, stack: Stack, ranks: int) -> None:
    script = """
grid = np.arange(24.0).reshape(4, 6) + rank
from_left = np.arange(24.0).reshape(4, 6) + left
# without a buffer
for x in "abc", b"a", 5, None, [1, "a"], {"a": [1]}:
    for give, get in ({"vanilla": True}, {"vanilla": True}), ({"use_buffer": True}, {}):
        assert same(shifted(x, give, **get), x)
for dtype in "i", "D", "f2", ">f8", "M8[s]", "S3":
    for shape in (), (0,), (3, 4), (2, 3, 500):
        x = (np.arange(np.prod(shape, dtype=int)) % 100).astype(dtype).reshape(shape)
        assert same(shifted(x), x)
assert same(shifted(np.array([1, "a", None], object), {"vanilla": True}, vanilla=True).tolist(), [1, "a", None])
assert same(shifted(grid[::2, 1::2]), from_left[::2, 1::2].copy())
# into arrays, also strided and with fewer elements
for give in {}, {"use_buffer": True}, {"use_buffer": True, "bypass": True}:
    for bypass in False, True:
        whole = np.zeros((4, 6))
        assert shifted(grid, give, buffer=whole, bypass=bypass) is whole and same(whole, from_left)
        whole = np.zeros((8, 12))
        part = whole[::2, ::2]
        assert shifted(grid, give, buffer=part, bypass=bypass) is part and same(part.copy(), from_left)
        assert whole.sum() == from_left.sum()
        row = np.full(30, 7.0)
        shifted(grid, give, buffer=row, bypass=bypass)
        assert same(row, np.concatenate([from_left.ravel(), np.full(6, 7.0)]))
        few = np.full((2, 5), 7.0)
        shifted(grid[0], give, buffer=few, bypass=bypass)
        assert same(few.ravel(), np.concatenate([from_left[0], np.full(4, 7.0)]))
row = np.zeros(12)[::2]
assert shifted(grid[:, 0], {}, buffer=row[:4]).tolist() == from_left[:, 0].tolist()
assert same(shifted([1.5, 2], {"bypass": True}, buffer=np.zeros(2), bypass=True), np.array([1.5, 2]))
number = np.zeros(())
assert shifted(np.array(2.5), buffer=number) is number and number == 2.5
# texts keep the end of the buffer, and its kind
assert same(shifted(f"from {rank}", buffer=" " * 20), f"from {left}".ljust(20))
assert same(shifted(b"abc", buffer=b"123456"), b"abc456")
assert same(shifted("abc", buffer=b"123456"), b"abc456")
assert same(shifted(b"abc", buffer="123456"), "abc456")
room = bytearray(b"123456")
assert shifted("abc", buffer=room) is room and room == b"abc456"
# a buffer of another kind is not changed
given = [0, 0]
assert shifted([1, 2], {"vanilla": True}, buffer=given, vanilla=True) == [1, 2] and given == [0, 0]
given = np.zeros(3)
assert same(shifted(np.ones(3), {"vanilla": True}, buffer=given, vanilla=True), np.ones(3)) and not given.any()
"""
    run_in_job(PYPAR + script, ranks, stack)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_collectives_give_what_numpy_computes(run_in_job, stack: Stack, ranks: int) -> None:
    script = """
root = size - 1
mine = lambda whole, empty: whole if rank == root else empty
# broadcast
grid = np.arange(12.0).reshape(3, 4)
given = mine(grid.copy(), np.zeros((3, 4)))
assert pypar.broadcast(given, root) is given and same(given, grid)
whole = np.zeros((6, 8))
part = whole[::2, ::2]
part[...] = mine(grid, 0)
assert pypar.broadcast(part, root) is part and same(part.copy(), grid) and whole.sum() == grid.sum()
given = mine(grid.copy(), np.zeros((3, 4)))
assert pypar.broadcast(given, root, bypass=True) is None and same(given, grid)
for x in "text", b"text", [1, 2], {"a": 1}, None, 5:
    assert same(pypar.broadcast(mine(x, None), root), x) and same(pypar.broadcast(mine(x, [0]), root, vanilla=True), x)
assert same(pypar.broadcast(mine(grid, None), root), grid)
room = mine(bytearray(b"longer"), bytearray())
assert pypar.broadcast(room, root) is room and room == b"longer"
assert pypar.broadcast(f"from {rank}") == "from 0"
# scatter: what does not divide is left out
for shape in (4 * size + size - 1,), (2 * size, 3), (size, 2, 2), (size - 1,):
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    each = shape[0] // size
    expected = x[rank * each : (rank + 1) * each]
    assert same(pypar.scatter(x, root), expected.copy())
    assert same(pypar.scatter(mine(x, None), root), expected.copy())
    given = np.zeros(expected.shape, int)
    assert pypar.scatter(x, root, buffer=given) is given and same(given, expected.copy())
    assert same(pypar.scatter(x.astype("F"), root=root), expected.astype("F"))
    strided = np.zeros(expected.size * 2, int)[::2]
    assert pypar.scatter(x, root, strided).tolist() == expected.ravel().tolist()
text = "abc" * size + "x" * (size - 1)
assert pypar.scatter(text, root) == ("abc" if size > 1 else text)
assert pypar.scatter(text, root, " " * 4).strip() == ("abc" if size > 1 else text)
assert pypar.scatter(bytes(range(size)), root) == bytes([rank])
# gather
for shape in (3,), (2, 3), (0, 2):
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape) + 100 * rank
    expected = np.concatenate([x + 100 * (n - rank) for n in range(size)])
    got = pypar.gather(x, root)
    assert same(got, expected if rank == root else np.zeros_like(expected))
    given = np.full(expected.shape, -1)
    assert pypar.gather(x, root, buffer=given) is given and same(given, mine(expected, np.full(expected.shape, -1)))
    strided = np.full(2 * expected.size, -1)[::2]
    pypar.gather(np.repeat(x, 2, -1)[..., ::2], root, strided)
    assert rank != root or strided.tolist() == expected.ravel().tolist()
assert same(pypar.gather(np.array(1.5), root), mine(np.full(size, 1.5), np.zeros(size)))
assert pypar.gather(f"{rank}-", root) == mine("".join(f"{n}-" for n in range(size)), " " * 2 * size)
assert same(pypar.gather(b"ab", root), mine(b"ab" * size, b" " * 2 * size))
assert pypar.gather("ab", root, "." * 20) == mine(("ab" * size).ljust(20, "."), "." * 20)
# reduce
for dtype in "l", "f", "F", "D":
    of = lambda n: ((np.arange(6) * (n + 3)) % 5).astype(dtype).reshape(2, 3) + (1j * n if dtype in "FD" else 0)
    for op, ufunc in (pypar.SUM, np.add), (pypar.PROD, np.multiply):
        parts = [of(n).astype(dtype) for n in range(size)]
        expected = ufunc.reduce(parts, axis=0, dtype=dtype)
        got = pypar.reduce(parts[rank], op, root)  # zeros may differ in their signs
        assert (got.dtype, got.shape) == (expected.dtype, (2, 3)) and np.array_equal(got, mine(expected, 0 * expected))
        given = np.zeros(6, dtype)
        assert pypar.reduce(parts[rank], op, root, buffer=given) is given
        assert np.array_equal(given, mine(expected.ravel(), np.zeros(6)))
x = np.arange(6.0).reshape(2, 3) if rank % 2 else np.arange(6.0)  # as many elements
strided = np.zeros((2, 6))[:, ::2]
pypar.reduce(np.repeat(x, 2, -1)[..., ::2], pypar.SUM, root, strided)
assert same(strided.copy(), mine(size * np.arange(6.0).reshape(2, 3), np.zeros((2, 3))))
x = np.ones(3)
pypar.reduce(x, pypar.SUM, root, buffer=x)
assert same(x, mine(np.full(3, float(size)), np.ones(3)))
given = np.zeros(2)
assert pypar.reduce([1.0, rank], pypar.MAX, root, buffer=given, bypass=True) is None
assert same(given, mine(np.array([1.0, size - 1]), np.zeros(2)))
pypar.barrier()
"""
    run_in_job(PYPAR + script, ranks, stack)


ON_TWO_RANKS = {
    "status tags and wildcards tell messages apart": """
def status_of(x, give={}, **get):
    got, status = shifted(x, give, return_status=True, **get)
    assert (status.source, status.error) == (left, 0) and repr(status).startswith("Pypar Status Object:")
    return status
x = np.arange(6.0).reshape(2, 3)
for get in {}, {"buffer": np.zeros(6)}, {"buffer": np.zeros((4, 2))}, {"buffer": np.zeros(9), "bypass": True}:
    status = status_of(x, {"tag": 5}, tag=5, **get)
    assert (status.tag, status.length, status.size, status.bytes()) == (5, 6, 8, 48)
status = status_of(np.zeros(3, "F"))
assert (status.length, status.size, status.bytes()) == (6, 4, 24)
status = status_of("äb", {}, buffer="1234")
assert (status.tag, status.length, status.size) == (pypar.default_tag, 3, 1) == (1, 3, 1)
status = status_of({"a": "b" * 100})
assert status.length > 100 and status.size == 1
got, status = pypar.receive(mpi.PROC_NULL, np.ones(2), return_status=True)
assert status.length == 0 and same(got, np.ones(2))
assert repr(pypar.Status((3, 1, 0, 2, 8))) == "Pypar Status Object: source=3, tag=1, error=0, length=2, size=8"
pypar.send(rank, right, tag=pypar.max_tag)
got, status = pypar.receive(pypar.any_source, tag=pypar.any_tag, return_status=True)
assert (got, status.source, status.tag) == (left, left, pypar.max_tag) and pypar.max_tag >= 32767
""",
    "mistakes are reported in one sentence": """
for call in pypar.send, pypar.bsend:
    with raises(AssertionError, "Destination id (1.5) must be an integer."):
        call(1, 1.5)
    with raises(AssertionError, "Tag 13849 is reserved by Pypar"):
        call(1, right, tag=pypar.control_tag)
    with raises(TypeError, f"send() on rank {rank} takes arrays of numbers, not a str"):
        call("abc", right, bypass=True)
with raises(AssertionError, "Source id ('0') must be an integer."):
    pypar.receive("0")
with raises(AssertionError, "Tag 13849 is reserved by Pypar"):
    pypar.receive(left, tag=pypar.control_tag)
with raises(TypeError, f"receive() on rank {rank} needs an array as its buffer, not None"):
    pypar.receive(left, bypass=True)
with raises(mpi.RankError, "dest is -1"):
    pypar.send(1, -1)
with raises(mpi.TagError):
    pypar.send(1, right, tag=-5)
with raises(TypeError, "tag must be an integer"):
    pypar.send(1, right, tag="a")
with raises(mpi.TruncationError, f"rank {rank}, receive(): a text of 3 characters came for a buffer of 2"):
    shifted("abc", buffer="  ")
with raises(mpi.TruncationError):
    shifted(np.zeros(3), buffer=np.zeros(2))
with raises(mpi.MismatchError):
    shifted(np.zeros(3), buffer=np.zeros(3, "f"))
with raises(mpi.MismatchError):
    shifted([1, 2], buffer=np.zeros(2))
# what is not there
pypar.send(1, np.int64(right))
assert pypar.receive(np.int64(left)) == 1
pypar.send(1, mpi.PROC_NULL)
given = np.ones(3)
assert pypar.receive(mpi.PROC_NULL, given) is given and given.all()
assert pypar.receive(mpi.PROC_NULL) is None and pypar.receive(mpi.PROC_NULL, "abc") == "abc"
assert pypar.receive(mpi.PROC_NULL, [1]) == [1] and pypar.receive(mpi.PROC_NULL, given, bypass=True) is given
# collectives
with raises(TypeError, "Scatter is only supported for numpy arrays and strings, not for a list"):
    pypar.scatter([1, 2], 0)
with raises(TypeError, "Scatter is only supported"):
    pypar.scatter(np.zeros(2), 0, vanilla=True)
with raises(TypeError, "a number cannot be divided"):
    pypar.scatter(np.zeros(()), 0)
with raises(TypeError, "Gather is only supported for numpy arrays and strings", "use polympi.world.gather"):
    pypar.gather({}, 0)
with raises(TypeError, "Reduce is only supported for numpy arrays, not for a float"):
    pypar.reduce(1.5, pypar.SUM, 0)
with raises(AssertionError, f"must have same type: on rank {rank} they have float64 and int64"):
    pypar.reduce(np.zeros(2), pypar.SUM, 0, buffer=np.zeros(2, int))
with raises(RuntimeError, f"must have same length: on rank {rank} they have 2 and 4"):
    pypar.reduce(np.zeros(2), pypar.SUM, 0, buffer=np.zeros(4))
with raises(ValueError, "there is no operation 11"):
    pypar.reduce(np.zeros(2), 11, 0)
for call in pypar.broadcast, lambda x, root, bypass: pypar.reduce(np.zeros(1), pypar.SUM, root, x, bypass=bypass):
    with raises(TypeError, "needs an array as its buffer, not a list"):
        call([1], 0, bypass=True)
""",
    "buffered sends have the room that was counted": """
objects = [np.arange(1000.0), "text" * 50, list(range(5000)), [[]] * 300, [{} for _ in range(300)], None,
    {"a": [0.5] * 99}, np.zeros((3, 4), "F"), [True] * 999, [str(n) for n in range(999)]]
with raises(RuntimeError, f"alloc() on rank {rank}: nothing was counted"):
    pypar.alloc()
before = 0
for x in objects:
    total = pypar.push_for_alloc(x)
    assert total > before + (x.nbytes if isinstance(x, np.ndarray) else 0)
    before = total
for attach, detach in (pypar.alloc_and_attach, pypar.detach_and_dealloc), (pypar.mpi_attach, pypar.mpi_detach):
    if attach is pypar.mpi_attach:
        with raises(RuntimeError, "attach() on rank", "nothing is reserved"):
            attach()
        assert pypar.mpi_alloc(total) == total
        with raises(RuntimeError, "alloc() on rank", "reserved already"):
            pypar.alloc()
    for turn in range(2):
        attach()
        with raises(RuntimeError, "it is attached already"):
            pypar.attach()
        with raises(RuntimeError, "dealloc() on rank", "is attached"):
            pypar.dealloc()
        for x in objects:
            pypar.bsend(x, right)
        pypar.bsend([1, 2.5], right, use_buffer=True, bypass=True)
        for x in objects:
            assert same(pypar.receive(left), x)
        assert same(pypar.receive(left, buffer=np.zeros(2), bypass=True), np.array([1, 2.5]))
        detach()
        if attach is pypar.alloc_and_attach:
            break
pypar.mpi_dealloc()
with raises(RuntimeError, "detach() on rank", "no buffer is attached"):
    pypar.detach()
with raises(RuntimeError, "nothing was counted"):
    pypar.mpi_alloc_and_attach()
with raises(mpi.NoBufferError):
    pypar.bsend(1, right)
overhead = pypar.array_push_for_alloc_and_attach([1.0, 2.0]) - 16
assert pypar.push_for_alloc([1.0, 2.0], bypass=True) == 2 * (16 + overhead)
assert pypar.string_push_for_alloc_and_attach("abc") == 2 * (16 + overhead) + 3 + overhead
pypar.alloc_and_attach()
pypar.bsend_array([1.0, 2.0], right, 5)
pypar.bsend_string("abc", right, 6)
assert pypar.receive(left, tag=6) == "abc" and same(pypar.receive(left, tag=5), np.array([1.0, 2.0]))
pypar.mpi_detach_and_dealloc()
""",
    "the calls of the extension module fill buffers": """
pypar.send_array([rank, 2.5], right, 7)
x = np.zeros((2, 2))
assert pypar.receive_array(x, left, 7) == (left, 7, 0, 2, 8) and x.tolist() == [[left, 2.5], [0, 0]]
pypar.send_string(f"from {rank}", right, 7)
room = bytearray(b"." * 9)
assert pypar.receive_string(room, left, pypar.any_tag) == (left, 7, 0, 6, 1) and room == f"from {left}...".encode()
pypar.send_string("abc", right, 7)
with raises(TypeError, f"receive_string() on rank {rank}", "must be a bytearray, not a str"):
    pypar.receive_string("   ", left, 7)
assert pypar.receive(left, tag=7) == "abc"
assert pypar.receive_string(room, mpi.PROC_NULL, 7)[3] == 0 and room[:4] == b"from"

x = np.full(3, float(rank))
assert pypar.broadcast_array(x, 1) is None and x.tolist() == [1] * 3
room = bytearray(b"rank " + str(rank).encode())
pypar.broadcast_string(room, 1)
assert room == b"rank 1"
pypar.broadcast_string("a str" if rank == 0 else room, 0)
assert rank == 0 or room == b"a str"
part = np.zeros(2)
pypar.scatter_array(np.arange(5.0), part, 0)
assert part.tolist() == [2 * rank, 2 * rank + 1]
whole = np.zeros(4)
pypar.gather_array(part, whole, 1)
assert whole.tolist() == ([0, 1, 2, 3] if rank == 1 else [0] * 4)
pypar.reduce_array(part, part, pypar.SUM, 0)
assert part.tolist() == ([2, 4] if rank == 0 else [2, 3])
half = bytearray(2)
pypar.scatter_string("abcd", half, 0)
assert half == [b"ab", b"cd"][rank]
both = bytearray(b"....!")
pypar.gather_string(half, both, 0)
assert both == (b"abcd!" if rank == 0 else b"....!")

for x, info in (np.zeros((2, 3), "F"), ["array", "F", 6, (2, 3)]), ("abc", ["string", "c", 3, (3,)]):
    assert pypar.create_control_info(x) == info
    got, same_one = pypar.create_control_info(x, return_object=True)
    assert got == info and same_one is x
for x in np.zeros(3), "abc", [1, 2], {"a": 1}, np.array([None]):
    (protocol, typecode, count, shape), pickled = pypar.create_control_info(x, True, return_object=True)
    assert (protocol, typecode, count, shape) == ("vanilla", "c", len(pickled), (len(pickled),))
    assert same(list(__import__("pickle").loads(pickled)), list(x))
pypar.send_control_info(info, right)
pypar.send_control_info(info, right)
assert pypar.receive_control_info(left) == info
assert pypar.receive_control_info(pypar.any_source, return_source=True) == (info, left)
""",
    "ranks share things and know themselves": """
import socket, warnings
assert (pypar.rank(), pypar.size(), pypar.initialized(), pypar.__version__) == (rank, size, 1, "2.1.4")
assert pypar.get_processor_name() == socket.gethostname() and pypar.init([]) is None
before = time.monotonic()
assert abs(pypar.time() - before) < 60  # the same clock on all ranks
with warnings.catch_warnings(record=True) as reported:
    warnings.simplefilter("always")
    assert pypar.Wtime() >= pypar.time() - 60 and pypar.Get_processor_name() == pypar.get_processor_name()
assert [str(one.message).partition(" ")[0] for one in reported] == ["pypar.Wtime", "pypar.Get_processor_name"]
for n in range(30):
    for parts in range(1, 8):
        expected = np.array_split(np.arange(n), parts)
        for part in range(parts):
            first, behind = pypar.balance(n, parts, part)
            assert np.arange(n)[first:behind].tolist() == expected[part].tolist()
assert all(hasattr(pypar, name) for name in pypar.__all__) and len(set(pypar.__all__)) == len(pypar.__all__)
public = {name for name in vars(pypar) if not name.startswith("_") and not hasattr(vars(pypar)[name], "__path__")}
modules = {name for name in public if type(vars(pypar)[name]).__name__ == "module"}
assert public - modules - set(pypar.__all__) == {"DIFFERENCES"}, public - modules
assert (pypar.default_tag, pypar.control_tag, pypar.control_sep, pypar.control_data_max_size) == (1, 13849, ":", 64)
""",
}


@pytest.mark.parametrize("script", ON_TWO_RANKS.values(), ids=ON_TWO_RANKS)
def test_calls_of_two_ranks(run_in_job, stack: Stack, script: str) -> None:
    run_in_job(PYPAR + script, 2, stack)


def test_the_start_is_reported_and_mpi_may_be_ended_twice(run, stack: Stack) -> None:
    script = """
from polympi.compat import pypar
pypar.finalize()
pypar.finalize()
if pypar.rank() == pypar.size() - 1:
    print("the end")
"""
    lines = run(script, 3, stack).succeeded().splitlines()
    assert sorted(lines) == ["Pypar (version 2.1.4) initialised MPI OK with 3 processors", "the end"]
