"""Several Python threads of each rank send, receive and wait at the same time, at both thread levels that allow it."""

from __future__ import annotations

import pytest
from rank_programs import PRELUDE

from polympi.lab.stacks.stack import Stack

pytestmark = [pytest.mark.mpi, pytest.mark.sanitize]

levels = pytest.mark.parametrize("level", ["serialized", "multiple"])

THREADS = """
import threading
from concurrent.futures import ThreadPoolExecutor

sys.setswitchinterval(1e-4)  # 50 times as often as usual: threads meet in more places

def together(work, count):
    "Call work(number) in so many threads; what one of them raises is raised here."
    with ThreadPoolExecutor(count) as pool:
        for done in [pool.submit(work, number) for number in range(count)]:
            done.result(timeout=50)
"""


@levels
def test_threads_exchange_messages_of_all_sizes(run, stack: Stack, level: str) -> None:
    script = """
VALUES = [
    lambda n: n, lambda n: {"n": n, "x": [None, 1.5]}, lambda n: np.full(50, n), lambda n: np.full(3000, n),
    lambda n: np.full(100_000, n), lambda n: [n, "x" * 9000], lambda n: [np.full(5000, n), "y" * 9000],
    lambda n: np.full((40, 50), n)[:, ::3],
]
def work(tag):
    chance = random.Random(tag)
    for turn in range(40):
        of_rank = [chance.choice(VALUES)(100 * sender + turn) for sender in range(2)]
        mine, theirs = of_rank[rank], of_rank[other]
        expected = theirs.copy() if isinstance(theirs, np.ndarray) else theirs
        way = chance.randrange(6)
        if way == 0:
            got = c.sendrecv(mine, other, tag, other, tag)
        elif way == 1:
            request = c.irecv(other, tag)
            c.send(mine, other, tag)
            got = request.wait()
        elif way == 2:
            request = c.isend(mine, other, tag)
            got = c.recv(c.probe(other, tag).source, tag)
            request.wait()
        elif way == 3:
            got = mpi.wait_all([c.irecv(other, tag), c.issend(mine, other, tag)])[0]
        elif way == 4 and isinstance(theirs, np.ndarray):
            got = c.sendrecv(mine, other, tag, other, tag, into=np.empty(theirs.shape, int))
        else:
            requests = [c.irecv(other, tag), c.isend(mine, other, tag)]
            while not mpi.test_all(requests):
                pass
            got = requests[0].wait()
        assert same(got, expected), (tag, turn, way)

together(work, 8)
in_turn()
assert c.iprobe() is None
"""
    run(PRELUDE + THREADS + script, 2, stack, env={"POLYMPI_THREADS": level}).succeeded()


@levels
def test_what_one_thread_is_refused_harms_no_other(run, stack: Stack, level: str) -> None:
    script = """
records = np.zeros(2000, "i4,f8")
def work(tag):
    for turn in range(30):
        if rank == 0:
            c.send([np.arange(4000), records, {"an": "object"}, np.arange(5)][(tag + turn) % 4], 1, tag)
            c.send(turn, 1, tag)
            continue
        for_it = [np.zeros(4000, "f4"), np.zeros(2000, "i8,f8"), np.zeros(9), np.zeros(4, int)][(tag + turn) % 4]
        request = c.irecv(0, tag, into=for_it)
        if turn % 2:
            with raises(mpi.Timeout):
                c.recv(0, 1000 + tag, timeout=1e-4)
        with raises([mpi.MismatchError, mpi.MismatchError, mpi.MismatchError, mpi.TruncationError][(tag + turn) % 4]):
            request.wait()
        assert c.recv(0, tag) == turn

together(work, 8)
"""
    run(PRELUDE + THREADS + script, 2, stack, env={"POLYMPI_THREADS": level}).succeeded()


@levels
def test_other_threads_compute_while_one_waits(run, stack: Stack, level: str) -> None:
    # What each waits for comes from the thread that computes, when it is done: if it could not run, nobody would end.
    script = """
def compute():
    return sum(number * number for number in range(200_000))

big = np.arange(10**5)
WAITS = [
    lambda: c.recv(rank, 1), lambda: c.irecv(rank, 1).wait(), lambda: c.probe(rank, 1) and c.recv(rank, 1),
    lambda: mpi.wait_any([c.irecv(rank, 1)])[1], lambda: mpi.wait_all([c.irecv(rank, 1)])[0],
    lambda: c.sendrecv(0, mpi.PROC_NULL, 0, rank, 1), lambda: c.recv(rank, 1, into=np.zeros(10**5, int), timeout=50),
]
for wait in WAITS:
    def work(number):
        if number == 0:
            return wait()
        assert compute() > 0
        c.isend(big, rank, 1).wait()
        return big

    with ThreadPoolExecutor(2) as pool:
        waiting, computing = pool.submit(work, 0), pool.submit(work, 1)
        assert same(waiting.result(timeout=50), computing.result(timeout=50))
for send in lambda: c.ssend(big, rank, 2), lambda: c.send(big, rank, 2), lambda: c.issend(1, rank, 2).wait():
    with ThreadPoolExecutor(1) as pool:
        received = pool.submit(lambda: compute() and c.recv(rank, 2))
        send()
        received.result(timeout=50)
"""
    run(PRELUDE + THREADS + script, 2, stack, env={"POLYMPI_THREADS": level}).succeeded()


@levels
def test_two_threads_that_wait_for_one_request_never_hang(run, stack: Stack, level: str) -> None:
    script = """
for turn in range(40):
    value = [5, np.arange(10**5), [np.arange(5000), "x" * 9000]][turn % 3]
    requests = [c.irecv(other, 1), c.issend(value, other, 1)]
    WAYS = [lambda request: request.wait(), lambda request: mpi.wait_all([request])[0],
            lambda request: mpi.wait_any([request])[1], lambda request: request.test() and request.wait()]
    served = []
    def work(number):
        request = requests[number % 2]
        try:
            got = WAYS[(turn + number // 2) % 4](request)
        except mpi.StateError as error:
            assert "another thread waits for this request: one at a time may" in str(error)
        else:
            assert got is False or number % 2 or same(got, value)
            served.append(number)

    together(work, 6)
    assert same(mpi.wait_all(requests), [value, None])
"""
    run(PRELUDE + THREADS + script, 2, stack, env={"POLYMPI_THREADS": level}).succeeded()


@levels
def test_each_thread_with_a_communicator_of_its_own(run, stack: Stack, level: str) -> None:
    script = """
groups = [c.dup() for _ in range(8)]
def work(number):
    group = groups[number]
    row = np.full(2000 * number, rank)
    for _ in range(30):
        row = group.sendrecv(row, (rank + 1) % size, 7, (rank - 1) % size, 7)
    assert (row == (rank - 30) % size).all()
    group.barrier()

together(work, 8)
for group in groups:
    group.free()
"""
    run(PRELUDE + THREADS + script, 3, stack, env={"POLYMPI_THREADS": level}).succeeded()
