"""Windows: what is put, fetched and combined, and how mistakes, time-outs and ends are reported."""

import psutil
import pytest
from rank_programs import PRELUDE, Case, cases, on_ranks

pytestmark = pytest.mark.sanitize

DTYPES = ("bool", "int8", "uint16", "int32", "int64", "uint64", "float32", "float64", "longdouble", "complex128")

WINDOWS = {
    3: {
        # All ranks draw the same plan, in which no two accesses between fences touch the same element.
        "random puts and gets give what NumPy gives": f"""
chance = random.Random(7)
for dtype in {DTYPES} + (">f8", "M8[s]", "S3", [("a", "i4"), ("b", "f8")]):
    dtype = np.dtype(dtype)
    def drawn(count):
        return np.array(chance.choices(range(100), k=count), int).astype(dtype)
    sizes = [chance.randint(0, 40) for _ in range(size)]
    all_arrays = [drawn(n) for n in sizes]
    mine = all_arrays[rank].copy()
    with c.window(mine) as window:
        assert window.sizes == tuple(sizes) and window.dtype == dtype and window.array is mine
        for turn in range(6):
            window.fence()
            read, gets = turn % 2, []
            for target in range(size):
                cuts = sorted(chance.choices(range(sizes[target] + 1), k=4))
                for first, end in zip(cuts, cuts[1:]):
                    origin, step, values = chance.randrange(size), chance.choice([1, 2, -1]), drawn(end - first)
                    if read and origin == rank:
                        into = np.zeros(3 * (end - first) + 1, dtype)[::step][: end - first]
                        window.get(into, target, first)
                        gets.append((into, target, first))
                    if not read:
                        all_arrays[target][first:end] = values
                        if origin == rank:
                            spread = np.zeros(3 * (end - first) + 1, dtype)[::step][: end - first]
                            spread[:] = values
                            window.put(spread, target, first)
            window.fence()
            assert (mine == all_arrays[rank]).all(), (dtype, turn)
            for into, target, first in gets:
                assert (into == all_arrays[target][first : first + len(into)]).all()
""",
        "random accumulates by all ranks give what NumPy gives": """
functions = {mpi.SUM: np.add, mpi.PROD: np.multiply, mpi.MIN: np.minimum, mpi.MAX: np.maximum,
             mpi.BAND: np.bitwise_and, mpi.BOR: np.bitwise_or, mpi.BXOR: np.bitwise_xor}
chance = random.Random(8)
openmpi = mpi.library_version().startswith("Open MPI")
wrong_there = openmpi and os.environ.get("OMPI_MCA_osc_rdma_acc_use_amo") != "0"
for dtype in "int32", "int64", "uint64", "float64", "complex128":
    for op, function in functions.items():
        if op.name.startswith("B") and not dtype.strip("u").startswith("int"):
            continue
        if op.name in ("MIN", "MAX") and dtype == "complex128":
            continue
        expected = [np.arange(1, 9, dtype=dtype) for _ in range(size)]
        mine = expected[rank].copy()
        with c.window(mine) as window:
            window.fence()
            if wrong_there and op.name.startswith("B"):
                with raises(mpi.MismatchError, f"Open MPI 5.0 computes {op.name} wrong in windows, unless "):
                    window.accumulate(np.ones(1, dtype), 0, op=op)
                window.fence()
                continue
            for turn in range(30):
                origin, target, first = chance.randrange(size), chance.randrange(size), chance.randrange(8)
                values = np.array([chance.randint(1, 2) for _ in range(chance.randint(0, 8 - first))], dtype)
                part = slice(first, first + len(values))
                expected[target][part] = function(expected[target][part], values)
                if origin == rank:
                    window.accumulate(np.repeat(values, 2)[::2], target, first, op=op)
            window.fence()
            assert same(mine, expected[rank]), (dtype, op)
""",
        "accesses with requests, and an accumulate that fetches": """
from polympi.native import core
right, left = (rank + 1) % size, (rank - 1) % size
for most in 1 << 30, 24, 1:  # bytes of an access of MPI
    before = core._cut_accesses(most)
    mine = np.arange(20.0) + 100 * rank
    with c.window(mine) as window:
        with window.lock(right):
            into = np.zeros(20)[::2]
            request = window.iget(into, right, 3)
            assert request.wait() is into and into.tolist() == [100 * right + 3 + i for i in range(10)]
        c.barrier()
        window.fence()
        found = np.zeros((2, 3))
        window.get_accumulate(np.ones((3, 2)).T, found, right, 2)
        window.fence()
        assert found.ravel().tolist() == [100 * right + 2 + i for i in range(6)]
        assert mine[2:8].tolist() == [100 * rank + 3 + i for i in range(6)]
        c.barrier()
        window.fence()
        both = np.full(4, 2.0)  # where the value is, the result goes
        request = window.iget_accumulate(both, both, right, 10, op=mpi.PROD)
        while not request.test():
            pass
        assert both.tolist() == [100 * right + 10 + i for i in range(4)]
        window.iput(np.full(3, 7.0), right, 17)  # dropped
        kept = window.iaccumulate(np.full(3, 7.0), right, 14)
        window.fence()
        assert kept.wait() is None and kept.done
        assert mine[10:14].tolist() == [2 * (100 * rank + 10 + i) for i in range(4)]
        assert mine[14:].tolist() == [100 * rank + 21 + i for i in range(3)] + [7] * 3
        request = window.iput(1.0, right)
        with raises(mpi.StateError, "window.free(): 1 accesses with requests are not complete: wait for these before"):
            window.free()
        assert mpi.wait_all([request, window.iget(into, mpi.PROC_NULL), window.iput([], right)]) == [None, into, None]
        for wrong in (lambda: window.iget([1.0], 0), lambda: window.get_accumulate(1.0, np.zeros(2), 0),
                      lambda: window.iput(1, 0, 20), lambda: window.iaccumulate(1j, 0)):
            with raises(mpi.MismatchError):
                wrong()
    core._cut_accesses(before)
""",
        "accesses are awaited": """
import asyncio
mine = np.full(4, float(rank))
async def main(window):
    into = await window.iget(np.zeros(3), (rank + 1) % size)
    assert into.tolist() == [(rank + 1) % size] * 3
    await asyncio.gather(*[window.iaccumulate(1, 0, 3) for turn in range(5)])
with c.window(mine) as window:
    window.fence()
    asyncio.run(main(window))
    c.barrier()
    window.fence()
    assert rank or mine[3] == 5 * size
""",
        "two-dimensional arrays of any order, numbers and lists": """
mine = np.zeros((3, 4))
with c.window(mine) as window:
    window.fence()
    if rank == 0:
        window.put(np.asfortranarray(np.arange(8.0).reshape(2, 4)), 1, offset=4)
        window.put(5, 2)
        window.put([6.0, 7.0], 2, 1)
        window.put(np.float64(8), rank=2, offset=3)
        window.put(memoryview(np.arange(2.0)), 2, 4)
        window.put(1.0, mpi.PROC_NULL)
        assert window.fetch_and_op(1.0, mpi.PROC_NULL) is None
    window.fence()
if rank == 1:
    assert same(mine[1:], np.arange(8.0).reshape(2, 4))
if rank == 2:
    assert mine.ravel()[:6].tolist() == [5, 6, 7, 8, 0, 1]
""",
        "locks": """
mine = np.arange(4) + 10 * rank
with c.window(mine) as window:
    for exclusive in False, True:
        for target in range(size):
            with window.lock(target, exclusive=exclusive) as same_window:
                assert same_window is window
                got = np.zeros(4, int)
                window.get(got[::-1], target)
                window.flush(target)
                assert got[::-1].tolist()[1:] == [10 * target + 1, 10 * target + 2, 10 * target + 3]
                before = window.fetch_and_op(1, target)
                assert type(before) is np.int64
    c.barrier()
    assert mine[0] == 10 * rank + 2 * size
    c.barrier()
    with window.lock(0), window.lock(2):
        window.accumulate(1, 0, 1)
        window.accumulate(1, 2, 1)
        window.flush()
    with window.lock_all():
        for target in range(size):
            window.accumulate(np.ones(2, int), target, 2)
        window.flush(0)
        window.flush()
    c.barrier()
    assert mine[1:].tolist() == [10 * rank + 1 + size * (rank != 1), 10 * rank + 2 + size, 10 * rank + 3 + size]
""",
        "an exclusive lock lets nobody in between": """
with c.window(np.zeros(2, int) if rank == 0 else None) as window:
    for turn in range(50):
        with window.lock(0, exclusive=True):
            both = np.zeros(2, int)
            window.get(both, 0)
            window.flush()
            assert both[0] == both[1]
            window.put(both + 1, 0)
    c.barrier()
    assert rank != 0 or window.array.tolist() == [50 * size] * 2
""",
        "an element is swapped by one rank only": """
for dtype in "int32", "int64", "uint64":
    with c.window(np.zeros(1, dtype) if rank == 1 else None) as window:
        with window.lock_all():
            won = window.compare_and_swap(0, rank + 1, 1) == 0
            now = window.compare_and_swap(99, 100, 1)
        winners = c.allgather(won)
        assert sum(winners) == 1 and now == winners.index(True) + 1
""",
        "a rank in any other call answers": """
mine = np.zeros(1 << 16)
with c.window(mine) as window:
    for turn in range(5):
        if rank == 0:
            with window.lock(1):
                window.put(np.full(1 << 16, float(turn)), 1)
            with window.lock(2, exclusive=True):
                window.put(np.full(1 << 16, float(turn)), 2)
            c.send(turn, 1)
        elif rank == 1:
            assert c.recv(0) == turn and mine[-1] == turn
        c.barrier()
        assert rank != 2 or mine[-1] == turn
        c.allreduce(np.ones(1 << 17))
""",
        "it outlives its communicator and works on meshes and shared arrays": """
with c.cart(ndim=1) as cart:
    window = cart.window(np.zeros(2))
window.fence()
window.put(rank, (rank + 1) % size)
window.fence()
assert window.array[0] == (rank - 1) % size
array = window.array
window.free()
window.free()
array[1] = 1
for call in (lambda: window.put(1, 0), window.fence, window.flush, window.lock(0).__enter__):
    with raises(mpi.StateError, "this window was freed: make another one with window() of a communicator"):
        call()
""",
    },
    2: {
        "mistakes in accesses": """
window = c.window(np.zeros(5 + rank))
said = "no access is possible now: call it between two fence(), or in `with window.lock(rank)` or "
for call in (lambda: window.put(1, 0), lambda: window.get(np.zeros(1), 0), lambda: window.accumulate(1, 0),
             lambda: window.fetch_and_op(1, 0)):
    with raises(mpi.StateError, said, rank=rank, peer=0):
        call()
with raises(mpi.StateError, "window.flush(): there is nothing to complete"):
    window.flush()
with window.lock(1):
    with raises(mpi.StateError, "rank 0 isn't locked: call it in `with window.lock(0)`", operation="window.put"):
        window.put(1, 0)
    with raises(mpi.MismatchError, "window.put(): 2 elements from offset 5 are not all among the 6 of the window of"):
        window.put(np.ones(2), 1, 5)
    for offset in -1, 7, 1 << 62:
        with raises(mpi.MismatchError, f"1 elements from offset {offset} are not all among the 6"):
            window.fetch_and_op(1.0, 1, offset)
    with raises(mpi.MismatchError, "elements of float32 don't fit a window of float64: convert them with np.asarray"):
        window.put(np.ones(2, np.float32), 1)
    with raises(mpi.MismatchError, "elements of complex128 don't fit a window of float64"):
        window.accumulate(1j, 1)
    with raises(mpi.MismatchError, "into must be a writable NumPy array"):
        window.get([1.0], 1)
    with raises(mpi.MismatchError, "MPI does not combine float64 by BAND"):
        window.accumulate(1.0, 1, op=mpi.BAND)
    with raises(mpi.MismatchError, "polympi.MINLOC is not an operation that MPI applies in a window"):
        window.accumulate(1.0, 1, op=mpi.MINLOC)
    with raises(mpi.MismatchError, "it takes one element, not an array of 2"):
        window.fetch_and_op(np.ones(2), 1)
    with raises(mpi.MismatchError, "MPI compares integers and booleans only, not the float64 of this window"):
        window.compare_and_swap(1.0, 2.0, 1)
    for wrong in -1, 2, mpi.ANY_SOURCE:
        with raises(mpi.RankError):
            window.put(1, wrong)
    for wrong in "0", None, 1.0:
        with raises(TypeError):
            window.put(1, wrong)
    window.put(np.ones(6), 1)
    window.put(np.ones(0), 1, 6)
c.barrier()
assert rank == 0 or window.array.all()
window.free()
""",
        "mistakes in epochs": """
window = c.window(np.zeros(1))
with window.lock(0):
    for call, said in ((window.lock(0).__enter__, "has locked rank 0 already"), (window.fence, "has locked a rank"),
                       (window.lock_all().__enter__, "has locked a rank already"), (window.free, "has locked a rank")):
        with raises(mpi.StateError, said):
            call()
with window.lock_all():
    for call, said in ((window.lock(0).__enter__, "has locked all ranks already"), (window.fence, "locked all ranks")):
        with raises(mpi.StateError, said):
            call()
window.fence()
window.put(1, other)
with raises(mpi.StateError, "accesses since the last fence() are not complete: call fence() before"):
    window.lock(0).__enter__()
window.fence()
with window.lock(0):  # the fence is over where a lock follows
    window.accumulate(1, 0)
with raises(mpi.StateError, "no access is possible now"):
    window.put(1, 0)
with contextlib.suppress(KeyError):
    with window.lock(0):
        raise KeyError
with window.lock(0):
    pass
window.fence()
assert window.array[0] == (3 if rank == 0 else 1)
window.free()
""",
        "all ranks must give arrays of one dtype": """
with raises(mpi.MismatchError, "all arrays must have one dtype, but rank 0 gives float64 and rank 1 gives int64"):
    c.window(np.zeros(1, "dq"[rank]))
with raises(mpi.MismatchError, "no rank has an array"):
    c.window(None)
frozen = np.zeros(3)
frozen.flags.writeable = False
for wrong, said in ([1.0], "array must be a NumPy array"), (np.zeros((4, 4))[:, 1], "isn't contiguous"), \\
                   (frozen, "array is read-only"), (np.zeros(2, object), "has Python objects"):
    said = said if rank == 1 else "rank 1 has failed: "
    with raises(mpi.MismatchError, said):
        c.window(wrong if rank == 1 else np.zeros(3))
with c.window(np.zeros(1)) as window:
    window.fence()
""",
        "a fence that not all ranks call times out": """
window = c.window(np.zeros(1))
if rank == 0:
    with raises(mpi.Timeout, "rank 0 waited 0.2 s in window.fence()"):
        window.fence(timeout=0.2)
c.barrier()
if rank == 1:
    with contextlib.suppress(mpi.Timeout):  # unless rank 0 had done its part before it left
        window.fence()
window.fence()
window.put(7, other)
window.fence()
assert window.array[0] == 7
window.free()
""",
        "arrays are kept until the access is complete": """
import weakref
class Array(np.ndarray): pass
window = c.window(np.zeros(1000))
with window.lock(other):
    given = np.full(1000, rank).astype(float).view(Array)
    kept = weakref.ref(given)
    window.put(given, other)
    del given
    gc.collect()
    assert kept() is not None
assert kept() is None
c.barrier()
assert (window.array == other).all()
window.free()
""",
    },
}


def test_a_rank_that_awaits_answers_large_accesses(run_in_job, stack) -> None:
    script = """
import asyncio

def seconds(awaits):
    with c.window(np.zeros(2**24 if rank == 1 else 0, "u1")) as window:
        window.fence()
        began = time.monotonic()
        if rank == 0:
            window.put(np.ones(2**24, "u1"), 1)
            window.flush()
            c.send(None, 1)
        else:
            request = c.irecv(0)
            asyncio.run(asyncio.wait_for(request, 100)) if awaits else request.wait()
        window.fence()
        return time.monotonic() - began

waiting, awaiting = (min(seconds(awaits) for _ in range(3)) for awaits in (False, True))
assert awaiting < 10 * waiting + 1, (awaiting, waiting)
"""
    run_in_job(PRELUDE + script, 2, stack)


def test_a_rank_that_waits_answers_large_accesses(run_in_job, stack) -> None:
    script = """
def seconds(way):
    with mpi.waiting(way), c.window(np.zeros(2**24 if rank == 1 else 0, "u1")) as window:
        window.fence()
        began = time.monotonic()
        if rank == 0:
            window.put(np.ones(2**24, "u1"), 1)
            window.flush()
        window.fence()
        return time.monotonic() - began

spinning = min(seconds("spin") for _ in range(3))
for way in "balanced", "quiet":
    slow = min(seconds(way) for _ in range(3))
    assert slow < 10 * spinning + 0.5, (way, slow, spinning)
"""
    run_in_job(PRELUDE + script, 2, stack)


@on_ranks(WINDOWS)
def test_windows(run_in_job, stack, ranks: int, script: str) -> None:
    run_in_job(PRELUDE + script, ranks, stack)


@pytest.mark.system
@pytest.mark.slow
@pytest.mark.exclusive
def test_an_access_of_more_than_2_gib(run, stack) -> None:
    script = """
count = 2**31 + 11
with c.window(np.zeros(count if rank == 1 else 0, "u1")) as window:
    window.fence()
    if rank == 0:
        given = np.ones(count, "u1")
        given[-1] = 5
        window.put(given, 1)
        window.flush()
        window.accumulate(given, 1)
        window.flush()
        assert window.iget(given, 1).wait() is given
        assert given[0] == 2 and given[2**31 - 1 :].tolist() == [2] * 11 + [10] and given[:: 2**20].sum() == 2 * 2049
    window.fence()
    assert rank == 0 or window.array[-1] == 10
"""
    if (free := psutil.virtual_memory().available) < 8 * 2**30:
        pytest.skip(f"two ranks take up to 8 GiB, but {free >> 30} GiB are free")
    run(PRELUDE + script, 2, stack).succeeded()


@pytest.mark.parametrize("level", ["serialized", "multiple"])
def test_threads_use_windows_while_others_send(run_in_job, stack, level: str) -> None:
    script = """
from together import together
window = c.window(np.zeros(1, int))
twin = c.dup()
def work(number):
    for turn in range(50):
        if number == 0:
            with window.lock(turn % size):
                window.fetch_and_op(1, turn % size)
        else:
            assert twin.sendrecv(turn, other, number, other, number) == turn
together(work, 3)
c.barrier()
assert window.array[0] == 50
window.free()
twin.free()
"""
    run_in_job(PRELUDE + script, 2, stack, env={"POLYMPI_THREADS": level})


ENDS = {
    "one that is never freed is reported": Case(
        """
window = c.window(np.zeros(3 + rank))
window.fence()
window.put(1, other)
window.fence()
del window
gc.collect()
c.barrier()
print(rank)
""",
        words="0 1",
        said=[
            f"[rank {rank}] a window of {3 + rank} elements of float64 was never freed: call its free() on all ranks, "
            "or use 'with'"
            for rank in (0, 1)
        ],
    ),
    "a lock that another rank keeps times out": Case(
        """
from polympi.native import core
window = c.window(np.zeros(3))
if rank == 0:
    with window.lock(0, exclusive=True):
        c.barrier()
        c.recv(1)
else:
    c.barrier()
    core.set_timeout(0.5)
    with raises(mpi.Timeout, "rank 1 waited 0.5 s for rank 0 in window.lock() at ", "another rank holds the lock, "):
        with window.lock(0, exclusive=True):
            pass
    core.set_timeout(0)
    with raises(mpi.StateError, "a call on this window was left by a time-out or an exception"):
        window.fence()
    c.send("go on", 0)
print(rank)
sys.stdout.flush()
c.barrier(timeout=60)
mpi.abort(7)
""",
        code=7,
        env={"POLYMPI_THREADS": "multiple"},
    ),
    "a rank that has ended calls no fence": Case(
        """
window = c.window(np.zeros(3))
window.fence()
if rank == 1:
    sys.exit(0)
with raises(mpi.EndedError, "rank 1 has reached its end"):
    window.fence()
print(rank)
""",
        words="0",
    ),
    "not in a forked child nor after the end": Case(
        """
window = c.window(np.zeros(3))
window.fence()
child = os.fork()
if child == 0:
    with raises(mpi.StateError, "MPI does not work in a forked child"):
        window.put(1, other)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
window.free()
with c.window(np.zeros(1)) as other_window:
    mpi.finalize()
    with raises(mpi.StateError, FINALISED):
        other_window.fence()
    sys.exit(0)
""",
    ),
    "a rank that fails ends the job": Case(
        """
with c.window(np.zeros(3)) as window:
    window.fence()
    if rank == 1:
        raise KeyError("of rank 1")
    window.fence()
""",
        code=1,
    ),
}


@cases(ENDS)
def test_ends(run, stack, case: Case) -> None:
    if case.said is not None or not case.code:
        case.check(run, stack)
        return
    ended = run(PRELUDE + case.script, case.ranks, stack, timeout=case.timeout, env=case.env)
    assert ended.exit_code == case.code, str(ended)
