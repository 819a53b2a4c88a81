"""Together with others that start or end MPI: mpi4py, or C in the same process."""

import pytest
from own_codes import ended_with
from rank_programs import Case, cases

MPI4PY_FIRST = """
import os
import sys
import threading
import time
from mpi4py import MPI
import numpy as np
import polympi as mpi
from sentences import FINALISED, FINALISED_MEANWHILE
c = mpi.world
rank, other = c.rank, 1 - c.rank
big = np.arange(10**6)
"""

POLYMPI_FIRST = MPI4PY_FIRST.replace("from mpi4py import MPI\n", "") + "from mpi4py import MPI\n"


FIRST = {"mpi4py": MPI4PY_FIRST, "polympi": POLYMPI_FIRST}
both = pytest.mark.parametrize("first", FIRST.values(), ids=[f"{name} first" for name in FIRST])


@both
def test_both_talk_and_the_program_ends_by_itself(run, stack, first: str) -> None:
    script = """
left = c.irecv(other, 77)
for turn in range(5):
    theirs = c.isend([turn, big], other, turn)
    assert MPI.COMM_WORLD.sendrecv(turn, other, turn, source=other, recvtag=turn) == turn
    assert c.recv(other, turn)[0] == turn
    theirs.wait()
assert MPI.COMM_WORLD.allreduce(1) == c.allreduce(1) == 2
if rank == 0:
    c.isend(big, 1, 50)
else:
    time.sleep(0.3)
    assert (c.recv(0, 50) == big).all()
print("ended")
"""
    left = [f"[rank {r}] irecv(source={1 - r}, tag=77) got no message" for r in range(2)]
    run(first + script, 2, stack).ends(words="ended ended", said=left)


@pytest.mark.parametrize(
    ("first", "end", "code"),
    [  # every end, and every kind of end (sys.exit, an exception, an abort) after both beginnings
        (MPI4PY_FIRST, "sys.exit(3)", 3),
        (POLYMPI_FIRST, "sys.exit('no such mesh')", 1),
        (MPI4PY_FIRST, "raise KeyError('halo')", 1),
        (POLYMPI_FIRST, "raise KeyError('halo')", 1),
        (MPI4PY_FIRST, "mpi.abort(4)", 4),
        (POLYMPI_FIRST, "mpi.abort(4)", 4),
        (POLYMPI_FIRST, "(lambda: sys.exit(5))()", 5),
    ],
)
def test_a_rank_that_fails_ends_the_job(run, stack, first: str, end: str, code: int) -> None:
    script = f"{first}\nif rank == 1:\n    c.isend(big, 0)\n    {end}\nc.recv(1, 1)"
    ended = ended_with(code, lambda: run(script, 2, stack))
    assert ended.exit_code == code, str(ended)


@both
def test_after_finalize_of_mpi4py_every_call_is_an_error(run, stack, first: str) -> None:
    script = """
posted, sent = c.irecv(other, 6), c.isend(big, other, 7)
if rank == 1:
    time.sleep(0.3)
assert (c.recv(other, 7) == big).all()
c.isend(big, other, 8)
left = c.irecv(other, 8)
MPI.Finalize()
for call in (lambda: c.send(1, other), c.recv, c.barrier, posted.wait, posted.test, mpi.thread_level):
    try:
        call()
    except mpi.StateError as error:
        assert FINALISED in str(error)
        print("refused")
mpi.finalize()
del posted, sent
"""
    left = [f"[rank {r}] irecv(source={1 - r}, tag=6) got no message" for r in range(2)]
    run(first + script, 2, stack).ends(words="refused " * 12, said=left)


# MPICH 5.0 keeps its lock for a thread that was in a call when MPI_Finalize began, which MPI forbids (MPI 5.0, section
# 11.6.2), and may then end the job: 18 of 600 jobs of C that did so on a busy machine. Not three in a row.
KEPT_LOCK = "pthread_mutex_destroy: Device or resource busy"


@pytest.mark.parametrize("first", ["", "mpi.finalize()"], ids=["mpi4py alone", "polympi first"])
def test_finalize_of_mpi4py_stops_threads_that_wait(run, stack, first: str) -> None:
    script = f"""
def work(wait):
    try:
        wait()
    except mpi.StateError as error:
        assert FINALISED_MEANWHILE in str(error)
        print("refused\\n", end="", flush=True) # in one piece, next to the other thread's
threads = [threading.Thread(target=work, args=[wait]) for wait in (lambda: c.recv(tag=1), lambda: c.probe(tag=2))]
for thread in threads:
    thread.start()
time.sleep(0.2)
{first}
MPI.Finalize()
for thread in threads:
    thread.join()
"""
    launches = 1 if first or stack.family != "mpich" else 3
    for _ in range(launches):
        ended = run(MPI4PY_FIRST + script, 2, stack)
        assert ended.stdout.split() == ["refused"] * 4, str(ended)
        if KEPT_LOCK not in ended.stderr:
            break
    ended.succeeded()


TOGETHER = {
    "an exit that the program catches is none": Case(
        """
def leave():
    sys.exit(7)
for _ in range(3):
    try:
        leave()
    except SystemExit as error:
        kept = error
        assert error.code == 7
worker = threading.Thread(target=leave)
worker.start()
worker.join()
assert c.allreduce(1) == 2
if rank == 0:
    sys.exit(0)
sys.exit()
"""
    ),
    "finalize of mpi4py waits until messages are received": Case(
        """
if rank == 0:
    c.isend(big, 1, 7)
else:
    time.sleep(1.5)
    assert (c.recv(0, 7) == big).all()
MPI.Finalize()
print("ended")
""",
        "ended ended",
        ["[rank 0] waits for rank 1 to receive isend(dest=1, tag=7)"],
    ),
    **{
        f"what nobody receives is reported and fails{', with' * bool(end)} {end}": Case(
            f"if rank == 0:\n    c.isend(big, 1, 7)\n{end}\n",
            said=["[rank 0] isend(dest=1, tag=7) was never received"],
            code=1,
        )
        for end in ("", "MPI.Finalize()")
    },
    "finalize of polympi leaves MPI to mpi4py": Case(
        """
assert mpi.thread_level() == "multiple"
if rank == 0:
    mpi.finalize()
assert MPI.COMM_WORLD.allreduce(1) == 2
if rank == 1:
    c.isend("left to itself", 1, 3)
    assert c.recv(1, 3) == "left to itself"
    mpi.finalize()
assert not MPI.Is_finalized()
assert MPI.COMM_WORLD.allreduce(1) == 2
""",
        said=[],
    ),
    "daemon threads stop when mpi4py finalises MPI at the end": Case(
        """
for tag in range(3):
    threading.Thread(target=c.recv, args=[other, tag], daemon=True).start()
c.barrier()
""",
        said=[],
    ),
    "a forked child is recognised": Case(
        """
child = os.fork()
if child == 0:
    try:
        c.send("from the child", other)
    except mpi.StateError as error:
        os._exit(7 if "forked child" in str(error) else 8)
    os._exit(9)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
c.isend("from the parent", other)
assert c.recv(other) == "from the parent"
"""
    ),
}


@cases(TOGETHER)
def test_where_mpi4py_starts_mpi(run, stack, case: Case) -> None:
    case.check(run, stack, MPI4PY_FIRST)


@pytest.mark.parametrize("end", ["finalize", "exit", "nothing"])
def test_c_that_starts_and_ends_mpi(run, stack, end: str) -> None:
    script = """
import ctypes
import sys
import time
library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
library.MPI_Init(None, None)
import polympi as mpi
c = mpi.world
rank = c.rank
assert mpi.thread_level() == "single"
posted = c.irecv(1 - rank, 5)
if rank == 0:
    c.isend("x" * 10**6, 1, 6)
else:
    time.sleep(0.3)
    assert len(c.recv(0, 6)) == 10**6
if sys.argv[2] == "exit":
    c.recv(1, 9) if rank == 0 else sys.exit(3)
if sys.argv[2] == "finalize":
    library.MPI_Finalize()
    try:
        posted.wait()
    except mpi.StateError as error:
        print(error)
"""
    ended = run(script, 2, stack, arguments=[stack.libmpi, end])
    if end == "exit":
        assert ended.exit_code == 3, str(ended)
    elif end == "finalize":
        said = ended.succeeded().splitlines()
        assert len(said) == 2
        assert all("MPI is finalised" in line for line in said)
