"""Groups of ranks: made, kept apart from each other, and given back."""

import re

import pytest
from hosts import codes_of_failure
from rank_programs import PRELUDE

pytestmark = pytest.mark.sanitize


def test_messages_stay_in_their_communicator(run_in_job, stack) -> None:
    run_in_job("communicators/apart.py", 4, stack)


DROPPED = re.compile(
    r"^\[rank (\d)[^]]*\] free\(\): a message from rank (\d) with tag (\d+)( and \d+ more were| was) never", re.M
)


def test_messages_that_are_dropped_with_their_communicator_are_reported(run, stack) -> None:
    script = """
for turn in range(3):
    twin, quiet = c.dup(), c.dup()
    if rank == 0:
        twin.send("small", 1, 7)
        twin.send(np.zeros(500), 1, 1)
        twin.raw.send(np.arange(4.0), 1, 2)
        assert quiet.recv(1) == "received"
    else:
        twin.send(None, 0)
        quiet.send("received", 0)
    c.barrier()
    quiet.free()
    twin.free()
with c.dup() as again:
    assert again.sendrecv(rank, other, source=other) == other
"""
    ended = run(PRELUDE + script, 2, stack)
    ended.succeeded()
    found = DROPPED.findall(ended.stderr)
    assert sorted(found) == 3 * [("0", "1", "0", " was")] + 3 * [("1", "0", "7", " and 2 more were")], ended.stderr
    assert ended.stderr.count("free()") == 6


def test_a_communicator_with_large_messages_that_nobody_receives_is_left(run, stack) -> None:
    # MPICH ends the process where it is freed, Open MPI where a part of the data is received.
    script = """
twin = c.dup()
sent = [twin.isend(np.full(n, 1.0), 1, 1) for n in (10, 10**4, 10**6)] if rank == 0 else []
c.barrier()
twin.free()
assert twin.size == 0
if rank == 0:  # the one before it may have left at once
    with raises(mpi.Timeout, "isend(dest=1, tag=1)"):
        sent[2].wait(timeout=0.1)
with c.dup() as again:
    assert again.sendrecv(rank, other, source=other) == other
"""
    ended = run(PRELUDE + script, 2, stack)
    assert ended.exit_code == 1, str(ended)
    assert DROPPED.findall(ended.stderr) == [("1", "0", "1", " and 2 more were")], ended.stderr
    assert re.search(r"^\[rank 0[^]]*\] isend\(dest=1, tag=1\) was never received", ended.stderr, re.M), ended.stderr


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("atexit.register(twin.free)", 0),
        ("threading.Thread(target=twin.free).start()", 0),
        ("time.sleep(rank)\ntwin.free()", 0),
        ("if rank == 0: os._exit(3)\ntwin.free()", 3),
    ],
    ids=["at exit", "by a thread", "late", "alone"],
)
def test_undelivered_messages_hold_no_free_up(run, stack, how: str, code: int) -> None:
    script = "import atexit, threading\ntwin = c.dup()\nif rank == 0:\n    twin.send('nobody', 1, 4)\nc.barrier()\n"
    ended = run(PRELUDE + script + how + "\n", 2, stack)
    assert ended.exit_code in codes_of_failure(code, stack.family), str(ended)
    assert DROPPED.findall(ended.stderr) == ([("1", "0", "4", " was")] if code == 0 else []), ended.stderr


def test_ranks_that_make_different_things_learn_that(run_in_job, stack, mailboxes) -> None:
    script = """
for one, another in ("dup", "split"), ("split", "barrier"), ("free", "dup"):
    twin = c.dup()
    call, theirs = (one, another) if rank == 0 else (another, one)
    with raises(mpi.MismatchError, f"rank {other} called {theirs}() where this rank called {call}()", operation=call):
        twin.split(0) if call == "split" else getattr(twin, call)()
    assert c.allreduce(1) == 2
"""
    run_in_job(PRELUDE + script, 2, stack, env=mailboxes)


ON_TWO_RANKS = {
    "a freed communicator is of no use": """
twin = c.dup()
assert repr(twin) == f"<Communicator, rank {rank} of {size}>"
request = twin.irecv(other, 1)
in_turn()
twin.send("early", other, 1)
assert request.wait() == "early"
twin.free()
assert repr(twin) == "<Communicator, freed>" and twin.size == 0
for call in (twin.free, twin.dup, lambda: twin.split(0), lambda: twin.send(1, 0), lambda: twin.recv(0), twin.barrier,
             lambda: twin.isend(1, 0), twin.irecv, twin.probe, twin.iprobe, lambda: twin.sendrecv(1, 0),
             lambda: twin.bsend(1, 0)):
    with raises(mpi.StateError, FREED):
        call()
with raises(TypeError, "cannot be sent or pickled"):
    c.send(c, other)
with raises(mpi.MismatchError, "color is -1, but must be 0 or more, or None to take no part", operation="split"):
    c.split(-1)
with raises(TypeError, "split(): color must be an integer, not str"):
    c.split("red")
assert c.sendrecv(rank, other, source=other) == other
""",
    # MPI would complete the receive of the announcement, but its data could not be fetched any more.
    "a communicator with pending receives is not freed": """
twin = c.dup()
request = twin.irecv(other, 1)
with raises(mpi.StateError, "irecv(source=%d, tag=1)" % other, operation="free"):
    twin.free()
in_turn()
sent = twin.isend(np.arange(10**6), other, 1)
assert same(request.wait(), np.arange(10**6))
sent.wait()
with twin:
    twin.irecv(other, 1)  # forgotten, and so given up
assert twin.size == 0
""",
    "sends that are received may be waited for when the communicator is freed": """
for turn in range(20):
    twin = c.dup()
    requests = [twin.isend(np.full(n, turn), other, 1) for n in (1, 10**5)]
    for n in (1, 10**5):
        assert same(twin.recv(other, 1), np.full(n, turn))
    twin.isend(turn, other)  # that nobody waits for
    assert twin.recv() == turn
    twin.free()
    for request in requests:
        request.wait(timeout=10)
""",
    "a signal handler cannot make communicators meanwhile": """
import signal
said = []
def handler(*_):
    for call in c.dup, spare.dup, spare.free, lambda: spare.split(0):
        try:
            call()
        except mpi.StateError as error:
            said.append(str(error))
spare = c.dup()
if rank == 0:
    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
else:
    time.sleep(0.5)
with c.dup() as twin:
    assert twin.allreduce(1) == 2
assert len(said) == (4 if rank == 0 else 0) and all("this thread is in dup() already" in text for text in said), said
spare.free()
""",
}


@pytest.mark.parametrize("script", ON_TWO_RANKS.values(), ids=ON_TWO_RANKS)
def test_communicators_of_two_ranks(run_in_job, stack, script: str) -> None:
    run_in_job(PRELUDE + script, 2, stack)
