"""Processes that ranks start, other interpreters in a process, and launchers that do not fit: a sentence each."""

import sys

import pytest

from polympi import library
from polympi.errors import LibraryError

PARENT = """
import os
import subprocess
import sys
import polympi as mpi
c = mpi.world
def child(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=40, **options)
USE = "import polympi as mpi; print('a rank', mpi.world.rank, mpi.world.size)"
"""


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_child_of_a_rank_cannot_take_its_place(run, stack, ranks: int) -> None:
    script = """
for options in {}, {"close_fds": False}, {"shell": True}:
    command = (f'{sys.executable} -c "{USE}"',) if options.get("shell") else (sys.executable, "-c", USE)
    ended = child(*command, **options)
    assert ended.returncode == 1 and not ended.stdout, ended
    assert ended.stderr.splitlines()[-1].startswith("polympi.errors.LauncherError: this process (pid "), ended.stderr
    assert f"not started by an MPI launcher but by rank {c.rank} of a job (pid {os.getpid()})" in ended.stderr
    assert "start this program with its own mpiexec." in ended.stderr
c.barrier()
print("ended")
"""
    assert run(PARENT + script, ranks, stack).succeeded().split() == ["ended"] * ranks


def test_a_child_that_only_imports_polympi_is_not_disturbed(run, stack) -> None:
    script = """
from multiprocessing import get_context
def square(number):
    import polympi
    return number * number
if __name__ == "__main__":
    c = __import__("polympi").world
    with get_context("spawn").Pool(2) as pool:
        assert pool.map(square, range(5)) == [0, 1, 4, 9, 16]
    c.barrier()
"""
    run(script, 2, stack).succeeded()


def test_an_mpiexec_inside_of_a_rank_starts_ranks(run, stack) -> None:
    script = """
if c.rank == 0:
    ended = child("mpiexec", "-n", "2", sys.executable, "-c", USE)
    if "not enough slots" in ended.stderr:
        ended = child("mpiexec", "--oversubscribe", "-n", "2", sys.executable, "-c", USE)
    assert sorted(ended.stdout.splitlines()) == ["a rank 0 2", "a rank 1 2"], ended
c.barrier()
"""
    run(PARENT + script, 2, stack).succeeded()


def test_a_program_without_launcher_may_start_others(run, stack) -> None:
    script = """
ended = child(sys.executable, "-c", USE)
assert ended.stdout == "a rank 0 1\\n", ended
"""
    run(PARENT + script, None, stack).succeeded()


SUBINTERPRETER = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
def try_elsewhere():
    try:
        failed = interpreters.run_string(interpreters.create(), "import polympi; polympi.world")
    except Exception as error:
        failed = error
    print(failed)
try_elsewhere()
import polympi
polympi.world
try_elsewhere()
"""


def test_a_subinterpreter_is_refused(run, mpich) -> None:
    said = run(SUBINTERPRETER, None, mpich).succeeded().splitlines()
    assert len(said) == 2
    assert all("LibraryError" in line and "polympi works in the main interpreter only" in line for line in said), said


def test_python_without_its_gil_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: True, raising=False)
    library._require_gil()
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False)
    with pytest.raises(LibraryError, match="polympi needs the GIL"):
        library._require_gil()


def test_srun_with_pmi2_and_open_mpi_is_refused(run, openmpi) -> None:
    env = {
        **{"SLURM_JOB_ID": "4", "SLURM_STEP_ID": "0", "SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "8"},
        **{"PMI_SIZE": "8", "PMI_RANK": "1", "PMI_FD": "99", "PMI_JOBID": "4.0"},
        "POLYMPI_MPI": "openmpi",  # else an MPICH that the machine has as well is taken, and is the right one
    }
    ended = run("import polympi; polympi.world", None, openmpi, env=env)
    said = ended.stderr.splitlines()[-1]
    assert said.startswith("polympi.errors.LauncherError: srun --mpi=pmi2 started 8 processes, but the"), said
    assert "(Open MPI v" in said
    assert "give srun --mpi=pmix for Open MPI" in said
