"""The end of a program, with messages under way, threads that wait, and code that runs when Python is about to go."""

from pathlib import Path

import pytest
from hosts import codes_of_failure
from rank_programs import PRELUDE

from polympi.lab.stacks.stack import Stack

pytestmark = [pytest.mark.mpi, pytest.mark.sanitize]

PROGRAMS = Path(__file__).parent / "programs" / "ends"

levels = pytest.mark.parametrize("level", ["serialized", "multiple"])

BIG = "import threading\nbig = np.arange(10**6)\n"

# What a thread may wait in for ever: nobody sends what it receives, not all ranks come.
WAITS = """
twin = c.dup()
trio = c.dup()
one = c.irecv(other, 91)
WAITS = [
    lambda: c.recv(tag=90), lambda: c.recv(other, 90, into=np.zeros(10**5)), lambda: c.probe(tag=93),
    lambda: one.wait(), lambda: mpi.wait_any([c.irecv(tag=94)]), lambda: mpi.wait_all([c.irecv(tag=95)]),
    lambda: twin.barrier() if rank else c.recv(tag=96), lambda: trio.bcast(None, 0) if rank else c.recv(tag=97),
    lambda: c.sendrecv(1, mpi.PROC_NULL, 0, other, 98),
]
"""


def sentences(stderr: str) -> list[str]:
    """What polympi said, sorted; launchers and MPI libraries have their own words."""
    return sorted(line for line in stderr.splitlines() if line.startswith("[rank "))


@levels
def test_daemon_threads_that_wait_just_stop_when_the_program_ends(run, stack: Stack, level: str) -> None:
    script = """
def serve(wait):
    while True:
        wait()
for wait in WAITS:
    threading.Thread(target=serve, args=[wait], daemon=True).start()
time.sleep(float(sys.argv[1]))
in_turn()
"""
    for seconds in ("0", "0.2"):
        env = {"POLYMPI_THREADS": level, "POLYMPI_MAILBOXES": "0"}
        ended = run(PRELUDE + BIG + WAITS + script, 2, stack, env=env, arguments=[seconds])
        ended.succeeded()
        assert all("got no message" in line for line in ended.stderr.splitlines()), str(ended)


@levels
def test_threads_that_wait_while_mpi_is_finalised_get_an_error(run, stack: Stack, level: str) -> None:
    script = """
from hostless import without_hosts
told = []
def work(wait):
    try:
        wait()
    except mpi.StateError as error:
        told.append(without_hosts(str(error)))
threads = [threading.Thread(target=work, args=[wait]) for wait in WAITS]
for thread in threads:
    thread.start()
time.sleep(0.2)
in_turn()
mpi.finalize()
for thread in threads:
    thread.join()
assert len(told) == len(WAITS), told
assert all(text.startswith(f"rank {rank}, ") for text in told), told
assert all(text.endswith(": MPI was finalised while this call waited") for text in told), told
assert any("recv(source=ANY_SOURCE, tag=90)" in text for text in told)
print("ended")
"""
    env = {"POLYMPI_THREADS": level, "POLYMPI_MAILBOXES": "0"}
    ended = run(PRELUDE + BIG + WAITS + script, 2, stack, env=env)
    assert ended.succeeded().split() == ["ended"] * 2


def test_the_main_thread_gets_an_error_when_another_finalises_mpi(run, stack: Stack) -> None:
    script = """
def end():
    time.sleep(0.2)
    mpi.finalize()
threading.Thread(target=end).start()
with raises(mpi.StateError, "MPI was finalised while this call waited", operation="recv"):
    c.recv(tag=1)
print("ended")
"""
    assert run(PRELUDE + BIG + script, 2, stack).succeeded().split() == ["ended"] * 2


def test_a_signal_handler_may_finalise_mpi_in_the_middle_of_a_wait(run, stack: Stack) -> None:
    script = """
import signal
signal.signal(signal.SIGALRM, lambda *_: mpi.finalize())
signal.setitimer(signal.ITIMER_REAL, 0.3)
with raises(mpi.StateError, "MPI was finalised while this call waited"):
    WAITS[int(sys.argv[1])]()
print("ended")
"""
    for wait in ("0", "3", "5", "6"):
        ended = run(PRELUDE + BIG + WAITS + script, 2, stack, env={"POLYMPI_MAILBOXES": "0"}, arguments=[wait])
        assert ended.succeeded().split() == ["ended"] * 2, wait


def test_pickling_may_finalise_mpi_under_the_hands_of_a_send(run, stack: Stack) -> None:
    script = """
class Last:
    def __reduce__(self):
        mpi.finalize()
        return int, ()
with raises(mpi.StateError, "MPI was finalised"):
    [lambda: c.send(Last(), other), lambda: c.allgather(Last()), lambda: c.isend(Last(), other)][int(sys.argv[1])]()
print("ended")
"""
    for call in "012":
        ended = run(PRELUDE + BIG + script, 2, stack, env={"POLYMPI_MAILBOXES": "0"}, arguments=[call])
        assert ended.succeeded().split() == ["ended"] * 2


@pytest.mark.parametrize("way", ["isend", "bsend", "thread"])
def test_a_rank_at_its_end_waits_until_its_messages_are_received(run, stack: Stack, way: str) -> None:
    script = """
if rank == 0:
    mpi.buffer_attach(2 * big.nbytes)
    way = sys.argv[1]
    if way == "thread":
        threading.Thread(target=c.send, args=[big, 1, 7], daemon=True).start()
    else:
        getattr(c, way)(big, 1, 7)
else:
    time.sleep(2)
    assert same(c.recv(0, 7), big)
    print("received")
"""
    ended = run(PRELUDE + BIG + script, 2, stack, arguments=[way])
    assert ended.succeeded().split() == ["received"]
    operation = "send" if way == "thread" else way
    assert sentences(ended.stderr) == [f"[rank 0] waits for rank 1 to receive {operation}(dest=1, tag=7)"]


def test_a_receive_takes_its_message_after_the_end_of_its_rank(run, stack: Stack) -> None:
    script = """
if rank == 0:
    left = c.irecv(1, 3)
else:
    time.sleep(0.3)
    c.send(big, 0, 3)
    print("sent")
"""
    ended = run(PRELUDE + BIG + script, 2, stack)
    assert ended.succeeded().split() == ["sent"]
    assert ended.stderr == ""


def test_how_long_the_end_waits_is_up_to_the_time_out(run, stack: Stack) -> None:
    script = """
if rank == 0:
    c.isend(big, 1, 7)
    if sys.argv[1] == "finalize":
        with raises(mpi.StateError, "MPI cannot be finalised while messages are pending"):
            mpi.finalize()
        print("told", flush=True)
else:
    time.sleep(100)
"""
    for way in ("finalize", "exit"):
        ended = run(PRELUDE + BIG + script, 2, stack, timeout=60, env={"POLYMPI_TIMEOUT": "1.2"}, arguments=[way])
        assert ended.exit_code == 1, str(ended)
        assert "[rank 0] isend(dest=1, tag=7) was never received" in ended.stderr
        assert ended.stdout.split() == (["told"] if way == "finalize" else [])


@pytest.mark.parametrize("seconds", ["0.5", "3"])
def test_ctrl_c_ends_the_wait_at_the_end(run, stack: Stack, seconds: str) -> None:
    # After a second the interpreter is gone.
    script = """
import subprocess
if rank == 0:
    c.isend(big, 1, 7)
    subprocess.Popen(["sh", "-c", f"sleep {sys.argv[1]}; kill -INT {os.getpid()}"])
else:
    time.sleep(100)
"""
    ended = run(PRELUDE + BIG + script, 2, stack, timeout=60, arguments=[seconds])
    assert ended.exit_code not in (0, None), str(ended)


def test_a_rank_that_fails_does_not_wait_for_its_messages(run, stack: Stack) -> None:
    script = """
if rank == 0:
    c.recv(1, 5)
else:
    c.isend(big, 0, 7)
    c.irecv(0, 8)
    end = sys.argv[1]
    if end == "exit":
        sys.exit(3)
    elif end == "raise":
        raise SystemExit(3)
    os.environ["nothing"]
"""
    for end, code in ("exit", 3), ("raise", 3), ("error", 1):
        assert run(PRELUDE + BIG + script, 2, stack, timeout=20, arguments=[end]).exit_code == code, end


def test_finalize_waits_for_a_receiver_that_comes_late(run, stack: Stack) -> None:
    script = """
if rank == 0:
    kept = c.isend(big, 1, 7)
else:
    time.sleep(1.5)
    assert same(c.recv(0, 7), big)
mpi.finalize()
print("ended")
"""
    assert run(PRELUDE + BIG + script, 2, stack).succeeded().split() == ["ended"] * 2


def test_code_that_runs_last_communicates(run, stack: Stack) -> None:
    ended = run(PROGRAMS / "last_words.py", 2, stack)
    assert sorted(ended.succeeded().split()) == ["RankError"] * 2 + ["first"] * 2 + ["last"] * 2
    assert ended.stderr == ""


def test_a_message_that_the_last_destructor_sends_to_nobody_is_reported(run, stack: Stack) -> None:
    script = """
import sys
import polympi as mpi
class Last:
    world = mpi.world
    def __del__(self):
        if self.world.rank == 0:
            self.world.issend("nobody takes it", 1, 4)
sys.modules["kept until the modules go"] = Last()
"""
    ended = run(script, 2, stack)
    assert ended.exit_code == 1, str(ended)
    assert sentences(ended.stderr) == ["[rank 0] issend(dest=1, tag=4) was never received"]


def test_data_that_are_on_their_way_when_all_are_at_their_end_arrive(run, stack: Stack) -> None:
    script = """
huge = np.zeros(10**7)
target = np.empty_like(huge)
c.barrier()
kept = [c.isend(huge, 1, 1) if rank == 0 else c.irecv(0, 1, into=target) for _ in range(4)]
"""
    ended = run(PRELUDE + script, 2, stack)
    ended.succeeded()
    assert ended.stderr == ""


def test_a_rank_at_its_end_takes_in_what_comes_bit_by_bit(run, stack: Stack) -> None:
    script = """
kept = [c.irecv(0, 1) for _ in range(5)] if rank == 1 else []
c.barrier()
for number in range(5 if rank == 0 else 0):
    time.sleep(0.3)  # together longer than a rank at its end waits for a message that does not come
    c.send(number, 1, 1)
"""
    ended = run(PRELUDE + script, 2, stack)
    ended.succeeded()
    assert ended.stderr == ""


@pytest.mark.parametrize("end", ["sys.exit(256)", "os._exit(256)", "mpi.abort(0)", "mpi.abort(512)", "sys.exit(-256)"])
def test_an_aborted_job_never_ends_with_code_0(run, stack: Stack, end: str) -> None:
    script = f"""
import os, sys
import polympi as mpi
if mpi.world.rank == 1:
    {end}
mpi.world.recv(1)
"""
    assert run(script, 2, stack).exit_code == 1


def test_a_process_that_leaves_at_once_ends_mpi_first(run, stack: Stack) -> None:
    script = """
import threading
def serve():
    c.recv(tag=90)
threading.Thread(target=serve, daemon=True).start()
if not os.fork():
    os._exit(5)
assert os.waitstatus_to_exitcode(os.wait()[1]) == 5
in_turn()
if rank:
    time.sleep(1.0)
    assert same(c.recv(0), big)
    print("received", flush=True)
else:
    c.isend(big, 1)
os._exit(0)
"""
    ended = run(PRELUDE + BIG + script, 2, stack)
    ended.succeeded()
    assert ended.stdout.split() == ["received"]


def test_ranks_leave_at_once_one_after_another(run, stack: Stack) -> None:
    """Also after MPI's end, and after a collective that was given up; a child that leaves does not end its rank."""
    script = """
if rank == 0:
    time.sleep(0.8)
with contextlib.suppress(mpi.Timeout):
    c.bcast("x", timeout=[5, 0.4, 0.2][rank])
c.barrier(timeout=20)
if sys.argv[1] == "finalized":
    mpi.finalize()
if not os.fork():
    os._exit(0)
os.wait()
print("end", flush=True)
time.sleep(0.1 * rank)
os._exit(0)
"""
    for when in ("running", "finalized"):
        ended = run(PRELUDE + "import contextlib\n" + script, 3, stack, arguments=[when])
        ended.succeeded()
        assert ended.stdout.split() == ["end"] * 3


@pytest.mark.parametrize(
    "place",
    [
        "signal.signal(signal.SIGALRM, leave)\nsignal.setitimer(signal.ITIMER_REAL, 0.2)\nc.recv(other, 9)",
        "threading.Timer(0.2, leave).start()\nc.recv(other, 9)",
        "threading.Thread(target=c.recv, args=[other, 9], daemon=True).start()\ntime.sleep(0.1)\nleave()",
        "atexit.register(leave)",
        "class Last:\n    def __del__(self):\n        leave()\nlast = Last()",
        "mine = c.irecv(other, 9)\nleave()",
    ],
    ids=["handler", "thread", "main", "atexit", "destructor", "request"],
)
def test_a_process_leaves_at_once_from_anywhere(run, stack: Stack, place: str) -> None:
    script = "import atexit, signal, threading\nleave = lambda *_: os._exit(0)\n"
    run(PRELUDE + script + place + "\n", 2, stack).succeeded()


def test_what_was_sent_to_nobody_is_reported_when_ranks_leave_at_once(run, stack: Stack) -> None:
    ended = run(PRELUDE + BIG + "if rank == 0:\n    c.isend(big, 1, 7)\nos._exit(0)\n", 2, stack)
    assert ended.exit_code == 1
    assert "[rank 0] isend(dest=1, tag=7) was never received" in ended.stderr


def test_a_rank_that_leaves_at_once_with_a_failure_ends_the_job(run, stack: Stack) -> None:
    ended = run(f"{PRELUDE}\nif rank: os._exit(3)\nc.recv(1)\n", 2, stack)
    assert ended.exit_code in codes_of_failure(3, stack.family)


@pytest.mark.parametrize("end", ["sys.exit(256)", "os._exit(256)", "mpi.abort(0)", "sys.exit(-256)"])
def test_nor_does_a_single_rank_that_fails(run, stack: Stack, end: str) -> None:
    for ranks in (1, None):
        assert run(f"import os, sys\nimport polympi as mpi\nmpi.world\n{end}\n", ranks, stack).exit_code == 1
