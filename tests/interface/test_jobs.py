"""Jobs that run the programs of many tests: what a program leaves or breaks is seen, and meets no other program."""

import pytest
from rank_programs import PRELUDE

WHO = "print(os.getpid(), flush=True)\n"


def failure(run_in_job, script: str, stack, **options) -> str:
    """What is said of a program that fails."""
    with pytest.raises((AssertionError, pytest.fail.Exception)) as failed:
        run_in_job(PRELUDE + script, 2, stack, **options)
    return str(failed.value)


def test_programs_run_in_the_same_ranks(run_in_job, stack) -> None:
    first = run_in_job(PRELUDE + WHO, 2, stack).split()
    assert len(set(first)) == 2
    assert run_in_job(PRELUDE + WHO, 2, stack).split() == first
    assert set(run_in_job(PRELUDE + WHO, 2, stack, env={"POLYMPI_MAILBOXES": "0"}).split()).isdisjoint(first)


def test_a_failing_assertion_fails_its_own_test_with_its_own_message(run_in_job, stack) -> None:
    before = run_in_job(PRELUDE + WHO, 2, stack)
    said = failure(run_in_job, "assert rank == 0, 'the halo is wrong'\nc.barrier()\n", stack)
    assert "[rank 1] AssertionError: the halo is wrong" in said  # as a separate launch says it
    assert "assert rank == 0, 'the halo is wrong'" in said
    after = run_in_job(PRELUDE + WHO, 2, stack)
    assert set(after.split()).isdisjoint(before.split())


@pytest.mark.parametrize(
    ("script", "timeout", "words"),
    [
        ("if rank == 1:\n    os.kill(os.getpid(), 9)\nc.recv(other)", 150, "exit code"),
        ("c.recv(other)", 3, "exit code None"),
        ("sys.exit(3)", 150, "exit code 3"),
        ("if rank == 0:\n    c.isend(np.zeros(10**6), 1, 7)", 150, "isend(dest=1, tag=7) was never received"),
    ],
    ids=["killed", "hangs", "exits", "forgets a message"],
)
@pytest.mark.slow
def test_what_fails_alone_too_is_reported_as_there(run_in_job, stack, script: str, timeout: float, words: str) -> None:
    assert words in failure(run_in_job, script, stack, timeout=timeout)
    assert run_in_job(PRELUDE + "print(c.allreduce(1))", 2, stack) == "2\n2\n"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("left = c.irecv(other, 7)\nsys.modules['left'] = left", "tag=7) got no message"),
        ("import threading\nthreading.Thread(target=time.sleep, args=[9], daemon=True).start()", "threads"),
        ("mpi.buffer_attach(100)", "the buffer of buffered sends"),
        ("if rank == 0:\n    c.bcast('unasked')", "all ranks must call the same"),
    ],
    ids=["receive", "thread", "buffer", "calls"],
)
def test_what_would_meet_the_next_program_is_reported(run_in_job, stack, script: str, words: str) -> None:
    said = failure(run_in_job, script, stack)
    assert "It succeeds alone" in said
    assert words in said


@pytest.mark.slow
def test_a_program_that_hangs_only_here_is_reported_with_where_its_ranks_are(run_in_job, stack) -> None:
    script = """
if rank == 1 and "job.py" in open("/proc/self/cmdline").read():
    c.recv(0)
"""
    said = failure(run_in_job, script, stack, timeout=3)
    assert "It succeeds alone" in said
    assert "rank 1: Timeout" in said
    assert 'program.py", line' in said


def test_the_next_program_finds_its_process_as_it_was(run_in_job, stack) -> None:
    script = """
import pickle, signal
assert os.environ.pop("LEFT", None) is None
assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
assert gc.get_threshold()[0] > 10 and sys.getswitchinterval() > 1e-4
assert "times_out" not in sys.modules and "left" not in globals()
class Local:
    pass
assert type(pickle.loads(pickle.dumps(Local()))) is Local
assert sys.argv[1:] == ["an argument"]
import times_out, together
left = os.environ["LEFT"] = "here"
gc.set_threshold(10)
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 60)
"""
    for _ in range(2):
        run_in_job(PRELUDE + script, 2, stack, arguments=["an argument"])
