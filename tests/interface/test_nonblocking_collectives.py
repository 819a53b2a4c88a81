"""Collectives that return a request: mixed with others, dropped, left early, failed, and waited for by threads."""

import pytest
from rank_programs import PRELUDE, on_ranks

pytestmark = pytest.mark.sanitize

CASES = {
    "each returns what the blocking one returns": """
array = np.arange(2 * size + 1)
counts = [2] * (size - 1) + [3]
calls = [
    ("barrier", (), {}),
    ("bcast", ({"of": 1} if rank == 1 else None, 1), {}),
    ("gather", (np.full(rank, rank), 1), {}),
    ("scatter", (array if rank == 1 else None, 1), {"counts": counts if rank == 1 else None}),
    ("allgather", ("x" * rank,), {}),
    ("alltoall", (array,), {"counts": counts}),
]
requests = [getattr(c, "i" + name)(*given, **named) for name, given, named in calls]
values = mpi.wait_all(requests)
for (name, given, named), request, value in zip(calls, requests, values, strict=True):
    assert same(value, getattr(c, name)(*given, **named)), name
    assert request.done and request.test() and request.wait() is value and not request.cancel()
    assert request.wait(status=True)[0] is value
""",
    "with sends and receives in one wait": """
for turn in range(20):
    gathered = c.iallgather(np.full(5000, rank * turn))
    received = c.irecv((rank + 1) % size, turn)
    sent = c.isend(turn, (rank - 1) % size, turn)
    barrier = c.ibarrier()
    if turn % 2:
        pending = [gathered, received, sent, barrier]
        while pending:
            del pending[mpi.wait_any(pending)[0]]
    pieces, number, *nothing = mpi.wait_all([gathered, received, sent, barrier])
    assert number == turn and nothing == [None, None]
    assert [int(piece[0]) for piece in pieces] == [owner * turn for owner in range(size)]
""",
    "a barrier is complete when all have arrived": """
if rank == 0:
    barrier = c.ibarrier()
    assert not barrier.test() and not barrier.done
    c.send("go", 1)
elif rank == 1:
    c.recv(0)
    barrier = c.ibarrier()
    c.send("go", 2)
else:
    c.recv(1)
    barrier = c.ibarrier()
assert barrier.wait(timeout=30) is None
""",
    "calls of two communicators in any order": """
one, two = c.dup(), c.dup()
calls = [lambda: one.iallgather(rank), lambda: two.ibcast("x" if rank == 0 else None)]
requests = [call() for call in (calls if rank % 2 else reversed(calls))]
first, second = mpi.wait_all(requests if rank % 2 else reversed(requests), timeout=30)
assert first == list(range(size)) and second == "x"
one.free()
two.free()
""",
    "begun, and its communicator freed": """
twin = c.dup()
requests = [twin.iallgather(np.full(20_000, rank)), twin.ibcast([rank] if rank == 2 else None, 2)]
if rank == 0:
    time.sleep(0.2)  # while the others expect its piece
else:
    time.sleep(0.1)
twin.free()
pieces, value = mpi.wait_all(requests)
assert [int(piece[-1]) for piece in pieces] == list(range(size)) and value == [2]
""",
    "dropped requests do not keep the others waiting": """
for _ in range(50):
    c.iallgather(np.full(3000, rank))
    c.ibarrier()
assert c.iallgather(rank).wait(timeout=30) == list(range(size))
""",
    "a failure is raised once": """
def failing():
    return c.iallgather(c if rank == 0 else None)

kind = TypeError if rank == 0 else mpi.Error
for wait in (
    lambda request: request.wait(),
    lambda request: mpi.wait_all([request]),
    lambda request: mpi.wait_any([request]),
):
    request = failing()
    with raises(kind):
        wait(request)
    assert request.done
    with raises(mpi.StateError, "has failed before"):
        request.wait()
assert c.allgather(rank) == list(range(size))
""",
    "arguments are checked at once": """
with raises(mpi.RankError, "ibcast(): root is 9"):
    c.ibcast("x", 9)
with raises(TypeError):
    c.ibarrier(timeout=3)
with raises(TypeError):
    c.iallgather()
request = c.iscatter(np.arange(4) if rank == 0 else None, counts=[1])
with raises(mpi.MismatchError if rank == 0 else mpi.Error):
    request.wait(timeout=30)
""",
    "ranks that begin different collectives": """
with raises(mpi.MismatchError):
    (c.ibarrier() if rank else c.iallgather(1)).wait(timeout=30)
""",
    "a wait that a signal handler ends can be repeated": """
class Alarm(Exception):
    pass

def ring(*_):
    raise Alarm

if rank == 0:
    gathered = c.iallgather(rank)
    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    with raises(Alarm):
        gathered.wait()
    for dest in range(1, size):
        c.send("go", dest)
else:
    c.recv(0)
    gathered = c.iallgather(rank)
assert gathered.wait(timeout=30) == list(range(size))
""",
    "one thread waits for it": """
if rank == 0:
    gathered = c.iallgather(rank)
    values, began = [], threading.Event()

    def wait():
        began.set()
        values.append(gathered.wait(timeout=60))

    thread = threading.Thread(target=wait)
    thread.start()
    began.wait()
    while True:  # until the thread is in the call
        try:
            assert not gathered.test()
        except mpi.StateError:
            break
    for dest in range(1, size):
        c.send("go", dest)
    thread.join()
else:
    c.recv(0)
    values = [c.iallgather(rank).wait(timeout=30)]
assert values == [list(range(size))]
""",
    "a time-out of several names the call": """
if rank == 0:
    requests = [c.ibarrier(), c.irecv(1, 7)]
    with raises(mpi.Timeout, "barrier()"):
        mpi.wait_all(requests, timeout=0.1)
    for dest in range(1, size):
        c.send("go", dest)
    assert mpi.wait_all(requests, timeout=30) == [None, "x"]
else:
    c.recv(0)
    c.ibarrier().wait(timeout=30)
    if rank == 1:
        c.send("x", 0, 7)
""",
}


@on_ranks({3: CASES})
def test_nonblocking_collectives(run_in_job, stack, ranks: int, script: str) -> None:
    run_in_job(PRELUDE + "import signal\nimport threading\n" + script, ranks, stack)
