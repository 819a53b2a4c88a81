"""Collective calls that are left in the middle, and those that go on while their rank does something else."""

import pytest
from rank_programs import PRELUDE, on_ranks

pytestmark = pytest.mark.sanitize

CALLS = """
import signal

def wait(call, timeout=20):
    return call.wait(timeout=timeout)
"""


UNDER_WAY = {
    2: {
        "a begun call finds that another rank calls something else": """
comm = c.dup()
if rank == 0:
    comm.bcast("x")
    in_turn()
else:
    in_turn()
    with raises(mpi.MismatchError, "rank 0 called bcast(root=0) where this rank called barrier()"):
        wait(comm.ibarrier())
in_turn()
""",
        # Ctrl-C raises KeyboardInterrupt from Python's own handler; rank `late` comes to the call when that is over.
        "an exception of a signal handler ends a collective and the next one works": """
signal.signal(signal.SIGALRM, lambda number, frame: signal.raise_signal(signal.SIGINT))
calls = [
    lambda late, **time: c.barrier(**time),
    lambda late, **time: c.bcast("x", late, **time),
    lambda late, **time: c.bcast("x" * 7000, late, **time),
    lambda late, **time: c.gather(rank, 1 - late, **time),
    lambda late, **time: c.scatter([rank] * size, late, **time),
    lambda late, **time: c.allgather(rank, **time),
    lambda late, **time: c.alltoall([rank] * size, **time),
    lambda late, **time: c.allreduce(1, **time),
    lambda late, **time: c.scan(1, **time),
]
for number, call in enumerate(calls):
    for late in range(size):
        if rank != late:
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            try:
                call(late)
            except KeyboardInterrupt:
                in_turn()
            else:
                raise AssertionError(f"call {number} did not wait for rank {late}")
        else:
            in_turn()
            with contextlib.suppress(mpi.Timeout):
                call(late, timeout=0.05)
        in_turn()
        assert c.allgather((number, rank), timeout=20) == [(number, other) for other in range(size)]
""",
    },
    3: {
        "calls on one communicator go on in their order": """
apart = c.dup()
for turn in range(20):
    time.sleep(0.002 * random.random())
    begun = [c.ibarrier() for _ in range(1 + turn % 5)]
    elsewhere = apart.ibarrier()
    assert apart.allreduce(rank) == sum(range(size))
    assert elsewhere.test()
    assert c.bcast(turn if rank == turn % size else None, turn % size, timeout=20) == turn
    assert mpi.test_all(begun)  # a call that blocks waits for those before it
    begun.append(c.ibarrier())
    wait(begun[-1])
    assert mpi.test_all(begun)
apart.free()
""",
        "a call goes on when its wait has timed out or nobody asks": """
if rank == 0:
    in_turn()
    c.barrier(timeout=20)
    c.barrier(timeout=20)
else:
    barrier = c.ibarrier()
    with raises(mpi.Timeout, f"rank {rank} waited 0.05 s in barrier()"):
        wait(barrier, 0.05)
    assert not barrier.test()
    in_turn()
    wait(barrier)
    c.ibarrier()  # dropped at once
assert c.allgather(rank, timeout=20) == list(range(size))
""",
        "threads are in collectives of different communicators": """
from concurrent.futures import ThreadPoolExecutor
groups = [c.dup(), c.dup()]

def work(group, number):
    for turn in range(60):
        root = (turn + number) % size
        time.sleep(0.001 * random.random())
        assert group.bcast((number, turn) if rank == root else None, root, timeout=20) == (number, turn)
        assert group.allreduce(number + turn, timeout=20) == size * (number + turn)
        assert group.allgather((number, rank), timeout=20) == [(number, other) for other in range(size)]
        assert group.alltoall([(rank, other) for other in range(size)], timeout=20) == [
            (other, rank) for other in range(size)
        ]
        pieces = group.gather(turn + rank, root, timeout=20)
        assert pieces == ([turn + other for other in range(size)] if rank == root else None)
        assert group.scatter(pieces, root, timeout=20) == turn + rank

with ThreadPoolExecutor(2) as threads:
    for done in [threads.submit(work, group, number) for number, group in enumerate(groups)]:
        done.result()
for group in groups:
    group.free()
""",
    },
    4: {
        # Rank 0 is through only when all others have received what follows the first round, of which they know nothing.
        "a call that was begun goes on while its rank receives": """
if rank == 0:
    c.barrier(timeout=20)
    for dest in range(1, size):
        c.send("through", dest)
else:
    barrier = c.ibarrier()
    assert c.recv(0, timeout=20) == "through"
    assert wait(barrier) is None
""",
    },
}


@on_ranks(UNDER_WAY)
def test_calls_under_way(run_in_job, stack, mailboxes, ranks: int, script: str) -> None:
    run_in_job(PRELUDE + CALLS + script, ranks, stack, env=mailboxes)


def test_ranks_that_wait_for_one_that_has_ended_learn_it_by_their_time_out(run, stack, mailboxes) -> None:
    script = """
if rank == 2:
    mpi.finalize()
else:
    for call in (c.barrier, lambda **time: c.allreduce(1.5, **time), lambda **time: c.allgather(rank, **time)):
        with raises(mpi.Timeout):
            call(timeout=0.2)
    two = c.sendrecv(rank, 1 - rank, source=1 - rank)
    assert two == 1 - rank
"""
    run(PRELUDE + CALLS + script, 3, stack, env=mailboxes).succeeded()


def test_calls_that_all_ranks_have_begun_are_over_at_the_end(run, stack, mailboxes) -> None:
    script = """
groups = [c.dup() for _ in range(3)]
time.sleep(0.3 * random.random())
kept = [group.ibarrier() for group in groups for _ in range(5)]
if sys.argv[1] == "finalize":
    mpi.finalize()
print("ended")
"""
    for end in ("program", "finalize"):
        run(PRELUDE + CALLS + script, 4, stack, env=mailboxes, arguments=[end]).ends(
            words="ended ended ended ended", said=[]
        )


def test_finalize_waits_for_ranks_that_come_late_to_a_call(run, stack, mailboxes) -> None:
    script = """
if rank == 0:
    barrier = c.ibarrier()
else:
    time.sleep(2)
    c.barrier()
mpi.finalize()
print("ended")
"""
    run(PRELUDE + CALLS + script, 3, stack, env=mailboxes).ends(
        words="ended ended ended", said=["[rank 0] waits for all ranks to call barrier()"]
    )


@pytest.mark.parametrize(  # how the end is reached and how the call travels have nothing to do with each other
    ("end", "mailboxes"), [("program", "1"), ("program", "0"), ("finalize", "0"), ("handler", "1")]
)
def test_a_call_that_not_all_ranks_make_is_reported_at_the_end(run, stack, mailboxes: str, end: str) -> None:
    script = """
if rank == 0:
    barrier = c.ibarrier()
    if sys.argv[1] == "finalize":
        with raises(mpi.StateError, CALLS_PENDING):
            mpi.finalize()
        print("reported", flush=True)
    if sys.argv[1] == "handler":
        signal.signal(signal.SIGALRM, lambda *_: mpi.finalize())
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with raises(mpi.StateError, CALLS_PENDING):
            wait(barrier)
        print("reported", flush=True)
"""
    ended = run(PRELUDE + CALLS + script, 2, stack, env={"POLYMPI_MAILBOXES": mailboxes}, arguments=[end])
    assert ended.exit_code == 1, str(ended)
    assert "[rank 0] barrier() was never called by all ranks" in ended.stderr.splitlines()
    assert ended.stdout.split() == ([] if end == "program" else ["reported"])


def test_another_call_than_the_one_that_a_rank_left_behind_is_reported_by_both(run, stack, mailboxes) -> None:
    # The letter of the other call comes when the interpreter of rank 0 is gone.
    script = """
if rank == 0:
    c.ibarrier()
else:
    time.sleep(2)
    with raises(mpi.MismatchError, "rank 0 called barrier() where this rank called bcast(root=0)"):
        c.bcast(None, 0)
    print("reported", flush=True)
"""
    ended = run(PRELUDE + CALLS + script, 2, stack, env=mailboxes)
    assert ended.exit_code == 1, str(ended)
    assert "[rank 0] barrier() was never called by all ranks" in ended.stderr.splitlines()
    assert ended.stdout.split() == ["reported"]
