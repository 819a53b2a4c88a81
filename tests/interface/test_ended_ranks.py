"""Calls that wait for a rank which has reached its end raise EndedError; those that others can complete wait on."""

import pytest
from rank_programs import PRELUDE

WAITS = {
    "recv": "c.recv(0)",
    "recv into": "c.recv(0, into=np.zeros(3))",
    "any source": "c.recv()",
    "request": "c.irecv(0).wait()",
    "wait_all": "mpi.wait_all([c.irecv(0)])",
    "probe": "c.probe(0)",
    "send": "c.send(np.zeros(10**6), 0)",
    "ssend": "c.ssend(1, 0)",
    "sendrecv": "c.sendrecv(1, 0, 0, 0)",
    "barrier": "c.barrier()",
    "bcast": "c.bcast(None)",
    "large gather": "c.gather(np.zeros(10**6), root=1)",
    "allreduce": "c.allreduce(np.zeros(10**5))",
    "split": "c.split(0)",
    "free": "c.free()",
    "part of the ranks": "d.barrier()",
    "plan": "plan.recv(np.zeros(3), 0); plan()",
}


@pytest.mark.sanitize
def test_a_call_that_waits_for_an_ended_rank_raises(run, stack, mailboxes) -> None:
    script = f"""
assert issubclass(mpi.EndedError, EOFError)
made = [(c.dup(), c.split(0, -rank)) for _ in {WAITS}]  # what a call has left is in no other's way
if rank == 0:
    sys.exit(0)
for (c, d), (name, wait) in zip(made, {WAITS}.items()):
    who = "all other ranks have" if name == "any source" else "rank 1 has" if wait[0] == "d" else "rank 0 has"
    plan = c.plan()
    with raises(mpi.EndedError, f"{{who}} reached", "program.py:"):
        exec(compile(wait, "program.py", "exec"))
    print(name, flush=True)
"""
    ended = run(PRELUDE + script, 2, stack, env=mailboxes)
    assert ended.stdout.splitlines() == list(WAITS), str(ended)


@pytest.mark.sanitize
def test_a_plan_that_its_partner_does_not_start_again_ends_the_job(run, stack) -> None:
    script = """
plan, row = c.plan(), np.zeros(10**5)
(plan.recv if rank == int(sys.argv[1]) else plan.send)(row, other)
plan()
if rank:
    plan()
"""
    for receiver in "01":
        ended = run(PRELUDE + script, 2, stack, timeout=60, arguments=[receiver])
        assert ended.exit_code == 1, str(ended)
        if receiver == "0" and "EndedError" not in ended.stderr:  # a network has taken what rank 1 sends
            assert "[rank 0] a message from rank 1 of a plan was never received" in ended.stderr, str(ended)
        else:
            assert ended.stderr.count("polympi.errors.EndedError: ") == 1, str(ended)
            assert "rank 0 has reached its end" in ended.stderr


@pytest.mark.parametrize(
    ("end", "way"),
    [
        ("sys.exit(0)", "rank 0 has reached its end (exit code 0)"),
        ("os._exit(0)", "has ended by os._exit(0)"),
        ("mpi.finalize(); time.sleep(8); sys.exit(0)", "it has called polympi.finalize()"),
    ],
    ids=["exit", "os._exit", "finalize"],
)
def test_an_error_that_is_not_caught_ends_the_job_and_says_how_the_rank_has_ended(
    run, stack, end: str, way: str
) -> None:
    ended = run(f"{PRELUDE}if rank == 0:\n    {end}\nc.recv(0)\n", 2, stack, timeout=60).ends(1)
    lines = [line for line in ended.stderr.splitlines() if "EndedError" in line]
    assert len(lines) == 1, str(ended)
    assert way in lines[0]


@pytest.mark.sanitize
def test_one_rank_of_several_reports(run, stack, mailboxes) -> None:
    script = "if rank != 1:\n    c.barrier()\n"
    ended = run(PRELUDE + script, 4, stack, timeout=60, env=mailboxes)
    assert "rank 1 has reached its end (exit code 0) and has not called it" in ended.ends(1).stderr


@pytest.mark.sanitize
def test_calls_that_others_will_complete_go_on(run, stack, mailboxes) -> None:
    """Rank 0 has ended; its part of each call was done, or it is not the one that is waited for."""
    script = """
d = c.split(0, -rank)
c.barrier()
if rank == 0:
    c.send("left before the end", 1, 7)
    big = c.isend(np.arange(10**6), 1, 8)
    c.reduce(1, root=1)
    d.gather("piece", root=0)
    os._exit(0) if sys.argv[1] == "at once" else sys.exit(0)
if rank == 2:
    time.sleep(4)
    c.send("late", 1, 9)
    c.reduce(1, root=1)
    assert d.gather("piece", root=0)[2] == "piece"
    c.send("last", 1, 10)
else:
    assert c.recv(mpi.ANY_SOURCE, 9) == "late"
    assert c.reduce(1, root=1) == 3
    d.gather("piece", root=0)
    assert c.recv(2, 10) == "last"
    assert c.recv(0, 7) == "left before the end"
    assert c.recv(0, 8).sum() > 0
print("ended")
"""
    for how in ("at once", "usually"):
        ended = run(PRELUDE + script, 3, stack, timeout=60, env=mailboxes, arguments=[how]).ends(words="ended ended")
        assert not [line for line in ended.stderr.splitlines() if "waits for rank 1 to receive" not in line], str(ended)


def test_threads_that_serve_others_stay_quiet(run, stack) -> None:
    script = """
import threading
def serve():
    c.recv(0, 5)
    print("served by nobody")
threading.Thread(target=serve, daemon=True).start()
if rank == 0:
    sys.exit(0)
time.sleep(4)
print("ended")
"""
    ended = run(PRELUDE + script, 2, stack, timeout=60).ends(words="ended")
    assert all("got no message" in line for line in ended.stderr.splitlines()), str(ended)


@pytest.mark.sanitize
def test_a_time_out_says_that_the_rank_has_ended(run, stack, mailboxes) -> None:
    script = """
if rank:
    for call in (lambda: c.recv(0, timeout=1.5), lambda: c.barrier(timeout=1.5)):
        with raises(mpi.Timeout, "rank 0 has reached its end (exit code 0)"):
            call()
    print("reported")
"""
    run(PRELUDE + script, 2, stack, timeout=60, env=mailboxes).ends(words="reported")


@pytest.mark.parametrize("call", ["recv(source=0)", "bcast(None)", "Dup().allreduce([1])"])
def test_mpi4py_accelerated_raises_too(run, stack, call: str) -> None:
    script = f"""
from polympi.mpi4py import MPI
c = MPI.COMM_WORLD
if c.rank:
    c.{call}
elif "Dup" in "{call}":
    c.Dup()
"""
    ended = run(script, 2, stack, timeout=60)
    assert ended.exit_code == 1, str(ended)
    assert "rank 0 has reached its end" in ended.stderr
