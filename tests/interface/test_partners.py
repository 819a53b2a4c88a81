"""One job of several programs: ranks of polympi, of C and Fortran, and of an mpi4py without polympi."""

import shutil
import subprocess
from pathlib import Path

import compilers
import pytest

PROGRAMS = Path(__file__).parent / "programs" / "partners"
EXAMPLE = Path(__file__).parents[2] / "examples" / "partners"


# A partner in C that waits for one message, of two numbers, and sends one back.
WAITING = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    double numbers[2];
    MPI_Init(&argc, &argv);
    MPI_Recv(numbers, 2, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(numbers, 2, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD);
    printf("C got %g %g\\n", numbers[0], numbers[1]);
    MPI_Finalize();
    return 0;
}
"""


def compiled(stack, source: Path, program: Path) -> str:
    subprocess.run(
        [stack.mpicc, "-O1", "-Wall", "-Werror", "-o", str(program), str(source)], env=stack.variables(), check=True
    )
    return str(program)


def compiled_fortran(stack, source: Path, program: Path, *definitions: str) -> list[str]:
    command, linking = compilers.fortran(stack)
    options = ["-O1", "-w", "-fallow-argument-mismatch", *definitions]  # buffers of several types
    subprocess.run([*command, *options, str(source), "-o", str(program), *linking], check=True)
    return [str(program)]


@pytest.fixture
def waiting(stack, tmp_path: Path) -> str:
    source = tmp_path / "waiting.c"
    source.write_text(WAITING)
    return compiled(stack, source, tmp_path / "waiting")


@pytest.mark.sanitize
def test_a_world_of_two_speaks_with_c_and_mpi4py(run_together, stack, tmp_path: Path) -> None:
    partner = compiled(stack, PROGRAMS / "partner.c", tmp_path / "partner")
    ended = run_together([(2, "partners/coupled.py"), (1, [partner]), (1, "partners/partner_mpi4py.py")], stack)
    said = sorted(ended.succeeded().splitlines())
    assert said == ["C done", "mpi4py done", "polympi done", "polympi done"]
    assert [line for line in ended.stderr.splitlines() if "receive" not in line] == []


@pytest.mark.system
def test_a_rank_speaks_with_fortran(run_together, stack, tmp_path: Path) -> None:
    """By its module, and by mpif.h."""
    if shutil.which("gfortran") is None:
        pytest.skip("there is no gfortran")
    source = PROGRAMS / "partner.F90"
    partners = [
        compiled_fortran(stack, source, tmp_path / "by_module"),
        compiled_fortran(stack, source, tmp_path / "by_mpif", "-DBY_MPIF"),
    ]
    ended = run_together([(1, "partners/languages.py"), *((1, partner) for partner in partners)], stack)
    assert sorted(ended.succeeded().splitlines()) == ["Fortran done", "Fortran done", "polympi done"]
    assert ended.stderr == ""


def test_a_rank_without_a_world_ends_when_its_messages_are_received(run_together, stack, waiting: str) -> None:
    script = """
import time
import numpy as np
import polympi as mpi
p = mpi.raw_world
try:
    p.recv(np.zeros(2), 1, 6, timeout=0.1)
except mpi.Timeout as error:
    assert str(error).startswith("rank 0 waited 0.1 s for rank 1 in raw.recv(source=1, tag=6) at ")
p.isend(np.array([1.0, 2.0]), 1, 5)
back = p.irecv(np.zeros(2), 1, 6)
assert mpi.wait_all([back])[0].tolist() == [1, 2]
assert mpi.thread_level() == "serialized"
"""
    ended = run_together([(1, script), (1, [waiting])], stack)
    assert ended.succeeded().split() == ["C", "got", "1", "2"]
    assert ended.stderr == ""


@pytest.mark.parametrize("end", ["raise KeyError('mesh')", "import sys; sys.exit(3)"], ids=["exception", "exit"])
def test_a_rank_that_fails_ends_its_partners(run_together, stack, waiting: str, end: str) -> None:
    ended = run_together([(1, f"import polympi as mpi\np = mpi.raw_world\n{end}"), (1, [waiting])], stack)
    assert ended.exit_code == (3 if "exit" in end else 1), str(ended)
    assert ("[rank 0] KeyError: 'mesh'" in ended.stderr) == ("raise" in end)


def test_the_example_of_two_programs_runs(run_together, stack, tmp_path: Path) -> None:
    partner = compiled(stack, EXAMPLE / "partner.c", tmp_path / "partner")
    ended = run_together([(2, EXAMPLE / "coupled.py"), (1, [partner])], stack)
    assert ended.succeeded() == "C says that the sum is 1022.5\n"
    assert ended.stderr == ""


def test_two_worlds_of_one_job_do_not_meet(run_together, stack) -> None:
    script = """
import numpy as np
import polympi as mpi
job = mpi.raw_world
side = job.rank // 2
world = mpi.init(world=job.split(side))
assert world.size == 2
assert world.allreduce(job.rank) == (1 if side == 0 else 5)
assert world.bcast({"side": side}) == {"side": side}
assert world.dup().allgather(np.full(5000, side))[1][0] == side
try:
    mpi.wrap(job.handle)
except mpi.MismatchError as error:
    assert "2 of its ranks do not belong to polympi.world" in str(error)
into = job.sendrecv(np.array([float(job.rank)]), (job.rank + 2) % 4, into=np.zeros(1), source=(job.rank + 2) % 4)
assert into[0] == (job.rank + 2) % 4
print("done")
"""
    run_together([(2, script), (2, script)], stack).ends(words="done done done done", said=[])


def test_the_world_may_be_made_of_the_whole_job_later(run, stack) -> None:
    script = """
import numpy as np
import polympi as mpi
job = mpi.raw_world
assert job.sendrecv(np.array([job.rank]), 1 - job.rank, into=np.empty(1, int), source=1 - job.rank)[0] == 1 - job.rank
assert mpi.world.raw is job is mpi.raw_world
assert mpi.init(world=job) is mpi.world
assert mpi.world.allreduce(1) == 2
print("done")
"""
    run(script, 2, stack).ends(words="done done", said=[])
