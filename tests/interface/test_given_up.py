"""Receives that are given up when their message has arrived: it goes to a later receive, and none is lost."""

import pytest
from rank_programs import PRELUDE

pytestmark = pytest.mark.sanitize


GIVING_UP = "from giving_up import big\n"

# With this, MPICH's ranks take one another for strangers on other machines, and receive from any source differently.
STRANGERS = pytest.mark.parametrize("strangers", ["0", "1"], ids=["neighbours", "strangers"])


@pytest.mark.parametrize("end", ["time-out", "signal"])
def test_a_sendrecv_of_which_the_send_is_given_up_loses_no_message(run_in_job, stack, end: str) -> None:
    run_in_job("given_up/sendrecv.py", 2, stack, arguments=[end])


@STRANGERS
@pytest.mark.parametrize("program", ["data_under_way", "dropped", "another_thread"])
def test_messages_of_receives_that_are_given_up(run_in_job, stack, strangers: str, program: str) -> None:
    run_in_job(f"given_up/{program}.py", 2, stack, env={"MPIR_CVAR_NOLOCAL": strangers})


@STRANGERS
@pytest.mark.parametrize(("way", "ranks"), [("plain", 4), ("time-outs", 2), ("requests", 2), ("signals", 2)])
def test_no_message_is_lost_between_receives(run_in_job, stack, strangers: str, way: str, ranks: int) -> None:
    run_in_job("not_lost.py", ranks, stack, env={"MPIR_CVAR_NOLOCAL": strangers}, arguments=[way])


def test_a_message_that_was_refused_is_reported_by_the_exception_that_ends_the_call(run_in_job, stack) -> None:
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
def test_messages_that_nobody_received_later_are_reported_at_the_end(run, stack, where: str) -> None:
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
    assert ended.said == [
        "[rank 0] irecv(source=1, tag=1) was given up, and its message was not received later",
        "[rank 0] irecv(source=1, tag=2) was given up, and its message was not received later",
    ], str(ended)
