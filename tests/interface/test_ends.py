"""The end of a program, with messages in flight, threads that wait, and code that runs when Python is about to go."""

import pytest
from rank_programs import PRELUDE, Case, cases

pytestmark = pytest.mark.sanitize


levels = pytest.mark.parametrize("level", ["serialized", "multiple"])

BEGIN = f"""{PRELUDE}
import atexit, signal, subprocess, threading
big = np.arange(10**6)
"""

# What a thread may wait in forever: nobody sends what it receives, not all ranks come.
WAITS = """
twin = c.dup()
trio = c.dup()
raw = c.raw
one = c.irecv(other, 91)
WAITS = [
    lambda: c.recv(tag=90), lambda: c.recv(other, 90, into=np.zeros(10**5)), lambda: c.probe(tag=93),
    lambda: one.wait(), lambda: mpi.wait_any([c.irecv(tag=94)]), lambda: mpi.wait_all([c.irecv(tag=95)]),
    lambda: twin.barrier() if rank else c.recv(tag=96), lambda: trio.bcast(None, 0) if rank else c.recv(tag=97),
    lambda: c.sendrecv(1, mpi.PROC_NULL, 0, other, 98), lambda: raw.recv(np.zeros(1), other, 99),
]
"""


@levels
def test_daemon_threads_that_wait_just_stop_when_the_program_ends(run, stack, level: str) -> None:
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
        ended = run(BEGIN + WAITS + script, 2, stack, env=env, arguments=[seconds])
        ended.succeeded()
        assert all("got no message" in line for line in ended.stderr.splitlines()), str(ended)


@levels
def test_threads_that_wait_while_mpi_is_finalised_get_an_error(run, stack, level: str) -> None:
    script = """
from hostless import without_hosts
reported = []
def work(wait):
    try:
        wait()
    except mpi.StateError as error:
        reported.append(without_hosts(str(error)))
threads = [threading.Thread(target=work, args=[wait]) for wait in WAITS]
for thread in threads:
    thread.start()
time.sleep(0.2)
in_turn()
mpi.finalize()
for thread in threads:
    thread.join()
assert len(reported) == len(WAITS), reported
assert all(text.startswith(f"rank {rank}, ") for text in reported), reported
assert all(text.endswith(f": {FINALISED_MEANWHILE}") for text in reported), reported
assert any("recv(source=ANY_SOURCE, tag=90)" in text for text in reported)
print("ended")
"""
    env = {"POLYMPI_THREADS": level, "POLYMPI_MAILBOXES": "0"}
    run(BEGIN + WAITS + script, 2, stack, env=env).ends(words="ended ended")


FINALISES = {
    "another thread ends the wait of the main one": Case(
        """
def end():
    time.sleep(0.2)
    mpi.finalize()
threading.Thread(target=end).start()
with raises(mpi.StateError, FINALISED_MEANWHILE, operation="recv"):
    c.recv(tag=1)
print("ended")
"""
    ),
    **{
        f"a signal handler in the middle of wait {number}": Case(
            WAITS
            + """
signal.signal(signal.SIGALRM, lambda *_: mpi.finalize())
signal.setitimer(signal.ITIMER_REAL, 0.3)
with raises(mpi.StateError, FINALISED_MEANWHILE):
    WAITS[int(sys.argv[1])]()
print("ended")
""",
            arguments=[number],
        )
        for number in "0356"
    },
    **{
        f"pickling under the hands of a call: {call}": Case(
            f"""
class Last:
    def __reduce__(self):
        mpi.finalize()
        return int, ()
with raises(mpi.StateError, "MPI was finalised"):
    {call}
print("ended")
"""
        )
        for call in ("c.send(Last(), other)", "c.allgather(Last())", "c.isend(Last(), other)")
    },
    "and a receiver that comes late is waited for": Case(
        """
if rank == 0:
    kept = c.isend(big, 1, 7)
else:
    time.sleep(1.5)
    assert same(c.recv(0, 7), big)
mpi.finalize()
print("ended")
"""
    ),
}


@cases(FINALISES)
def test_what_finalises_mpi(run, stack, case: Case) -> None:
    case.check(run, stack, BEGIN, {"POLYMPI_MAILBOXES": "0"}).ends(words="ended ended")


IN_FLIGHT = {
    **{
        f"{way}: a rank at its end waits until its messages are received": Case(
            f"""
if rank == 0:
    mpi.buffer_attach(2 * big.nbytes)
    {call}
else:
    time.sleep(2)
    assert same(c.recv(0, 7), big)
    print("received")
""",
            "received",
            [f"[rank 0] waits for rank 1 to receive {way}(dest=1, tag=7)"],
        )
        for way, call in (
            ("isend", "c.isend(big, 1, 7)"),
            ("bsend", "c.bsend(big, 1, 7)"),
            ("send", "threading.Thread(target=c.send, args=[big, 1, 7], daemon=True).start()"),
        )
    },
    "a receive takes its message after the end of its rank": Case(
        """
if rank == 0:
    left = c.irecv(1, 3)
else:
    time.sleep(0.3)
    c.send(big, 0, 3)
    print("sent")
""",
        "sent",
        [],
    ),
    **{
        f"a rank that fails does not wait: {end}": Case(
            f"if rank == 0: c.recv(1, 5)\nc.isend(big, 0, 7)\nc.irecv(0, 8)\nc.ibarrier()\n{end}\n",
            code=code,
        )
        for end, code in (("sys.exit(3)", 3), ("raise SystemExit(3)", 3), ("os.environ['nothing']", 1))
    },
    "a message that the last destructor sends to nobody is reported": Case(
        """
class Last:
    world = c
    def __del__(self):
        if self.world.rank == 0:
            self.world.issend("nobody takes it", 1, 4)
sys.modules["kept until the modules go"] = Last()
""",
        said=["[rank 0] issend(dest=1, tag=4) was never received"],
        code=1,
    ),
    "data that are on their way when all are at their end arrive": Case(
        """
huge = np.zeros(10**7)
target = np.empty_like(huge)
c.barrier()
kept = [c.isend(huge, 1, 1) if rank == 0 else c.irecv(0, 1, into=target) for _ in range(4)]
""",
        said=[],
    ),
    "a rank at its end takes in what comes bit by bit": Case(
        """
kept = [c.irecv(0, 1) for _ in range(5)] if rank == 1 else []
c.barrier()
for number in range(5 if rank == 0 else 0):
    time.sleep(0.3)  # together longer than a rank at its end waits for a message that does not come
    c.send(number, 1, 1)
""",
        said=[],
    ),
    "a process that leaves at once ends MPI first": Case(
        """
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
""",
        "received",
    ),
    **{
        # Also after a collective that was given up; a child that leaves does not end its rank.
        f"ranks leave at once one after another {when}": Case(
            f"""
if rank == 0:
    time.sleep(0.8)
with contextlib.suppress(mpi.Timeout):
    c.bcast("x", timeout=[5, 0.4, 0.2][rank])
c.barrier(timeout=20)
{end}
if not os.fork():
    os._exit(0)
os.wait()
print("end", flush=True)
time.sleep(0.1 * rank)
os._exit(0)
""",
            "end end end",
            ranks=3,
        )
        for when, end in (("while MPI runs", ""), ("after its end", "mpi.finalize()"))
    },
    "what was sent to nobody is reported when ranks leave at once": Case(
        "if rank == 0:\n    c.isend(big, 1, 7)\nos._exit(0)\n",
        said=["[rank 0] isend(dest=1, tag=7) was never received"],
        code=1,
    ),
}


@cases(IN_FLIGHT)
def test_messages_in_flight(run, stack, case: Case) -> None:
    case.check(run, stack, BEGIN)


@pytest.mark.parametrize("way", ["finalize", "exit"])
def test_how_long_the_end_waits_is_up_to_the_time_out(run, stack, way: str) -> None:
    script = """
if rank == 0:
    c.isend(big, 1, 7)
    if sys.argv[1] == "finalize":
        with raises(mpi.StateError, MESSAGES_PENDING):
            mpi.finalize()
        print("refused", flush=True)
    else:
        c.ibarrier()
else:
    time.sleep(100)
"""
    ended = run(BEGIN + script, 2, stack, timeout=60, env={"POLYMPI_TIMEOUT": "1.2"}, arguments=[way])
    ended.ends(1, "refused" if way == "finalize" else "")
    assert "[rank 0] isend(dest=1, tag=7) was never received" in ended.stderr
    assert ("[rank 0] barrier() was never called by all ranks" in ended.stderr) == (way == "exit")


@pytest.mark.parametrize("seconds", ["0.5", "3"])
def test_ctrl_c_ends_the_wait_at_the_end(run, stack, seconds: str) -> None:
    # After a second the interpreter is gone.
    script = """
if rank == 0:
    c.isend(big, 1, 7)
    subprocess.Popen(["sh", "-c", f"sleep {sys.argv[1]}; kill -INT {os.getpid()}"])
else:
    time.sleep(100)
"""
    ended = run(BEGIN + script, 2, stack, timeout=60, arguments=[seconds])
    assert ended.exit_code not in (0, None), str(ended)


def test_code_that_runs_last_communicates(run, stack) -> None:
    run("ends/last_words.py", 2, stack).ends(words="RankError first last " * 2, said=[])


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
def test_a_process_leaves_at_once_from_anywhere(run, stack, place: str) -> None:
    run(f"{BEGIN}leave = lambda *_: os._exit(0)\n{place}\n", 2, stack).succeeded()
