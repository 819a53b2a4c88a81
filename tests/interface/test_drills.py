"""Programs that communicate where few do (signal handlers, destructors, exit functions) and ranks that stop or die.

What must hold: no crash, no wrong data, no hang; and where the job cannot go on, the launcher ends it.
"""

import pytest
from rank_programs import PRELUDE

SIGNALS = """
import signal

def every(seconds, handler):
    "Call the handler again and again, in the middle of whatever runs but itself."
    inside = False
    def handle(number, frame):
        nonlocal inside
        if not inside:
            inside = True
            handler()
            inside = False
    signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)

def no_more_signals():
    signal.setitimer(signal.ITIMER_REAL, 0)
"""


DRILLS = {
    # What rank 1 waits for comes in the main program of rank 0; what its handler sends, rank 0 takes in the end.
    "a signal handler may send while the program waits": """
if rank == 1:
    sent = 0
    def beat():
        global sent
        c.send(sent, 0, 9)
        sent += 1
    every(0.002, beat)
    for turn in range(40):
        got = [c.recv(0, 1), mpi.wait_all([c.irecv(0, 2)])[0], c.irecv(0, 3).wait()]
        assert same(got, [turn, np.full(50_000, turn), {"turn": turn}])
    no_more_signals()
    c.send(sent, 0, 10)
    assert sent > 5, sent
else:
    for turn in range(40):
        time.sleep(0.004)
        c.send(turn, 1, 1)
        c.send(np.full(50_000, turn), 1, 2)
        c.send({"turn": turn}, 1, 3)
    for beat in range(c.recv(1, 10)):
        assert c.recv(1, 9) == beat
""",
    "a signal handler may receive while the program waits": """
came = []
if rank == 1:
    def look():
        while c.iprobe(0, 9):
            came.append(c.recv(0, 9))
    every(0.001, look)
    for turn in range(30):
        assert same(c.recv(0, 1), np.full(30_000, turn))
    assert c.recv(0, 2) == "end"
    no_more_signals()
    look()
    assert len(came) == 90 and all(same(got, np.full(10 ** (n % 5), n)) for n, got in enumerate(came))
else:
    for turn in range(30):
        for n in range(3 * turn, 3 * turn + 3):
            c.send(np.full(10 ** (n % 5), n), 1, 9)
        time.sleep(0.002)
        c.send(np.full(30_000, turn), 1, 1)
    c.send("end", 1, 2)
""",
    # On a separate communicator: a collective in a handler would be another order of calls on each rank.
    "a signal handler may send and receive during collectives": """
beats = c.dup()
requests = []
def beat():
    requests.append(beats.isend(len(requests), other))
every(0.003, beat)
for turn in range(30):
    time.sleep(0.005 * (turn % 2 == rank))
    assert c.allreduce(turn + rank) == 2 * turn + 1
    assert same(c.allreduce(np.full(40_000, turn)), np.full(40_000, 2 * turn))
    assert c.allgather([rank]) == [[0], [1]]
    assert same(c.bcast(np.full(70_000, turn) if rank == turn % 2 else None, turn % 2), np.full(70_000, turn))
    c.barrier()
no_more_signals()
for beat in range(c.sendrecv(len(requests), other, 7, other, 7)):
    assert beats.recv(other) == beat
mpi.wait_all(requests)
assert len(requests) > 10
c.barrier()
beats.free()
""",
    "a destructor may communicate": """
class Farewell:
    def __init__(self, number):
        self.number = number
        self.cycle = self  # so that the collector finds it, in the middle of any call
    def __del__(self):
        c.send(self.number, other, 9)
        if not c.iprobe(other, 99):
            sent.append(self.number)
sent = []
gc.set_threshold(50)
for turn in range(300):
    Farewell(turn)
    value = [np.full(5000, turn), {"turn": [turn] * 20}]
    assert same(c.sendrecv(value, other, 1, other, 1), value)
    assert c.allreduce([turn]) == [turn, turn]
gc.collect()
assert sorted(sent) == list(range(300))
assert sorted(c.recv(other, 9) for _ in range(300)) == list(range(300))
""",
    # Unpickling makes and drops objects, whose destructors call polympi while polympi receives.
    "objects that die as they are received may communicate": """
class Echo:
    def __init__(self, number):
        self.number = number
    def __reduce__(self):
        return Echo, (self.number,)
    def __del__(self):
        if rank == 1:
            c.send(self.number, 0, 9)
if rank == 0:
    for number in range(50):
        c.send([Echo(number), np.zeros(3000)], 1, 1)
    assert [c.recv(1, 9) for _ in range(50)] == list(range(50))
else:
    for number in range(50):
        c.recv(0, 1)
""",
}


@pytest.mark.parametrize("script", DRILLS.values(), ids=DRILLS)
def test_drills(run_in_job, stack, script: str) -> None:
    run_in_job(PRELUDE + SIGNALS + script, 2, stack)


def test_exit_functions_may_communicate(run, stack) -> None:
    script = """
import atexit
def last():
    got = c.sendrecv(np.full(10**5, rank), other, 1, other, 1)
    assert same(got, np.full(10**5, other))
    print("last", c.allreduce(1), flush=True)
atexit.register(last)
if rank == 0:
    c.send("from the program", 1, 2)
else:
    assert c.recv(0, 2) == "from the program"
"""
    assert run(PRELUDE + script, 2, stack).succeeded().splitlines() == ["last 2"] * 2


@pytest.mark.parametrize("level", ["serialized", "multiple"])
def test_a_daemon_thread_that_computes_and_sends_may_be_left_behind(run, stack, level: str) -> None:
    # It is between two calls, or in one, when the program ends.
    script = """
import threading
def chat():
    for n in itertools.count():
        assert c.sendrecv(n, rank, 5, rank, 5) == n
threading.Thread(target=chat, daemon=True).start()
for turn in range(50):  # each waits until the other thread lets go of the interpreter
    assert c.sendrecv(turn, other, 1, other, 1) == turn
c.barrier()
"""
    for _ in range(3):
        run(PRELUDE + script, 2, stack, env={"POLYMPI_THREADS": level}).succeeded()


KILLED = (
    "c.recv(1, 1)",
    "c.barrier()",
    "c.allreduce(big)",
    "c.bcast(None, 1)",
    "c.gather(big)",
    "c.alltoall([big] * 2)",
)


@pytest.mark.parametrize("call", KILLED)
def test_a_rank_that_is_killed_in_the_middle_ends_the_job(run, stack, call: str) -> None:
    script = f"""
import threading
big = np.ones(30_000_000)
def die():
    time.sleep(0.02 + 0.03 * random.random())
    os.kill(os.getpid(), 9)
in_turn()
if rank == 1:
    threading.Thread(target=die, daemon=True).start()
    while True:
        c.send(big, 0, 1) if {call!r} == "c.recv(1, 1)" else {call.replace("None, 1", "big, 1")}
while True:
    {call}
"""
    ended = run(PRELUDE + script, 2, stack, timeout=40)
    assert ended.exit_code not in (0, None), str(ended)
    # MPICH reads large data from the memory of another process, and reports if that is gone.
    assert "Traceback" not in ended.stderr or "the MPI library reports" in ended.stderr, str(ended)


# What rank 1 does in its last moments, and what the others do meanwhile.
KILLED_IN_WINDOWS_AND_FILES = {
    "while it holds a lock": ("with window.lock(1, exclusive=True): time.sleep(60)", "with window.lock(1): pass"),
    "while others access its memory": ("time.sleep(60)", "with window.lock(1): window.fetch_and_op(1.0, 1)"),
    "before a fence": ("time.sleep(60)", "window.fence()"),
    "between fences": ("window.fence(); window.put(big, 0); window.fence()",) * 2,
    "before it writes": ("time.sleep(60)", "file.write_at_all(0, big)"),
    "while all write": ("file.write_at_all(rank * big.nbytes, big)",) * 2,
    "while all make a shared array": ("c.shared(1 << 20)",) * 2,
}


@pytest.mark.parametrize(("its", "others"), KILLED_IN_WINDOWS_AND_FILES.values(), ids=list(KILLED_IN_WINDOWS_AND_FILES))
def test_a_rank_that_is_killed_in_windows_and_files_ends_the_job(run, stack, tmp_path, its: str, others: str) -> None:
    script = f"""
import threading
big = np.ones(1_000_000)
window, file = c.window(np.zeros(big.size)), c.open(sys.argv[1], "w+")
def die():
    time.sleep(0.1 + 0.1 * random.random())
    os.kill(os.getpid(), 9)
in_turn()
if rank == 1:
    threading.Thread(target=die, daemon=True).start()
else:
    time.sleep(0.05)
while True:
    if rank == 1:
        {its}
    else:
        {others}
"""
    ended = run(PRELUDE + script, 3, stack, timeout=40, arguments=[str(tmp_path / "data")])
    assert ended.exit_code not in (0, None), str(ended)
    assert "Traceback" not in ended.stderr or "the MPI library reports" in ended.stderr, str(ended)


def test_a_rank_that_is_stopped_for_a_while_is_waited_for(run, stack) -> None:
    script = """
import signal, subprocess
big = np.arange(3_000_000) + rank
if rank == 1:
    # A shell wakes this rank up again; it stops itself in the middle of what the other one waits for.
    subprocess.Popen(["sh", "-c", f"sleep 0.3; kill -STOP {os.getpid()}; sleep 1; kill -CONT {os.getpid()}"])
began, turns = time.monotonic(), 0
while c.bcast(time.monotonic() - began < 2 or turns < 4):
    theirs = c.sendrecv(big, other, 1, other, 1)
    assert theirs[0] == other and theirs[-1] == 2_999_999 + other
    assert c.allreduce(turns) == 2 * turns
    assert c.allreduce(big)[0] == 1
    c.barrier()
    turns += 1
"""
    run(PRELUDE + script, 2, stack).succeeded()
