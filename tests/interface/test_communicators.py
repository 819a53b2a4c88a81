"""Groups of ranks: made, kept apart from each other, and given back."""

from __future__ import annotations

from pathlib import Path

import pytest
from rank_programs import PRELUDE

from polympi.lab.stacks.stack import Stack

pytestmark = [pytest.mark.mpi, pytest.mark.sanitize]

PROGRAMS = Path(__file__).parent / "programs" / "communicators"


def test_messages_stay_in_their_communicator(run_in_job, stack: Stack) -> None:
    run_in_job(PROGRAMS / "apart.py", 4, stack)


def test_a_freed_communicator_is_of_no_use(run_in_job, stack: Stack) -> None:
    script = """
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
    with raises(mpi.StateError, "this communicator was freed: use another one"):
        call()
with raises(TypeError, "cannot be sent or pickled"):
    c.send(c, other)
with raises(mpi.MismatchError, "color is -1, but must be 0 or more, or None to take no part", operation="split"):
    c.split(-1)
with raises(TypeError, "split(): color must be an integer, not str"):
    c.split("red")
assert c.sendrecv(rank, other, source=other) == other
"""
    run_in_job(PRELUDE + script, 2, stack)


def test_a_communicator_with_receives_under_way_is_not_freed(run_in_job, stack: Stack) -> None:
    # MPI would complete the receive of the announcement, but the data behind it could not be fetched any more.
    script = """
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
"""
    run_in_job(PRELUDE + script, 2, stack)


def test_hundreds_of_communicators_may_come_and_go(run_in_job, stack: Stack) -> None:
    script = """
for turn in range(300):
    with c.split(rank * (turn % 2)) as part:
        assert part.size == (1 if turn % 2 else 2)
        assert part.sendrecv(turn, 0 if turn % 2 else other, source=0 if turn % 2 else other) == turn
"""
    run_in_job(PRELUDE + script, 2, stack)


@pytest.mark.parametrize("mailboxes", ["0", "1"])
def test_ranks_that_make_different_things_learn_that(run_in_job, stack: Stack, mailboxes: str) -> None:
    script = """
for one, another in ("dup", "split"), ("split", "barrier"), ("free", "dup"):
    twin = c.dup()
    call, theirs = (one, another) if rank == 0 else (another, one)
    with raises(mpi.MismatchError, f"rank {other} called {theirs}() where this rank called {call}()", operation=call):
        twin.split(0) if call == "split" else getattr(twin, call)()
    assert c.allreduce(1) == 2
"""
    run_in_job(PRELUDE + script, 2, stack, env={"POLYMPI_MAILBOXES": mailboxes})


def test_a_signal_handler_is_told_that_it_cannot_make_communicators_meanwhile(run_in_job, stack: Stack) -> None:
    script = """
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
"""
    run_in_job(PRELUDE + script, 2, stack)
