"""Calls that wait in vain: they end in time, say who waited for whom, and leave everything else as it was."""

import pytest
from rank_programs import PRELUDE

pytestmark = pytest.mark.sanitize


WAITING = "import signal\nfrom times_out import big, times_out\n"


# With this, MPICH's ranks take one another for strangers on other machines, and receive from any source differently.
STRANGERS = pytest.mark.parametrize("strangers", ["0", "1"], ids=["neighbours", "strangers"])


@STRANGERS
def test_a_message_goes_to_the_first_receive_that_it_fits(run_in_job, stack, strangers: str) -> None:
    script = """
ANY = mpi.ANY_SOURCE
for _ in range(20):
    if rank == 0:
        posted = [c.irecv(ANY, 5), c.irecv(1, 5), c.irecv(), c.irecv(1, 6), c.irecv(1, 7), c.irecv(ANY, 8)]
        given_up = c.irecv(ANY, 6)
        unasked = c.irecv(ANY, 9)  # takes its message before it is asked for
        assert given_up.cancel()
        c.barrier()
        assert c.recv(1, 11) == "sent" and c.probe(timeout=60).tag == 9 and c.iprobe(tag=5) is None
        assert c.recv(1, timeout=60) == "second of 9" and c.iprobe() is None
        assert [request.wait(timeout=60) for request in reversed(posted)] == [6, 5, 4, 2, 3, 1]
        assert unasked.wait() == "first of 9"
    else:
        c.barrier()
        for tag, value in (5, 1), (6, 2), (5, 3), (6, 4), (7, 5), (8, 6), (9, "first of 9"), (9, "second of 9"):
            c.send(value, 0, tag)
        c.send("sent", 0, 11)
        assert c.recv(0, 10, timeout=60) is None
    if rank == 0:
        c.send(None, 1, 10)
"""
    run_in_job(PRELUDE + WAITING + script, 2, stack, env={"MPIR_CVAR_NOLOCAL": strangers})


@STRANGERS
def test_threads_that_receive_from_any_source_at_the_same_time(run_in_job, stack, strangers: str) -> None:
    script = """
import threading

COUNT = 200
def serve(tag):
    for n in range(COUNT):
        assert c.recv(tag=tag) == (tag, n)
        c.send(n, 1, tag)

if rank == 0:
    threads = [threading.Thread(target=serve, args=(tag,)) for tag in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    c.send("done", 1, 4)
else:
    for n in range(COUNT):
        for tag in 3, 1, 2:
            c.send((tag, n), 0, tag)
        assert sorted([(c.recv(tag=tag), tag) for tag in (1, 2, 3)]) == [(n, 1), (n, 2), (n, 3)]
    assert c.recv() == "done"
"""
    run_in_job(PRELUDE + script, 2, stack, env={"MPIR_CVAR_NOLOCAL": strangers})


def test_a_message_that_has_begun_to_come_is_waited_for(run_in_job, stack) -> None:
    # With some MPI libraries large data arrive only when the sender makes progress.
    script = """
if rank == 0:
    sent = [c.isend(value, 1, 1) for value in (big, [big, "x" * 9000])]
    time.sleep(0.3)
    mpi.wait_all(sent)
else:
    while not c.iprobe(0, 1):
        pass
    assert same(c.recv(0, 1, timeout=0.01), big)
    assert same(c.recv(0, 1, timeout=0.3), [big, "x" * 9000])
"""
    run_in_job(PRELUDE + WAITING + script, 2, stack)


def test_the_time_for_all_requests_is_one_time(run_in_job, stack) -> None:
    script = """
requests = [c.irecv(other, 1), c.irecv(other, 2), c.irecv(other, 3)]
c.send("first", other, 1)
c.send("third", other, 3)
in_turn()
times_out(lambda: mpi.wait_all(requests, timeout=0.05), f"for rank {other} in irecv(source={other}, tag=2)")
assert requests[0].done and not requests[1].done
in_turn()
c.send("second", other, 2)
assert mpi.wait_all(requests, timeout=60) == ["first", "second", "third"]
assert mpi.wait_all(requests, timeout=1e-9) == ["first", "second", "third"]
"""
    run_in_job(PRELUDE + WAITING + script, 2, stack)


def test_ranks_that_wait_for_each_other_end_by_the_time_out_of_the_environment(run, stack) -> None:
    script = """
c.recv(other, 5, timeout=None)  # each waits for the other: a deadlock, but for POLYMPI_TIMEOUT
"""
    ended = run(PRELUDE + script, 2, stack, env={"POLYMPI_TIMEOUT": "0.3"})
    assert ended.exit_code == 1, str(ended)
    last = [line for line in ended.stderr.splitlines() if "waited 0.3 s" in line]
    assert last, str(ended)
    line = PRELUDE.count("\n") + 2
    for said in last:
        rank = int(said[len("[rank ")])
        assert said.startswith(
            f"[rank {rank}] polympi.errors.Timeout: rank {rank} waited 0.3 s for rank {1 - rank} in "
            f"recv(source={1 - rank}, tag=5) at "
        )
        assert said.endswith(f"program.py:{line}: no matching message came")


def test_the_time_out_of_a_call_goes_before_that_of_the_environment(run_in_job, stack) -> None:
    script = """
times_out(lambda: c.recv(other, 5), seconds=0.2)
times_out(lambda: c.ssend("unseen", other, 6), seconds=0.2)
times_out(lambda: c.recv(other, 7, timeout=0.05), seconds=0.05)
request = c.irecv(other, 8)
times_out(lambda: request.wait(), seconds=0.2)
times_out(lambda: request.wait(timeout=0.1), seconds=0.1)
times_out(lambda: mpi.wait_any([request]), seconds=0.2)
times_out(lambda: mpi.wait_all([request]), seconds=0.2)
times_out(lambda: c.probe(other, 8), seconds=0.2)
assert request.cancel()
assert c.recv(other, 6, timeout=60) == "unseen"
c.sendrecv(None, other, 9, other, 9, timeout=60)
"""
    run_in_job(PRELUDE + WAITING + script, 2, stack, env={"POLYMPI_TIMEOUT": "0.2"})


@pytest.mark.parametrize("program", ["every_call", "ended_by_signals"])
def test_programs_of_two_ranks(run_in_job, stack, program: str) -> None:
    run_in_job(f"timeouts/{program}.py", 2, stack)


def test_a_collective_names_the_ranks_that_did_not_call_it(run_in_job, stack) -> None:
    script = """
c.barrier()
if rank == 2:
    assert c.recv(0) == c.recv(1) == "ended"
else:
    with raises(mpi.Timeout, "not all other ranks called it, nothing came from rank 2; check that every rank calls"):
        c.allreduce(1.0, timeout=0.3)
    c.send("ended", 2)
"""
    run_in_job(PRELUDE + "c = c.dup()\n" + script, 3, stack)
