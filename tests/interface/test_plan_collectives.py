"""Collectives in plans: agreed on by all ranks once, and begun at each start."""

import pytest
from rank_programs import PRELUDE, on_ranks

pytestmark = pytest.mark.sanitize

# Memory for a call: contiguous, strided, transposed.
LAYOUTS = """
layouts = [
    lambda shape, dtype: np.zeros(shape, dtype),
    lambda shape, dtype: np.zeros((shape[0], 2 * shape[1]), dtype)[:, ::2],
    lambda shape, dtype: np.zeros(shape[::-1], dtype).T,
]
def fill(array, salt):
    array[...] = (np.arange(array.size).reshape(array.shape) * 3 + salt) % 90
"""

EACH_TIME = """
root = size - 1
rows = [2 + owner % 2 for owner in range(size)]
ends = np.cumsum(rows)
for length in 3, 4000:
    for dtype in "i2", "f8", "c16":
        for lay in layouts:
            def new(height):
                return lay((height, length), dtype)
            all_rows = sum(rows)
            x, piece, whole = new(3), new(rows[rank]), new(all_rows)
            sent = new(3)
            into = {name: new(3) for name in ("reduce", "allreduce", "scan", "exscan")}
            gathered, everyone, swapped = new(all_rows), new(all_rows), new(size * rows[rank])
            scattered, reduced = new(rows[rank]), new(len(np.array_split(np.arange(all_rows), size)[rank]))
            plan = c.plan()
            plan.barrier()
            plan.bcast(sent, root)
            plan.gather(piece, root, into=gathered if rank == root else None)
            plan.scatter(whole if rank == root else None, root, counts=rows if rank == root else None, into=scattered)
            plan.allgather(piece, into=everyone)
            plan.alltoall(whole, counts=rows, into=swapped)
            plan.reduce(x, mpi.SUM, root, into=into["reduce"] if rank == root else None)
            plan.allreduce(x, mpi.PROD, into=into["allreduce"])
            plan.scan(x, into=into["scan"])
            plan.exscan(x, into=into["exscan"])
            plan.reduce_scatter(whole, into=reduced)
            assert len(plan) == 11
            for turn in range(3):
                fill(x, rank + turn)
                fill(piece, 7 * rank + turn)
                fill(whole, 5 * rank + turn)
                sent[...] = turn if rank == root else -1
                if turn % 2:
                    plan.start()
                    while not plan.test():
                        pass
                    plan.finish(timeout=60)
                else:
                    assert plan(timeout=60) is None
                assert (sent == turn).all()
                assert rank != root or np.array_equal(gathered, np.concatenate(c.gather(piece, root)))
                if rank != root:
                    c.gather(piece, root)
                come = c.scatter(whole if rank == root else None, root, counts=rows if rank == root else None)
                assert np.array_equal(scattered, come)
                assert np.array_equal(everyone, np.concatenate(c.allgather(piece)))
                assert np.array_equal(swapped, np.concatenate(c.alltoall(whole, counts=rows)))
                total = c.reduce(x, mpi.SUM, root)
                assert rank != root or np.array_equal(into["reduce"], total)
                assert np.array_equal(into["allreduce"], c.allreduce(x, mpi.PROD))
                assert np.array_equal(into["scan"], c.scan(x))
                before = c.exscan(x)
                assert rank == 0 or np.array_equal(into["exscan"], before)
                assert np.array_equal(reduced, c.reduce_scatter(whole))
            plan.free()
"""


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_each_start_gives_what_the_blocking_calls_give(run_in_job, stack, ranks: int) -> None:
    run_in_job(PRELUDE + LAYOUTS + EACH_TIME, ranks, stack)


PLANS = {
    1: {
        "what does not fit is refused when it is added": """
plan = c.plan()
x, y = np.zeros(4), np.zeros(4)
fixed = np.zeros(4)
fixed.flags.writeable = False
refused = mpi.MismatchError
with raises(refused, "plan.allreduce(): this rank needs `into`: a plan has fixed memory"):
    plan.allreduce(x, into=None)
with raises(TypeError, "plan.bcast() missing required argument 'array'"):
    plan.bcast()
with raises(refused, "plan.scatter(): the root gives an array: a plan has fixed memory"):
    plan.scatter(into=y)
with raises(refused, "plan.allgather(): a list cannot be part of a plan: it is neither an array"):
    plan.allgather([1, 2], into=y)
with raises(refused, "plan.gather(): a numpy.ndarray cannot be received into: it is read-only"):
    plan.gather(x, into=fixed)
with raises(refused, "plan.bcast(): a numpy.ndarray cannot be part of a plan: its elements are objects"):
    plan.bcast(np.zeros(2, object))
with raises(refused, "plan.reduce(): the elements of the array are float64, and those of `into` float32"):
    plan.reduce(x, into=np.zeros(4, "f4"))
with raises(refused, "plan.scan(): the array has 4 elements, and `into` 3"):
    plan.scan(x, into=np.zeros(3))
with raises(refused, "plan.allreduce(): a reduction in a plan combines NumPy's arrays: give one over this memory"):
    plan.allreduce(bytearray(4), into=bytearray(4))
with raises(refused, "plan.allreduce(): op must be a reduction operation like polympi.SUM"):
    plan.allreduce(x, max, into=y)
with raises(mpi.RankError, "plan.bcast(): root is 1, but the ranks of this communicator are 0 to 0"):
    plan.bcast(x, 1)
assert len(plan) == 0
plan()
plan.allreduce(x, into=x)  # in place
plan.send(fixed, 0)
with raises(refused, "plan.allgather(): its memory overlaps with that of plan.allreduce()", "and both travel"):
    plan.allgather(y, into=x)
with raises(refused, "plan.recv(source=0, tag=0): its memory overlaps with that of plan.allreduce()"):
    plan.recv(x[1:2], 0)
with raises(refused, "plan.allgather(): its memory overlaps with that of plan.send(dest=0, tag=0)"):
    fixed.flags.writeable = True
    plan.allgather(y, into=fixed)
plan.scan(y, into=np.zeros(4))
plan.exscan(y)  # which may be given twice, as it is only read
assert len(plan) == 4
plan.free()
with raises(mpi.StateError, "this plan was freed"):
    plan.barrier()
""",
    },
    2: {
        "memory of other kinds": """
from array import array
kinds = [
    (np.array([(1, 2.5), (2, 3.5)], [("x", "i2"), ("y", ">f8")]), lambda: np.zeros(4, [("x", "i2"), ("y", ">f8")])),
    (np.array(["2026-11-23"] * 3, "M8[D]"), lambda: np.zeros(6, "M8[D]")),
    (np.arange(3, dtype=">i4"), lambda: np.zeros(6, ">i4")),
    (array("d", [1, 2, 3]), lambda: array("d", [0] * 6)),
    (bytearray(b"some"), lambda: bytearray(8)),
    (np.arange(24.0).reshape(2, 3, 4)[:, :, ::2], lambda: np.zeros((4, 3, 2))),
]
for value, make in kinds:
    into = make()
    with c.plan() as plan:
        plan.allgather(value, into=into)
        for _ in range(2):
            plan(timeout=60)
    got, one = np.asarray(into), np.asarray(value)
    assert np.array_equal(got, np.concatenate([one, one])), (got, one)
""",
        "operations in Python, and those that Python combines": """
x, into = np.zeros(3000), np.zeros(3000)
last = mpi.op(lambda lower, higher: higher, commutative=False)
pairs, best = np.zeros(5, "f8,i4"), np.zeros(5, "f8,i4")
halves, total = np.zeros(7, "f2"), np.zeros(7, "f2")
with c.plan() as plan:
    plan.allreduce(x, last, into=into)
    plan.allreduce(pairs, mpi.MAXLOC, into=best)
    plan.allreduce(halves, into=total)
    for turn in range(4):
        x[:], halves[:] = turn * 10 + rank, turn + rank
        pairs["f0"], pairs["f1"] = turn - rank, rank
        plan(timeout=60)
        assert (into == turn * 10 + size - 1).all() and (total == size * turn + sum(range(size))).all()
        assert (best["f0"] == turn).all() and (best["f1"] == 0).all()

def fails(lower, higher):
    raise ArithmeticError("no such sum")
with c.plan() as plan:
    done = np.zeros(1)
    plan.allreduce(x, mpi.op(fails), into=into)
    plan.bcast(done)
    for turn in range(2):
        done[0] = turn if rank == 0 else -1
        with raises_any(ArithmeticError, mpi.Error):
            plan(timeout=60)
        assert done[0] == turn  # the others are complete all the same
""",
        "channels and collectives of one plan": """
mine, theirs, total = np.zeros(500), np.zeros(500), np.zeros(1)
part = np.zeros(1)
plan = c.plan()
plan.recv(theirs, other)
plan.allreduce(part, into=total)
plan.send(mine, other)
for turn in range(300):
    mine[:], part[0] = turn + rank, turn * (rank + 1)
    plan(timeout=60)
    assert (theirs == turn + other).all() and total[0] == 3 * turn
plan.free()
""",
        "collectives are added after the agreement": """
x, total, y, joined = np.ones(1), np.zeros(1), np.full(1, float(rank)), np.zeros(2)
plan = c.plan()
plan.allreduce(x, into=total)
plan()
plan.allgather(y, into=joined)
plan.agree(timeout=60)
plan()
assert len(plan) == 2 and total[0] == 2 and joined.tolist() == [0, 1]
plan.free()
""",
        "calls between start and finish, also other plans": """
x, total, y, joined = np.zeros(4), np.zeros(4), np.zeros(2), np.zeros(4)
big, bigger = np.zeros(200_000), np.zeros(200_000)
first, second = c.plan(), c.plan()
first.allreduce(x, into=total)
first.bcast(big, 1)
second.allgather(y, into=joined)
second.allreduce(bigger, mpi.MAX, into=bigger)
first.agree()
second.agree()
for turn in range(40):
    x[:], y[:], big[:], bigger[:] = turn, rank + turn, turn if rank == 1 else -1, turn * rank
    first.start()
    request = c.iallgather(rank * turn)
    second.start()
    assert c.allreduce(turn) == 2 * turn  # after all of them
    assert c.bcast("x" if rank == 0 else None) == "x"
    order = [first.finish, second.finish, lambda: request.wait(timeout=60)]
    for finish in order if turn % 2 else reversed(order):
        finish()
    assert request.wait() == [0, turn]
    assert (total == 2 * turn).all() and joined.tolist() == [turn, turn, 1 + turn, 1 + turn]
    assert (big == turn).all() and (bigger == turn).all()
first.free()
second.free()
""",
        "a time-out, and the next call goes on": """
x, total = np.full(3, 1.0 + rank), np.zeros(3)
plan = c.plan()
plan.allreduce(x, into=total)
if rank == 0:
    with raises(mpi.Timeout, "rank 0 waited 0.1 s in plan.agree()"):
        plan(timeout=0.1)
    with raises(mpi.StateError, "plan.barrier(): the ranks still agree on the collectives that were added before"):
        plan.barrier()
    with raises(mpi.StateError, "this plan was not started"):
        plan.finish()
    c.send("go", 1)
    plan.agree()
    plan.start()
    with raises(mpi.Timeout, "rank 0 waited 0.1 s in allreduce()"):
        plan.finish(timeout=0.1)
    assert not plan.test()
    with raises(mpi.StateError, "this plan was started and not finished"):
        plan()
    c.send("go", 1)
    plan.finish()
else:
    assert c.recv(0) == "go"
    plan.agree()
    assert c.recv(0) == "go"
    plan()
assert (total == 3).all()
plan.free()
assert c.allreduce(1) == 2
""",
        "a signal handler ends a wait that is repeated": """
import signal
signal.signal(signal.SIGALRM, lambda number, frame: signal.raise_signal(signal.SIGINT))
x, total = np.ones(3), np.zeros(3)
plan = c.plan()
plan.allreduce(x, into=total)
plan.agree()
if rank == 0:
    plan.start()
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        plan.finish()
    except KeyboardInterrupt:
        c.send("go", 1)
    plan.finish()
else:
    assert c.recv(0) == "go"
    plan()
assert (total == 2).all()
plan.free()
""",
        "a plan that is dropped while started goes on with its memory": """
for turn in range(6):
    x, total = np.full(50_000 if turn % 2 else 2, 1.0 + rank), np.zeros(50_000 if turn % 2 else 2)
    plan = c.plan()
    plan.allreduce(x, into=total)
    plan.agree()
    if rank == 0:
        plan.start()
        del plan, x, total
        gc.collect()
        junk = [np.full(50_000, 9.0) for _ in range(4)]
        c.send("go", 1)
    else:
        assert c.recv(0) == "go"
        plan(timeout=60)
        assert (total == 3).all()
        plan.free()
    assert c.allreduce(1) == 2
class Field(np.ndarray):
    pass
import weakref
fields = [np.zeros(3).view(Field) for _ in range(10)]
watched = [weakref.ref(field) for field in fields]
for field in fields:
    field.plan = c.plan()
    field.plan.allreduce(field, into=field)
del fields, field
gc.collect()
assert all(ref() is None for ref in watched)
""",
        "the communicator is not freed under a started plan": """
apart = c.dup()
x, total = np.ones(3), np.zeros(3)
plan = apart.plan()
plan.allreduce(x, into=total)
plan.start()
with raises(mpi.StateError, "a plan is started: finish it first"):
    apart.free()
plan.finish()
apart.free()
for call in plan, plan.start, plan.barrier:
    with raises(mpi.StateError, FREED):
        call()
plan.free()
""",
        "ranks that call something else": """
apart = c.dup()
x, total = np.ones(3), np.zeros(3)
plan = apart.plan()
plan.allreduce(x, into=total)
with raises(mpi.MismatchError, "called", "plan.agree()"):
    plan(timeout=60) if rank else apart.barrier(timeout=60)
""",
        "threads": """
from concurrent.futures import ThreadPoolExecutor
comms = [c.dup() for _ in range(3)]
def work(comm):
    x, total = np.zeros(900), np.zeros(900)
    with comm.plan() as plan:
        plan.allreduce(x, into=total)
        for turn in range(100):
            x[:] = turn + rank
            plan(timeout=60)
            assert total[0] == total[-1] == 2 * turn + 1
with ThreadPoolExecutor(3) as threads:
    for done in [threads.submit(work, comm) for comm in comms]:
        done.result()
for comm in comms:
    comm.free()
""",
    },
    3: {
        "other collectives are refused on all ranks, which name each other": """
x, into = np.zeros(4), np.zeros(4)
cases = [
    (lambda plan: plan.allreduce(x, mpi.MAX if rank == 1 else mpi.SUM, into=into),
     ["allreduce(SUM) of 4 float64", "allreduce(MAX) of 4 float64"]),
    (lambda plan: plan.bcast(x, 2 if rank == 1 else 0), ["bcast(root=0) of 4 float64", "bcast(root=2) of 4 float64"]),
    (lambda plan: plan.bcast(x[:3] if rank == 1 else x), ["bcast(root=0) of 4", "bcast(root=0) of 3"]),
    (lambda plan: plan.allgather(x if rank == 1 else x.astype("f4"), into=np.zeros(12, "f8" if rank == 1 else "f4")),
     ["allgather() of float32", "allgather() of float64"]),
    (lambda plan: rank == 1 or plan.barrier(), ["barrier()", "nothing more"]),
    (lambda plan: plan.scan(x, into=into) if rank == 1 else plan.barrier(), ["barrier()", "scan(SUM) of 4 float64"]),
]
good, total = np.ones(1), np.zeros(1)
for add, (here, there) in cases:
    plan = c.plan()
    plan.allreduce(good, into=total)
    plan()
    plan.barrier()
    add(plan)
    if rank == 1:
        here, there = there, here
    with raises(mpi.MismatchError, f"rank {rank}, plan.agree(): new collective 1 is {here}", f" here and {there}",
                f"on rank {int(rank != 1)}", "(ranks 0, 2 differ from this one)" if rank == 1 else "", rank=rank):
        plan(timeout=60)
    assert len(plan) == 1
    total[0] = 0
    plan()
    assert total[0] == 3
    plan.free()
""",
        "many starts with messages between them": """
x, total, mine, all_of = np.zeros(1), np.zeros(1), np.zeros(2, int), np.zeros(6, int)
plan = c.plan()
plan.allreduce(x, into=total)
plan.allgather(mine, into=all_of)
for turn in range(1000):
    x[0], mine[:] = turn * rank, turn + rank
    plan.start()
    if turn % 100 == 0:
        assert c.sendrecv(turn, (rank + 1) % 3, 1, (rank - 1) % 3, 1) == turn
    plan.finish()
    assert total[0] == 3 * turn and all_of.tolist() == [turn, turn, turn + 1, turn + 1, turn + 2, turn + 2]
plan.free()
""",
    },
}

RAISES_ANY = """
@contextlib.contextmanager
def raises_any(*kinds):
    try:
        yield
    except kinds:
        return
    raise AssertionError("nothing was raised")
"""


@on_ranks(PLANS)
def test_collectives_in_plans(run_in_job, stack, ranks: int, script: str) -> None:
    run_in_job(PRELUDE + RAISES_ANY + script, ranks, stack)


def test_a_rank_that_has_ended_is_named(run, stack) -> None:
    script = """
x, total = np.ones(3), np.zeros(3)
plan = c.plan()
plan.allreduce(x, into=total)
plan.agree()
if rank == 0:
    with raises(mpi.EndedError, "allreduce()", "rank 1 has reached its end"):
        plan()
    print("noticed")
"""
    ended = run(PRELUDE + script, 2, stack)
    assert "noticed" in ended.stdout, str(ended)


def test_the_end_tells_of_a_plan_that_was_never_finished(run, stack) -> None:
    script = """
x, total = np.ones(3), np.zeros(3)
plan = c.plan()
plan.allreduce(x, into=total)
plan.start()
if rank == 0:
    plan.finish()
    assert (total == 2).all()
"""
    ended = run(PRELUDE + script, 2, stack)
    assert ended.stderr == "[rank 1] plan.start() was never finished\n", str(ended)
