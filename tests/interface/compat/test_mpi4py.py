"""mpi4py, accelerated: what its methods do with polympi's core, and what stays mpi4py's own."""

import re
from pathlib import Path

import pytest

from polympi.compat.facades import FACADES
from polympi.lab.stacks.stack import Stack

ROOT = Path(__file__).parents[3]
PROGRAMS = Path(__file__).parents[1] / "programs"
EXAMPLES = sorted((ROOT / "examples" / "compat" / "mpi4py").glob("*.py"))
FACADE = FACADES["mpi4py"]
SIZES = pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=pytest.mark.sanitize), 4])
BEGIN = """
import sys
import threading
import time
import numpy as np
from polympi.mpi4py import MPI
comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
other = 1 - rank
"""


# ---- without MPI ----


def test_the_differences_are_those_of_names_and_are_sentences() -> None:
    names, differences = FACADE.names(), FACADE.differences()
    assert set(differences) <= names
    assert all(text.endswith(".") for text in differences.values())
    assert {"COMM_WORLD", "Request", "SUM", "Init"} < names


def test_the_page_tells_of_each_method_that_is_replaced() -> None:
    page = (ROOT / "docs" / "compat" / "mpi4py.md").read_text()
    native = ROOT / "src" / "polympi" / "native" / "python" / "mpi4py"
    replaced = {name for file in native.glob("*.c") for name in re.findall(r"\bX\([A-Z]\w+, (\w+)\)", file.read_text())}
    assert len(replaced) > 30
    assert sorted(name for name in replaced if not re.search(rf"`{name}\b", page)) == []


# ---- on ranks ----


@SIZES
@pytest.mark.parametrize(
    "program", ["objects", "requests", "copies", "collectives", "buffers", "communicators", "laziness"]
)
def test_a_program_of_many_checks(run, stack: Stack, program: str, ranks: int) -> None:
    said = run(PROGRAMS / f"mpi4py_{program}.py", ranks, stack).succeeded()
    assert said.split() == ["good"] * ranks


@pytest.mark.sanitize
@pytest.mark.one_host  # over several, MPICH's own receive from any source may hang
def test_statuses_are_filled_as_mpi4py_itself_fills_them(run, stack: Stack) -> None:
    program = PROGRAMS / "mpi4py_statuses.py"
    said = sorted(run(program, 2, stack).succeeded().splitlines())
    assert said == sorted(run(program, 2, stack, arguments=["plain"]).succeeded().splitlines())
    assert said.count("good") == 2


@pytest.mark.sanitize
@pytest.mark.parametrize("call", ["waitany", "Waitany", "waitsome", "Waitsome"])
def test_a_wait_for_some_of_several_times_out_and_may_be_repeated(run, stack: Stack, call: str) -> None:
    script = f"""
import polympi
late = np.empty(3)
requests = [comm.irecv(source=other, tag=1), comm.Irecv(late, other, 2)]
try:
    MPI.Request.{call}(requests)
    raise AssertionError("there was no message")
except polympi.Timeout as error:
    assert "{call.lower()}" in str(error), error
comm.Barrier()
comm.send("come", other, 1)
comm.Send(np.ones(3), other, 2)
while any(requests):
    MPI.Request.{call}(requests)
assert late.all()
"""
    run(BEGIN + script, 2, stack, env={"POLYMPI_TIMEOUT": "0.5"}).succeeded()


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("raise KeyError('halo')", 1),
        ("sys.exit(3)", 3),
        ("comm.Abort(4)", 4),
    ],
)
def test_a_rank_that_fails_ends_the_job(run, stack: Stack, end: str, code: int) -> None:
    ended = run(
        BEGIN + f"if rank == 1:\n    comm.isend(np.zeros(10**6), 0)\n    {end}\ncomm.recv(source=1, tag=5)", 2, stack
    )
    assert ended.exit_code == code, str(ended)


def test_a_rank_that_dies_ends_the_job(run, stack: Stack) -> None:
    script = "import os, signal\nif rank == 1:\n    os.kill(os.getpid(), signal.SIGKILL)\ncomm.allgather(rank)"
    assert run(BEGIN + script, 2, stack).exit_code not in (0, None)


@pytest.mark.sanitize
@pytest.mark.parametrize("end", ["", "MPI.Finalize()"])
def test_what_was_sent_arrives_when_its_sender_has_ended(run, stack: Stack, end: str) -> None:
    script = f"""
big = np.arange(10**6)
if rank == 0:
    comm.isend(big, 1)  # the request is dropped
    comm.bsend(big, 1, 1)
else:
    time.sleep(0.3)
    assert (comm.recv() == big).all() and (comm.recv(tag=1) == big).all()
dropped = comm.irecv(source=other, tag=7)  # nothing comes for it
del dropped
{end}
"""
    run(BEGIN + script, 2, stack).succeeded()


def test_mpi_may_be_started_later_and_calls_after_its_end_are_those_of_mpi4py(run, stack: Stack) -> None:
    script = """
import mpi4py
import polympi.mpi4py
polympi.mpi4py.install()
mpi4py.rc(initialize=False, finalize=False)  # nothing is imported yet
from mpi4py import MPI
assert not MPI.Is_initialized()
MPI.Init_thread(MPI.THREAD_MULTIPLE)
from polympi.native import core
comm = MPI.COMM_WORLD
assert core.mpi4py_is_attached(comm) and comm.allreduce(1) == 2
assert polympi.mpi4py.MPI is MPI and polympi.mpi4py.rc is mpi4py.rc
MPI.Finalize()
assert MPI.Is_finalized()
"""
    run(script, 2, stack).succeeded()


ACCELERATED = {
    "a rank in a call of mpi itself fetches what it has posted": """
big = np.full(10**6, float(rank))
if rank == 1:
    before = comm.irecv(source=0)
    comm.Barrier()  # rank 0 comes to it only when its large message is received
    assert (before.wait() == 0).all()
    mine, during = np.zeros(3), comm.irecv(source=0, tag=3)
    comm.Recv([mine, MPI.DOUBLE], source=0, tag=9)
    assert (during.wait() == 0).all() and mine.all()
else:
    time.sleep(0.1)
    comm.send(big, 1)
    comm.Barrier()
    comm.send(big, 1, 3)
    comm.Send(np.ones(3), 1, 9)
""",
    "threads send and make communicators at the same time": """
comms = [comm.Dup() for _ in range(3)]
failed = []

def work(mine, number):
    try:
        for turn in range(30):
            got = mine.sendrecv((number, turn, rank), other, turn, None, other, turn)
            assert got == (number, turn, other)
            assert mine.allreduce(turn) == 2 * turn
            if turn % 10 == 0:
                whole = mine.Dup()
                assert whole.allgather((number, turn)) == [(number, turn)] * 2
                whole.Free()
                half = mine.Split(rank, 0)
                assert half.allgather(number) == [number]
                half.Free()
    except BaseException as error:
        failed.append(error)

order = comms if rank == 0 else comms[::-1]
numbers = {id(made): number for number, made in enumerate(comms)}
threads = [threading.Thread(target=work, args=(made, numbers[id(made)])) for made in order]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failed, failed
""",
    "programs may pickle in their own way": """
import pickle
calls = []
MPI.pickle.__init__(lambda value: calls.append("dumps") or pickle.dumps(("mine", value)),
                    lambda data: calls.append("loads") or pickle.loads(data)[1])
assert comm.sendrecv([rank], other, 0, None, other, 0) == [other]
assert calls == ["dumps", "loads"]
assert comm.bcast({"a": rank}, 1) == {"a": 1}
assert comm.allgather(rank) == [0, 1] and comm.alltoall([(rank, 0), (rank, 1)]) == [(0, rank), (1, rank)]
assert "dumps" in calls[2:] and "loads" in calls[2:]
MPI.pickle.__init__()
del calls[:]
assert comm.sendrecv([rank], other, 0, None, other, 0) == [other] and not calls
""",
}


@pytest.mark.sanitize
@pytest.mark.parametrize("script", ACCELERATED.values(), ids=ACCELERATED)
def test_programs_run_accelerated(run, stack: Stack, script: str) -> None:
    run(BEGIN + script, 2, stack).succeeded()


def test_a_library_of_another_abi_is_refused(run, stack: Stack) -> None:
    script = """
import os
os.environ["POLYMPI_BACKEND"] = "serial"
from polympi.mpi4py import MPI
"""
    ended = run(script, 1, stack)
    assert ended.exit_code != 0
    assert "mpi4py needs an MPI library, but polympi runs without one: unset POLYMPI_BACKEND" in ended.stderr


# ---- ranks that do not all run the accelerator, or have no MPI_Init ----


def test_a_program_of_sessions_only_runs_as_with_mpi4py(run, stack: Stack) -> None:
    script = """
import mpi4py
mpi4py.rc.initialize = False
from polympi.mpi4py import MPI
from polympi.native import core
session = MPI.Session.Init()
group = session.Create_group("mpi://WORLD")
comm = MPI.Intracomm.Create_from_group(group)
half = comm.Split(comm.rank)
other = 1 - comm.rank
assert not core.mpi4py_is_attached(comm) and not MPI.Is_initialized()
comm.Barrier(), half.Barrier()  # collectives of objects fail in mpi4py itself on MPICH: they need MPI_COMM_SELF
assert comm.sendrecv({"from": comm.rank}, other, 0, None, other, 0) == {"from": other}
request = comm.irecv(source=other)
comm.send([comm.rank], other)
assert request.wait() == [other]
group.Free(), half.Free(), comm.Free(), session.Finalize()
"""
    run(script, 2, stack).succeeded()


def test_workers_that_never_import_it_are_left_to_mpi4py_and_reported(run, stack: Stack, tmp_path: Path) -> None:
    program = tmp_path / "pool.py"
    program.write_text("""
from polympi.mpi4py import MPI
from mpi4py.futures import MPIPoolExecutor

def square(x):
    return x * x

if __name__ == "__main__":
    with MPIPoolExecutor() as pool:
        assert list(pool.map(square, range(4))) == [0, 1, 4, 9]
    print("finished")
""")
    start = "import runpy; runpy.run_module('mpi4py.futures', run_name='__main__', alter_sys=True)"
    ended = run(start, 3, stack, arguments=[str(program)])
    assert ended.succeeded().split() == ["finished"]
    assert f"python -m polympi --as mpi4py -m mpi4py.futures {program}" in ended.stderr


def test_an_executor_of_all_ranks_works_accelerated(run, stack: Stack) -> None:
    script = """
from mpi4py.futures import MPICommExecutor
from polympi.native import core

assert core.mpi4py_is_attached(comm)
with MPICommExecutor(comm) as executor:
    if executor is not None:
        assert list(executor.map(np.full, range(1, 6), range(1, 6)))[4].tolist() == [5] * 5
assert comm.allreduce(1) == size
"""
    run(BEGIN + script, 3, stack).succeeded()


# ---- scripts ----


@pytest.mark.parametrize("ranks", [1, 4])
def test_scripts_of_mpi4py_1_run(run_as, stack: Stack, ranks: int) -> None:
    ended = run_as(["--as", "mpi4py1", str(PROGRAMS / "mpi4py_of_2010.py")], ranks, stack)
    assert ended.succeeded().split() == ["good"] * ranks


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run_by_mpi4py_itself_and_accelerated(run, run_as, stack: Stack, example: Path) -> None:
    accelerated = run_as(["--as", "mpi4py", str(example)], 2, stack).succeeded()
    assert sorted(accelerated.splitlines()) == sorted(run(example, 2, stack).succeeded().splitlines())
    assert accelerated.strip()
