"""Receives that are given up when their message has arrived: it goes to a later receive, and none is lost."""

from pathlib import Path

import pytest
from rank_programs import PRELUDE

from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.sanitize

PROGRAMS = Path(__file__).parent / "programs" / "given_up"

GIVING_UP = "from giving_up import big\n"

# With this, MPICH's ranks take one another for strangers on other machines, and receive from any source differently.
STRANGERS = pytest.mark.parametrize("strangers", ["0", "1"], ids=["neighbours", "strangers"])


@pytest.mark.parametrize("end", ["time-out", "signal"])
def test_a_sendrecv_of_which_the_send_is_given_up_loses_no_message(run_in_job, stack: Stack, end: str) -> None:
    run_in_job(PROGRAMS / "sendrecv.py", 2, stack, arguments=[end])


@STRANGERS
@pytest.mark.parametrize("program", ["data_under_way", "dropped", "another_thread", "signals"])
def test_messages_of_receives_that_are_given_up(run_in_job, stack: Stack, strangers: str, program: str) -> None:
    run_in_job(PROGRAMS / f"{program}.py", 2, stack, env={"MPIR_CVAR_NOLOCAL": strangers})


def test_a_message_that_was_refused_is_reported_by_the_exception_that_ends_the_call(run_in_job, stack: Stack) -> None:
    script = """
if rank == 1:
    c.send(big, 0, 1)
    c.recv(0, 50)
    assert same(c.recv(0, 71), big)
else:
    c.probe(1, 1)
    with raises(mpi.Timeout):
        try:
            c.sendrecv(big, 1, 71, 1, 1, into=np.zeros(3, int), timeout=0.2)
        except mpi.Timeout as error:
            assert isinstance(error.__context__, mpi.TruncationError), repr(error.__context__)
            raise
    assert c.iprobe() is None
    c.send("go on", 1, 50)
"""
    run_in_job(PRELUDE + GIVING_UP + script, 2, stack)


@pytest.mark.parametrize("where", ["world", "freed"])
def test_messages_that_nobody_received_later_are_reported_at_the_end(run, stack: Stack, where: str) -> None:
    script = """
twin = c.dup() if sys.argv[1] == "freed" else c
if rank == 1:
    mpi.wait_all([twin.isend(big, 0, 1), twin.isend("small", 0, 2), twin.isend("received", 0, 3)])
    c.send("sent", 0, 4)
else:
    requests = [twin.irecv(), twin.irecv(1, 2), twin.irecv(1, 3)]
    assert c.recv(1, 4) == "sent"
    del requests
    assert twin.recv(1, 3) == "received"
if twin is not c:
    twin.free()
"""
    ended = run(PRELUDE + GIVING_UP + script, 2, stack, arguments=[where])
    ended.succeeded()
    assert sorted(line for line in ended.stderr.splitlines() if line.startswith("[rank")) == [
        "[rank 0] irecv(source=1, tag=1) was given up, and its message was not received later",
        "[rank 0] irecv(source=1, tag=2) was given up, and its message was not received later",
    ], str(ended)
