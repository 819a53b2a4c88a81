"""Messages between two ranks: all ways to send, receive and wait, what they keep apart, and what they refuse."""

import pytest
from rank_programs import PRELUDE

pytestmark = pytest.mark.sanitize


def test_nothing_is_sent_to_or_received_from_nobody(run_in_job, stack) -> None:
    script = """
nobody, big, into = mpi.PROC_NULL, np.zeros(10**6), np.ones(3)
for name in "send", "ssend", "rsend", "bsend":
    assert getattr(c, name)(big, nobody) is None
for name in "isend", "issend", "irsend", "ibsend":
    request = getattr(c, name)(big, nobody, 5)
    assert request.done and request.test() and request.wait() is None
assert c.recv(nobody) is None and c.recv(nobody, 5, timeout=1e-9) is None
assert c.recv(nobody, into=into) is into and c.irecv(nobody, into=into).wait() is into
assert c.irecv(nobody).wait(status=True)[1].source == nobody
assert c.sendrecv(big, nobody, source=nobody) is None and c.sendrecv(1, nobody, source=nobody, into=into) is into
assert c.probe(nobody).source == nobody and c.iprobe(nobody).source == nobody
assert mpi.wait_all([c.irecv(nobody), c.isend(1, nobody)]) == [None, None]
assert (into == 1).all()
left, right = (rank - 1 if rank else nobody), (rank + 1 if rank < size - 1 else nobody)
assert c.sendrecv(rank, right, source=left) == (rank - 1 if rank else None)  # a chain, not a ring
assert c.sendrecv(big + rank, left, source=right, into=(row := np.empty(10**6))) is row
assert right == nobody or (row == right).all()
"""
    run_in_job(PRELUDE + script, 3, stack)


def test_large_messages_cross_without_waiting_for_each_other(run_in_job, stack) -> None:
    script = """
for count in 10, 1000, 10**4, 10**6:
    mine, theirs = np.full(count, rank), np.full(count, other)
    for value, expected in (mine, theirs), ([mine, "x" * count], [theirs, "x" * count]):
        sends = [c.isend(value, other, tag) for tag in (1, 2)]
        received = [c.recv(other, tag) for tag in (2, 1)]  # in the other order
        assert same(received, [expected] * 2)
        assert mpi.wait_all(sends) == [None, None]

        receives = [c.irecv(other, tag) for tag in (1, 2)]
        for tag in 2, 1:
            c.send(value, other, tag)
        assert same(mpi.wait_all(receives), [expected] * 2)

        assert same(c.sendrecv(value, other, source=other), expected)

        requests = [c.irecv(other, 3), c.isend(value, other, 3), c.irecv(other, 4), c.isend(value, other, 4)]
        assert same(mpi.wait_all(requests), [expected, None] * 2)
"""
    run_in_job(PRELUDE + script, 2, stack)


def test_rings_of_any_size(run_in_job, stack) -> None:
    script = """
right, left = (rank + 1) % size, (rank - 1) % size
for count in 1, 1000, 400_000:
    row = np.full((count, 2), rank, "f8")
    for _ in range(size):
        row, status = c.sendrecv(row, right, 1, left, 1, status=True)
        assert status == (left, 1, 2 * count, 16 * count)
    assert (row == rank).all()
    into = np.empty((2, count))
    for _ in range(size):
        assert c.sendrecv(row, right, 2, left, 2, into=into.T) is not None
        row = into.T.copy()
    assert (row == rank).all()
    assert c.sendrecv({"from": rank, "row": row}, right, source=left)["from"] == left
"""
    for ranks in (1, 4):
        run_in_job(PRELUDE + script, ranks, stack)


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_rank_sends_to_itself(run_in_job, stack, ranks: int) -> None:
    assert run_in_job("to_itself.py", ranks, stack).count("done") == ranks


def test_probes_agree_with_the_receive_after_them(run_in_job, stack) -> None:
    script = """
if rank == 0:
    assert c.iprobe(tag=1) is None
    in_turn()
    chance, left = random.Random(3), {1: 150, 2: 150}
    for turn in range(300):
        found = c.probe(tag=chance.choice([mpi.ANY_TAG, *(tag for tag in left if left[tag])]))
        left[found.tag] -= 1
        assert c.probe(found.source, found.tag) == found == c.iprobe(found.source, found.tag)
        assert c.iprobe(found.source, 77) is None
        value, status = c.recv(found.source, found.tag, status=True)
        assert (status.source, status.tag) == found[:2] == tuple(value[:2])
    assert c.iprobe() is None
else:
    in_turn()
    chance = random.Random(rank)
    sizes = [chance.choice([1, 1000, 5000, 50_000]) for _ in range(100)]
    mpi.wait_all([c.isend([rank, 1 + turn % 2, np.zeros(n)], 0, 1 + turn % 2) for turn, n in enumerate(sizes)])
"""
    run_in_job(PRELUDE + script, 4, stack)


@pytest.mark.parametrize("program", ["every_way", "statuses", "busy_receiver", "wrong_arguments"])
def test_programs_of_two_ranks(run_in_job, stack, program: str) -> None:
    run_in_job(f"point_to_point/{program}.py", 2, stack)
