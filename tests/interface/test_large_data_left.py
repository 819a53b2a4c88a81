"""Large data of collectives that the library sends, where a rank leaves the call before they are there."""

import pytest
from rank_programs import PRELUDE, on_ranks

pytestmark = pytest.mark.sanitize

VALUES = """
import signal
from polympi.native import core

COUNT = 300_000

def value(seed, count=COUNT):
    return np.random.default_rng(seed).random(count)

values = [value(other) for other in range(size)]
mine, total = values[rank], sum(values)
parts = [value(seed, 520) for seed in range(1500)]  # each is large; to name them all takes more than a small message

def tell_that_it_has_left(*ranks):
    for dest in ranks:
        c.send("left", dest, 77)

def come_when_it_has_left(source):
    assert c.recv(source, 77, timeout=30) == "left"

def later_calls_work():
    assert c.allreduce(rank, timeout=30) == sum(range(size))
    assert np.allclose(c.allreduce(mine, timeout=30), total)
    for root in range(size):
        assert same(c.bcast(mine if rank == root else None, root, timeout=30), values[root])
    assert all(map(same, c.allgather(mine, timeout=30), values))
"""


@pytest.mark.parametrize("ranks", [2, 3])
def test_the_others_get_what_a_rank_that_has_timed_out_had_promised(run_in_job, stack, mailboxes, ranks: int) -> None:
    # The last rank comes when the first one has left. Three ranks on few processors with shared memory have bcast over
    # boards, where it is reported to them instead.
    script = """
calls = {
    "reduce": lambda **time: (c.reduce(mine, root=size - 1, **time), total if rank == size - 1 else None),
    "reduce_scatter": lambda **time: (c.reduce_scatter(mine, **time), np.array_split(total, size)[rank]),
    "allreduce": lambda **time: (c.allreduce(mine, **time), total),
    "scan": lambda **time: (c.scan(mine, **time), sum(values[:rank + 1])),
    "exscan": lambda **time: (c.exscan(mine, **time), sum(values[:rank]) if rank else None),
}
if size == 2 or not any(c.allgather(core._neighbours(c))):
    calls["bcast"] = lambda **time: (c.bcast(values[0] if rank == 0 else None, **time), values[0])
    calls["parts"] = lambda **time: (c.bcast(parts if rank == 0 else None, **time), parts)
for name, call in calls.items():
    in_turn()
    if rank == 0:
        with raises(mpi.Timeout, "rank 0 waited 0.3 s in ", operation="bcast" if name == "parts" else name):
            call(timeout=0.3)
        tell_that_it_has_left(size - 1)
    else:
        if rank == size - 1:
            come_when_it_has_left(0)
        result, expected = call(timeout=30)
        assert (
            result is None if expected is None else all(map(same, result, expected)) if name == "parts"
            else np.allclose(result, expected)
        ), name
    later_calls_work()
"""
    run_in_job(PRELUDE + VALUES + script, ranks, stack, env=mailboxes)


@pytest.mark.parametrize("seconds", ["0.2", "2.5"])
def test_a_rank_at_its_end_goes_on_with_large_data_that_it_has_left(run, stack, mailboxes, seconds: str) -> None:
    # After a second the interpreter of rank 0 is gone.
    script = """
if rank == 0:
    with raises(mpi.Timeout):
        c.bcast(parts, timeout=0.1)
else:
    time.sleep(0.4 + float(sys.argv[1]))
    assert all(map(same, c.bcast(timeout=30), parts))
    print("through")
"""
    ended = run(PRELUDE + VALUES + script, 2, stack, env=mailboxes, arguments=[seconds])
    assert ended.succeeded().split() == ["through"]
    if float(seconds) > 1:
        assert ended.stderr.splitlines() == ["[rank 0] waits for all ranks to call bcast()"]


@pytest.mark.parametrize("end", ["program", "finalize"])
def test_a_call_that_was_left_and_that_not_all_ranks_make_does_not_spoil_a_good_end(
    run, stack, mailboxes, end: str
) -> None:
    script = """
if rank == 0:
    with raises(mpi.Timeout):
        c.bcast(mine, timeout=0.1)
    with raises(mpi.Timeout):
        c.allreduce(mine, timeout=0.1)
if sys.argv[1] == "finalize":
    mpi.finalize()
print("ended")
"""
    run(PRELUDE + VALUES + script, 2, stack, env=mailboxes, arguments=[end]).ends(words="ended ended")


LEFT = {
    2: {
        # Rank 1 stands still in a signal handler while parts are on their way, so that rank 0 is out of time.
        "a rank leaves in the middle of the data": """
signal.signal(signal.SIGALRM, lambda *_: time.sleep(0.6))
left = 0
for turn in range(6):
    in_turn()
    if rank == 0:
        try:
            c.bcast(parts, timeout=0.4)
        except mpi.Timeout:
            left += 1
    else:
        signal.setitimer(signal.ITIMER_REAL, 0.004 * (turn + 1))
        assert all(map(same, c.bcast(timeout=30), parts))
        signal.setitimer(signal.ITIMER_REAL, 0)
    later_calls_work()
""",
        "an exception of a signal handler does not keep large data from the others": """
class Stop(Exception):
    pass

def stop(*_):
    raise Stop

signal.signal(signal.SIGALRM, stop)
calls = [
    (lambda **time: c.bcast(mine, **time), values[0]),
    (lambda **time: c.allreduce(mine, **time), total),
]
for call, expected in calls:
    in_turn()
    if rank == 0:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with raises(Stop):
            call()
        tell_that_it_has_left(1)
    else:
        come_when_it_has_left(0)
        assert np.allclose(call(timeout=30), expected)
    later_calls_work()
""",
        # Rank 1 has left before rank 0 began, and knows nothing of large data; rank 0 learns after it left, too.
        "a rank that waits for one that had promised nothing learns it": """
for seconds in 30, 0.05:
    in_turn()
    if rank == 1:
        with raises(mpi.Timeout, "rank 1 waited 0.2 s in bcast()"):
            c.bcast(timeout=0.2)
        tell_that_it_has_left(0)
    else:
        come_when_it_has_left(1)
        words = "rank 1 has left this call before it was complete" if seconds > 1 else None
        with raises(mpi.Timeout, *([words] if words else [])):
            c.bcast(mine, timeout=seconds)
    later_calls_work()
""",
    },
    3: {
        "what arrives after a time-out does not go into the user buffer": """
calls = [
    lambda into, **time: c.allreduce(mine, into=into, **time),
    lambda into, **time: c.allreduce(into, into=into, **time),
    lambda into, **time: c.reduce(mine, root=1, into=into, **time),
    lambda into, **time: c.scan(mine, into=into, **time),
]
if not any(c.allgather(core._neighbours(c))):  # otherwise three ranks on few processors have boards
    calls.append(lambda into, **time: c.bcast(mine if rank == 0 else None, into=into, **time))
for call in calls:
    into = bytearray(8 * COUNT)
    array = np.frombuffer(into)
    array[:] = -1
    in_turn()
    if rank == 1:
        with raises(mpi.Timeout):
            call(array, timeout=0.3)
        del array
        into.clear()  # nobody holds it any more
        tell_that_it_has_left(2)
    else:
        if rank == 2:
            come_when_it_has_left(1)
        call(array, timeout=30)
        del array
    later_calls_work()
""",
        "a bcast that was begun goes on whatever it sends": """
for turn, sent in enumerate([None, "x", mine.tobytes(), values, parts, "y" * 9000]):
    root = turn % size
    begun = [c.ibcast(sent if rank == root else None, root) for _ in range(3)]
    sent = c.bcast(sent, root, timeout=30)  # waits for those before it
    assert mpi.test_all(begun)
    assert all(same(call.wait(timeout=30), sent) for call in begun)
    into = np.zeros(COUNT)
    other = c.ibcast(values[root] if rank == root else None, root, into=into)
    assert c.allreduce(1, timeout=30) == size
    assert other.wait(timeout=30) is into and same(into, values[root])
if rank == 0:
    with raises(TypeError):
        c.ibcast(c).wait(timeout=30)
else:
    with raises(mpi.Error, "rank 0 could not do its part"):
        c.ibcast().wait(timeout=30)
small = np.zeros(3)
begun = c.ibcast(values[0] if rank == 0 else None, into=small if rank else None)
if rank == 0:
    assert begun.wait(timeout=30) is not None
else:
    with raises(mpi.TruncationError):
        begun.wait(timeout=30)
later_calls_work()
""",
    },
}


@on_ranks(LEFT)
def test_collectives_that_a_rank_leaves(run_in_job, stack, mailboxes, ranks: int, script: str) -> None:
    run_in_job(PRELUDE + VALUES + script, ranks, stack, env=mailboxes)


@pytest.mark.one_host  # on several, two ranks of each do not share processors, and are asked before data are sent
@pytest.mark.parametrize("leaver", [1, 2, 3])
def test_who_has_nothing_to_get_goes_on_without_a_rank_that_has_left(run_in_job, stack, leaver: int) -> None:
    # Four ranks on few processors hand the data down a tree, 0 to 2 and 1, 2 to 3, in messages that a library holds
    # until they are taken. Nothing is late for a rank that gets what it waits for.
    script = f"""
leaver = {leaver}
misses = 3 if leaver == 2 else None
for count in (1000, 15_000):
    data = value(count, count)
    c.barrier(timeout=30)
    if rank == leaver:
        with raises(mpi.Timeout, "waited 0.2 s in bcast"):
            c.bcast(timeout=0.2)
        for dest in range(size):
            if dest != rank:
                tell_that_it_has_left(dest)
    else:
        come_when_it_has_left(leaver)
        if rank == misses:
            with raises(mpi.Timeout, "rank 2 has left this call before it was complete"):
                c.bcast(timeout=30)
        else:
            assert same(c.bcast(data if rank == 0 else None, timeout=30), data)
    later_calls_work()
"""
    run_in_job(PRELUDE + VALUES + script, 4, stack, env={"POLYMPI_MAILBOXES": "0"})


BOTH_WAYS = """
for elements in 5_000, 9_000, 40_000, 300_000:  # each root tries MPI_Bcast and messages in turn, and chooses
    into = np.empty(elements)
    for call in range(18 * size):
        root, sent = call % size, np.arange(elements, dtype=float) + call
        got = c.bcast(sent if rank == root else None, root, into=None if rank == root else into)
        assert (got == sent).all(), (elements, call)
    several = c.bcast([sent, sent[::2], "text"] if rank == 0 else None, 0)
    assert (several[0] == sent).all() and (several[1] == sent[::2]).all() and several[2] == "text"
"""


@pytest.mark.parametrize("ranks", [2, 3, 8])
def test_either_way_of_a_large_bcast_brings_the_data(run, stack, ranks: int) -> None:
    run(PRELUDE + BOTH_WAYS, ranks, stack).ends()
