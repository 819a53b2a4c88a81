"""Plans: sends and receives of arrays that are agreed on once, and made again and again."""

import pytest
from rank_programs import PRELUDE, on_ranks

pytestmark = pytest.mark.sanitize

# Views of a cube: contiguous, rows, single elements, backwards, transposed, small and large.
VIEWS = """
views = [lambda a: a, lambda a: a[3], lambda a: a[:, :, -2], lambda a: a[:, 1], lambda a: a[::-1, ::2, 1:],
         lambda a: a.T, lambda a: a.transpose(1, 0, 2)[1:], lambda a: a[2, 3, ::-1],
         lambda a: a[:0], lambda a: a[1, 1, 1, ...]]
"""


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_a_ring_of_views_arrives_each_time_as_it_is_then(run_in_job, stack, ranks: int) -> None:
    script = """
right, left = (rank + 1) % size, (rank - 1) % size
for length in 6, 24:
    for dtype in "u1", "f8", "c16":
        mine, theirs, expected = (np.zeros((length, length, length), dtype) for _ in range(3))
        for tag, view in enumerate(views):
            plan = c.plan()
            plan.recv(view(theirs), left, tag=tag)
            plan.send(view(mine), right, tag=tag)
            assert len(plan) == 2
            for turn in range(4):
                mine[...] = np.arange(mine.size).reshape(mine.shape) % 50 + turn + rank
                theirs[...] = expected[...] = 99
                view(expected)[...] = view(mine - rank + left).astype(dtype)
                if turn % 2:
                    plan.start()
                    plan.finish(timeout=60)
                else:
                    assert plan(timeout=60) is None
                assert np.array_equal(theirs, expected), (length, dtype, tag, turn)
                in_turn()
            plan.free()
"""
    run_in_job(PRELUDE + VIEWS + script, ranks, stack)


@pytest.mark.parametrize("level", ["serialized", "multiple"])
def test_threads_have_plans_of_their_own_and_one_at_a_time_uses_one(run_in_job, stack, level: str) -> None:
    script = """
from concurrent.futures import ThreadPoolExecutor
from threading import Event

def work(number):
    out, back = np.zeros(2000 * number + 1), np.zeros(2000 * number + 1)
    with c.plan() as plan:
        plan.send(out, other, number)
        plan.recv(back, other, number)
        for turn in range(200):
            out[:] = turn + rank
            plan(timeout=60)
            assert back[0] == back[-1] == turn + other

with ThreadPoolExecutor(3) as threads:
    for done in [threads.submit(work, number) for number in range(3)]:
        done.result()

plan, waits = c.plan(), Event()
plan.recv(np.zeros(3), other) if rank == 0 else plan.send(np.zeros(3), other)
if rank == 0:
    with ThreadPoolExecutor(1) as threads:
        done = threads.submit(lambda: (waits.set(), plan()))
        waits.wait()
        time.sleep(0.05)
        for call in plan, plan.start, plan.free:
            with raises(mpi.StateError, "another thread uses this plan: only one may at a time"):
                call()
        c.send("go", 1)
        done.result()
else:
    assert c.recv(0) == "go"
    plan()
plan.free()
"""
    run_in_job(PRELUDE + script, 2, stack, env={"POLYMPI_THREADS": level})


PLANS = {
    1: {
        "what cannot be a part is refused when it is added": """
plan = c.plan()
fixed = np.zeros(3)
fixed.flags.writeable = False
to, of = "plan.send(dest=0, tag=0): a", "plan.recv(source=0, tag=0): a"
with raises(mpi.MismatchError, f"{of} numpy.ndarray cannot be received into: it is read-only"):
    plan.recv(fixed, 0)
with raises(mpi.MismatchError, f"{of} bytes cannot be received into: it has no writable memory"):
    plan.recv(b"text", 0)
with raises(mpi.MismatchError, f"{to} numpy.ndarray cannot be part of a plan: its elements are objects, "
            "not plain memory; use send() and recv() for them, which take any object"):
    plan.send(np.zeros(2, object), 0)
with raises(mpi.MismatchError, f"{to} list cannot be part of a plan: it is neither an array"):
    plan.send([1, 2], 0)
with raises(mpi.RankError, "dest is 1, but the ranks of this communicator are 0 to 0"):
    plan.send(fixed, 1)
with raises(mpi.RankError, "source is -1, but"):
    plan.recv(np.zeros(3), -1)
with raises(mpi.RankError, "a plan has fixed partners: name the rank to receive from"):
    plan.recv(np.zeros(3), mpi.ANY_SOURCE)
with raises(mpi.RankError, "ANY_SOURCE is not a dest"):
    plan.send(np.zeros(3), mpi.ANY_SOURCE)
with raises(mpi.TagError, "a plan has fixed tags: give the one that is sent with"):
    plan.recv(np.zeros(3), 0, mpi.ANY_TAG)
with raises(mpi.TagError, "tag is -3, but tags are 0 to"):
    plan.send(np.zeros(3), 0, -3)
with raises(TypeError, "plan.send() missing required argument 'dest'"):
    plan.send(fixed)
plan.send(fixed, mpi.PROC_NULL)
plan.recv(np.zeros(3), mpi.PROC_NULL)
assert len(plan) == 0
plan()

grid = np.zeros((6, 6))
plan.send(grid[:, 1], 0)
plan.recv(grid[:, 0], 0)  # next to it, and between its elements
for view in grid[2], grid[:, 0], grid[0, ::2], grid:
    with raises(mpi.MismatchError, "plan.recv(source=0, tag=5): its memory overlaps with that of plan."):
        plan.recv(view, 0, 5)
with raises(mpi.MismatchError, "plan.send(dest=0, tag=5): its memory overlaps with that of plan.recv(source=0, tag=0)"):
    plan.send(grid[3], 0, 5)
flat = bytearray(10)
plan.recv(flat, 0, 6)
with raises(mpi.MismatchError, "overlaps"):
    plan.send(memoryview(flat)[3:], 0, 6)
assert len(plan) == 3
plan.free()
""",
    },
    2: {
        "parts of any memory and of other shapes": """
from array import array
pairs = [
    (np.arange(12.0).reshape(3, 4), lambda: np.zeros((2, 6))),
    (np.asfortranarray(np.arange(12.0).reshape(3, 4)), lambda: np.zeros((3, 4), order="F")),
    (np.asfortranarray(np.arange(12.0).reshape(3, 4)), lambda: np.zeros((3, 4))),
    (np.asfortranarray(np.arange(12.0).reshape(3, 4)), lambda: np.zeros(12)),
    (np.asfortranarray(np.arange(12.0).reshape(3, 4)), lambda: np.zeros(24)[::2]),
    (np.arange(40000.0).reshape(200, 200).T, lambda: np.zeros((100, 400))),
    (np.array([(1, 2.5), (2, 3.5)], [("x", "i2"), ("y", ">f8")]), lambda: np.zeros(2, [("x", "i2"), ("y", ">f8")])),
    (np.array(["2026-11-23"] * 3, "M8[D]"), lambda: np.zeros((3, 1), "M8[D]")),
    (b"some bytes", lambda: bytearray(10)),
    (bytearray(b"some bytes"), lambda: np.zeros(10, "u1")),
    (array("d", [1, 2, 3]), lambda: array("d", [0, 0, 0])),
    (memoryview(np.arange(10.0))[::2], lambda: np.zeros(5)),
    (np.zeros((0, 3)), lambda: np.zeros(0)),
]
for number, (value, make) in enumerate(pairs):
    if rank == 0:
        with c.plan() as plan:
            plan.send(value, 1)
            plan()
            plan()
    else:
        into = make()
        with c.plan() as plan:
            plan.recv(into, 0)
            plan()
            plan()
        got, sent = np.asarray(into), np.asarray(value if not isinstance(value, bytes) else bytearray(value))
        assert np.array_equal(got.ravel(), sent.ravel()), (number, got, sent)
""",
        # The parts of two plans are offered at once; some before their receiver has a part for them.
        "parts belong together by tag and order": """
if rank == 0:
    first, second = c.plan(), c.plan()
    for tag in 7, 3, 3:
        first.send(np.full(2, 10.0 * tag + len(first)), 1, tag)
    second.send(np.full(2, 5.0), 1, 3)
    first()
    second()
else:
    first, second = c.plan(), c.plan()
    arrays = [np.zeros(2) for _ in range(4)]
    for array, tag in zip(arrays, (3, 7, 3)):
        first.recv(array, 0, tag)
    second.recv(arrays[3], 0, 3)
    first()
    second()
    assert [array[0] for array in arrays] == [31, 70, 32, 5]
first.free()
second.free()
""",
        "parts are added after the agreement": """
out, back, more = np.arange(3.0), np.zeros(3), np.zeros(3)
plan = c.plan()
plan()  # of no parts
plan.send(out, other)
plan.recv(back, other)
plan()
assert len(plan) == 2 and (back == out).all()
back[:] = 0
plan.send(out, other, 1)
plan.recv(more, other, 1)
plan()
assert len(plan) == 4 and (back == out).all() and (more == out).all()
plan.free()
with raises(mpi.StateError, "this plan was freed: make another one with plan() of a communicator"):
    plan()
assert len(plan) == 0
""",
        "parts that do not fit are refused on both sides and leave the plans usable": """
pairs = [
    (np.zeros(3), np.zeros(4), "float64 elements of shape (3,) do not fit into float64 elements of shape (4,): "
                               "a plan needs as many on both sides"),
    (np.zeros((2, 2)), np.zeros(3), "float64 elements of shape (2, 2) do not fit into float64 elements of shape (3,)"),
    (np.zeros(3), np.zeros(3, "f4"), "float64 elements of shape (3,) do not fit into float32 elements of shape (3,): "
                                     "the types of the elements differ"),
    (np.zeros(3, ">f8"), np.zeros(3), "the types of the elements differ"),
    (np.zeros(2, [("x", "f8")]), np.zeros(2, [("y", "f8")]),
     "the field 'x' is float64 at byte 0 in the message and missing"),
]
plan = c.plan()
good = np.full(2, 1.0 + rank)
plan.send(good, 1) if rank == 0 else plan.recv(good, 0)
for number, (sent, received, why) in enumerate(pairs):
    if rank == 0:
        plan.send(sent, 1, tag=4)
        place = "rank 0, plan.send(dest=1, tag=4): refused by rank 1, plan.recv(source=0, tag=4): "
        with raises(mpi.MismatchError, place, why, peer=1, tag=4, rank=0):
            plan()
    else:
        plan.recv(received, 0, tag=4)
        with raises(mpi.MismatchError, "rank 1, plan.recv(source=0, tag=4): ", why, peer=0, tag=4, rank=1):
            plan()
    assert len(plan) == 1
    if rank == 0:
        good[:] = number
    plan()
    assert good[0] == number
plan.free()
""",
        "calls in a wrong order are refused": """
plan = c.plan()
plan.send(np.arange(3), rank)
into = np.zeros(3, int)
plan.recv(into, rank)
for call in plan.finish, plan.test:
    with raises(mpi.StateError, "this plan was not started: call start() first"):
        call()
plan.start()
for call in plan.start, plan, plan.agree:
    with raises(mpi.StateError, "this plan was started and not finished: call finish() first"):
        call()
with raises(mpi.StateError, "this plan was started: call finish() before you add to it"):
    plan.send(into, rank)
with raises(mpi.StateError, "this plan was started: call finish() before you free it"):
    plan.free()
plan.finish()
assert into.tolist() == [0, 1, 2]
plan.free()
with raises(ValueError, "plan.finish(): timeout is 0, but must be a positive number of seconds"):
    c.plan().finish(timeout=0)

apart = c.dup()
plan, held = apart.plan(), apart.plan()
plan.recv(into, rank)
plan.send(np.arange(3), rank)
plan.start()
with raises(mpi.StateError, "a plan is started: finish it first"):
    apart.free()
plan.finish()
apart.free()
for call in plan, plan.start, lambda: plan.send(into, 0), held:
    with raises(mpi.StateError, FREED):
        call()
plan.free()
""",
        "time outs name the partner and a later call goes on": """
there, back = np.full(50_000, 1.0 + rank), np.zeros(50_000)
plan = c.plan()
plan.send(there, other, 3)
plan.recv(back, other, 4 - rank)
if rank == 0:
    with raises(mpi.Timeout, "rank 0 waited 0.1 s for rank 1 in plan.send(dest=1, tag=3)", "it has not agreed to it",
                peer=1, tag=3):
        plan(timeout=0.1)
    c.send("go", 1)
    with raises(mpi.Timeout, "rank 0 waited 0.5 s for rank 1 in plan."):
        plan(timeout=0.5)
    plan.free()
else:
    assert c.recv(0) == "go"
    with raises(mpi.Timeout, "for rank 0 in plan.", "it has not agreed to it; start a plan there that"):
        plan(timeout=1)
    plan.free()
in_turn()

plan = c.plan()
plan.send(there, other)
plan.recv(back, other)
plan()
if rank == 0:
    there[:] = 5
    with raises(mpi.Timeout, "rank 0 waited 0.1 s for rank 1 in plan.recv(source=1, tag=0)",
                "it has not started its plan again", peer=1, tag=0):
        plan(timeout=0.1)
    with raises(mpi.Timeout, "rank 0 waited 0.05 s for rank 1"):
        plan.finish(timeout=0.05)
    assert not plan.test()
    c.send("go", 1)
    plan.finish()
else:
    assert c.recv(0) == "go"
    there[:] = 6
    plan()
assert back[0] == back[-1] == 6 - rank
plan.free()
""",
        "an exception of a signal handler leaves pending transfers alone": """
import signal
signal.signal(signal.SIGALRM, lambda number, frame: signal.raise_signal(signal.SIGINT))
there, back = np.full((300, 300), 1.0 + rank)[:, ::3], np.zeros((300, 100))
plan = c.plan()
plan.send(there, other)
plan.recv(back, other)
def interrupted(call):
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        call()
    except KeyboardInterrupt:
        return True

if rank == 0:
    assert interrupted(plan)  # in the agreement
    c.send("go", 1)
    plan()
    plan.start()
    assert interrupted(plan.finish)
    c.send("go", 1)
    plan.finish()
else:
    assert c.recv(0) == "go"
    plan()
    assert c.recv(0) == "go"
    there[...] = 7
    plan()
assert (back == (7 if rank == 0 else 1)).all()
plan.free()
""",
        "offers of a plan that was freed are withdrawn": """
array = np.zeros(3)
if rank == 0:
    for length in 5, 4:
        plan = c.plan()
        plan.send(np.zeros(length), 1)
        with raises(mpi.Timeout):
            plan.agree(timeout=0.02)
        plan.free()
    c.send("go", 1)
    array[:] = 7
    with c.plan() as plan:
        plan.send(array, 1)
        plan(timeout=60)
else:
    assert c.recv(0) == "go"
    with c.plan() as plan:
        plan.recv(array, 0)
        plan(timeout=60)
    assert array[0] == 7
""",
        "damaged offers raise an error and the next ones are taken": """
from polympi.native import core
offers = core._agreement_tag()
array = np.arange(3.0)
plan = c.plan()
if rank == 0:
    for damaged in b"", b"short", bytes(16), b"\\x01" + bytes(11) + b"\\x09" + bytes(3), b"\\x06" + bytes(15):
        core._send_raw(c, damaged, 1, offers, True)
    c.send("go", 1)
    plan.send(array, 1)
    plan(timeout=60)
else:
    assert c.recv(0) == "go"
    into = np.zeros(3)
    plan.recv(into, 0)
    for _ in range(5):
        with raises(mpi.Error, "a damaged message came"):
            plan(timeout=60)
    plan(timeout=60)
    assert (into == array).all()
plan.free()
""",
    },
    3: {
        "many starts with messages between them and several plans at once": """
grid = np.zeros((40, 40, 4))
right, left = (rank + 1) % size, (rank - 1) % size
faces, ring = c.plan(), c.plan()
faces.send(grid[1], left, tag=1)
faces.recv(grid[-1], right, tag=1)
faces.send(grid[-2], right, tag=2)
faces.recv(grid[0], left, tag=2)
number, total = np.zeros(1, int), np.zeros(1, int)
ring.send(number, right)
ring.recv(total, left)
faces.agree(timeout=60)
ring.agree(timeout=60)
for turn in range(3000):
    grid[1:-1], number[0] = turn + rank, turn * rank
    faces.start()
    ring.start()
    if turn % 100 == 0:
        assert c.sendrecv(turn, right, 1, left, 1) == turn
        assert c.allreduce(1) == size
    if turn % 2:
        while not ring.test():
            pass
    ring.finish()
    faces.finish()
    assert total[0] == turn * left
    assert (grid[0] == turn + left).all() and (grid[-1] == turn + right).all()
faces.free()
ring.free()
faces.free()
""",
        # Parts are put in their places one after the other, and the late one is neither the first nor the last of them.
        "a part that is late holds up the others but none is lost": """
faces = np.zeros((4, 6, 3))
plan = c.plan()
if rank == 0:
    for part, source in enumerate([1, 2, 1]):
        plan.recv(faces[part + 1, :, 1], source, part)
else:
    for part in [0, 2] if rank == 1 else [1]:
        plan.send(faces[part + 1, :, 1], 0, part)
plan.agree()
for time in range(1, 4):
    faces[:] = rank and 10 * time + rank
    if rank == 2:
        assert c.recv(0) == "go"
    if rank:
        plan()
        continue
    with raises(mpi.Timeout, "for rank 2 in plan.recv(source=2, tag=1)", "it has not started its plan again"):
        plan(timeout=0.1)
    with raises(mpi.Timeout, "for rank 2 in plan.recv(source=2, tag=1)"):
        plan.finish(timeout=0.01)
    assert not plan.test()
    c.send("go", 2)
    plan.finish()
    assert [set(faces[part, :, 1]) for part in range(4)] == [{0}, {10 * time + 1}, {10 * time + 2}, {10 * time + 1}]
    assert not faces[:, :, ::2].any()
plan.free()
""",
    },
}


@on_ranks(PLANS)
def test_plans(run_in_job, stack, ranks: int, script: str) -> None:
    run_in_job(PRELUDE + script, ranks, stack)
