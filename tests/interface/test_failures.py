"""Ranks that fail in one call: which exit code the job has, and what it prints."""

import pytest
from own_codes import ended_with
from rank_programs import PRELUDE

pytestmark = pytest.mark.sanitize

# Code of the program that the core runs, and that ends it on rank 1 alone.
ENDS = """
import signal
def end(*_):
    if rank == 1:
        raise KeyboardInterrupt if code == "interrupt" else SystemExit(eval(code))
class Pickled:
    def __reduce__(self):
        end()
        return int, ()
class Unpickled:
    def __getstate__(self):
        return [1]
    def __setstate__(self, state):
        end()
class Tensor:
    def __dlpack_device__(self):
        return 1, 0
    def __dlpack__(self, **options):
        return np.zeros(3).__dlpack__()
    def __array_namespace__(self):
        end()
def after_a_signal(wait):
    if rank == 1:
        signal.signal(signal.SIGALRM, end)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
    c.recv(tag=99) if rank == 2 else wait()
add = mpi.op(lambda a, b: end() or a)
CALLS = {
    "send": lambda: c.send(Pickled(), 0, 1) if rank == 1 else c.recv(1, 99),
    "bcast": lambda: c.bcast(Pickled(), 1),
    "gather": lambda: c.gather(Pickled()),
    "alltoall": lambda: c.alltoall([Pickled()] * 3),
    "received": lambda: c.alltoall([Unpickled()] * 3) and c.recv(tag=99),
    "allreduce": lambda: c.allreduce(Pickled()),
    "reduce_scatter": lambda: c.reduce_scatter([[1]] * 3, add),
    "tensor": lambda: c.allgather(Tensor()),
    "barrier": lambda: after_a_signal(c.barrier),
    "left": lambda: after_a_signal(lambda: c.allreduce(1)),
}
call, code = sys.argv[1:]
CALLS[call]()
"""


@pytest.mark.parametrize(
    "call",
    ["send", "bcast", "gather", "alltoall", "received", "allreduce", "reduce_scatter", "tensor", "barrier", "left"],
)
def test_a_program_that_ends_inside_a_call_ends_the_job_with_its_code(run, stack, call: str) -> None:
    ended = ended_with(7, lambda: run(PRELUDE + ENDS, 3, stack, timeout=60, arguments=[call, "7"]))
    assert ended.exit_code == 7, str(ended)
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("code", "exit_code"),
    [("interrupt", 130), ("'the text'", 1), ("256", 1), ("None", 1)],
    ids=["^C", "text", "256", "0"],
)
def test_any_code_that_a_program_ends_with_inside_a_call(run, stack, code: str, exit_code: int) -> None:
    ended = run(PRELUDE + ENDS, 3, stack, timeout=60, arguments=["alltoall", code])
    assert ended.exit_code == exit_code, str(ended)
    assert ("the text" in ended.stderr) == (code == "'the text'")
    assert ended.stderr.count("Traceback") == (code == "interrupt")


@pytest.mark.one_host  # each host has its first rank
@pytest.mark.parametrize("call", ["allreduce", "reduce", "scan", "exscan", "reduce_scatter"])
def test_a_function_of_a_reduction_that_fails_prints_one_traceback(run, stack, call: str) -> None:
    script = """
def fail(a, b):
    raise ValueError("no sum")
getattr(c, sys.argv[1])([[1]] * size, mpi.op(fail))
c.barrier()
"""
    ended = run(PRELUDE + script, 4, stack, timeout=60, arguments=[call])
    assert ended.exit_code == 1, str(ended)
    assert ended.stderr.count("Traceback") == 1, str(ended)
    assert ended.stderr.count("ValueError: no sum") - ended.stderr.count("could not do its part") == 1, str(ended)
    if call == "reduce_scatter":  # in which each rank combines its own piece
        assert any("] and the same on " in line for line in ended.said), str(ended)


def test_ranks_that_only_tell_of_another_one_say_so_in_a_line(run, stack) -> None:
    script = """
def fail(a, b):
    raise ValueError("no sum at rank 2") if rank == 2 else KeyError("elsewhere")
c.allreduce([1], mpi.op(fail if rank == 2 else lambda a, b: a))
"""
    ended = run(PRELUDE + script, 4, stack, timeout=60)
    assert ended.exit_code == 1, str(ended)
    said = ended.said
    assert [line for line in said if "Traceback" in line] == ["[rank 2] Traceback (most recent call last):"], str(ended)
    assert "[rank 2] ValueError: no sum at rank 2" in said, str(ended)
    others = [line.partition("] ")[2] for line in said if not line.startswith("[rank 2]")]
    assert any("could not do its part: ValueError: no sum at rank 2" in line for line in others), str(ended)
    assert all("could not do its part" in line or line.startswith("and the same on ") for line in others), str(ended)


@pytest.mark.one_host  # each host has its first rank
def test_ranks_that_fail_at_one_place_print_its_traceback_once(run, stack) -> None:
    script = """
c.barrier()
if sys.argv[1] == "alike":
    c.send(1, 5)
raise KeyError(rank % 2)
"""
    for how in ("alike", "apart"):
        ended = run(PRELUDE + script, 4, stack, timeout=60, arguments=[how])
        assert ended.exit_code == 1, str(ended)
        said = ended.said
        assert ended.stderr.count("Traceback") == 1, str(ended)
        assert any("] and the same on " in line for line in said), str(ended)
        if how == "apart":
            assert {line.partition("] ")[2] for line in said if "KeyError:" in line} == {"KeyError: 0", "KeyError: 1"}


# Sends SIGINT to mpiexec alone, or to all that a terminal's Ctrl-C reaches.
INTERRUPTS = """
import signal
def parent(process):
    with open(f"/proc/{process}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])
def name(process):
    with open(f"/proc/{process}/comm") as file:
        return file.read().strip()
launcher = os.getppid()
while name(launcher) not in ("mpiexec", "mpiexec.hydra", "mpirun", "prterun"):
    launcher = parent(launcher)
c.barrier()
if rank == 0:
    os.kill(launcher, signal.SIGINT) if sys.argv[1] == "launcher" else os.killpg(os.getpgid(launcher), signal.SIGINT)
c.recv(tag=99)
"""


@pytest.mark.one_host  # where the launcher is
@pytest.mark.parametrize("whom", ["launcher", "group"])
def test_ctrl_c_at_the_launcher(run, stack, whom: str) -> None:
    ended = run(PRELUDE + INTERRUPTS, 2, stack, timeout=60, arguments=[whom])
    if stack.family == "openmpi":  # kills the ranks, whose last words it drops
        assert ended.exit_code not in (0, None), str(ended)
    else:
        assert ended.exit_code == 130, str(ended)
        assert "KeyboardInterrupt" in ended.stderr


def test_a_rank_of_another_number_than_in_the_world_says_which_it_is(run, stack) -> None:
    script = """
import sys
import numpy as np
import polympi as mpi
job = mpi.raw_world
ours = job.split(1 if job.rank else None)
if job.rank == 0:
    sys.exit()
world = mpi.init(world=ours)
upper = world.split(0 if world.rank else 1)
def said(kind, call):
    try:
        call()
    except kind as error:
        return str(error)
if world.rank == 2:
    print(said(mpi.RankError, lambda: upper.send(0, 5)))
    print(said(mpi.RankError, lambda: job.send(np.zeros(3), 9)))
    print(said(mpi.RankError, lambda: world.send(0, 5)))
    print(said(mpi.Timeout, lambda: upper.recv(0, 5, timeout=0.05)).partition(" at ")[0])
    print(said(mpi.Timeout, lambda: job.recv(np.zeros(3), 1, 5, timeout=0.05)).partition(" at ")[0])
    left = upper.irecv(0, 6), job.irecv(np.zeros(3), 1, 6), world.irecv(0, 6)
"""
    ended = run(script, 4, stack, timeout=60)
    third, second = (
        "rank 3 of this communicator (rank 2 of the world)",
        "rank 1 of this communicator (rank 2 of the world)",
    )
    assert ended.succeeded().splitlines() == [
        f"{second}, send(dest=5, tag=0): dest is 5, but the ranks of this communicator are 0 to 1",
        f"{third}, raw.send(dest=9, tag=0): dest is 9, but the ranks of this communicator are 0 to 3",
        "rank 2, send(dest=5, tag=0): dest is 5, but the ranks of this communicator are 0 to 2",
        f"{second} waited 0.05 s for rank 0 in recv(source=0, tag=5)",
        f"{third} waited 0.05 s for rank 1 in raw.recv(source=1, tag=5)",
    ]
    assert ended.said == [
        f"[rank 2] irecv(source=0, tag=6) by {second} got no message",
        "[rank 2] irecv(source=0, tag=6) got no message",
        f"[rank 2] raw.irecv(source=1, tag=6) by {third} got no message",
    ]
