"""Collectives of raw communicators with time-outs: what a rank may do that leaves one, and how the job ends."""

import subprocess
from pathlib import Path

import pytest

# A partner in C that makes one collective call after some seconds, or never.
LATE = """
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
    double mine = 1, sum;
    MPI_Init(&argc, &argv);
    usleep((useconds_t)(1e6 * atof(argv[1])));
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (sum != 42)
        MPI_Abort(MPI_COMM_WORLD, 9);
    MPI_Finalize();
    return 0;
}
"""
NEVER = "3600"

LEAVES = """
import sys
import numpy as np
import polympi as mpi
from sentences import CALLS_PENDING
p = mpi.raw_world
mine = np.array([41.0])
"""


@pytest.fixture
def late(stack, tmp_path: Path) -> str:
    (tmp_path / "late.c").write_text(LATE)
    program = tmp_path / "late"
    command = [stack.mpicc, "-Wall", "-Werror", "-o", str(program), str(tmp_path / "late.c")]
    subprocess.run(command, env=stack.variables(), check=True)
    return str(program)


@pytest.mark.sanitize
@pytest.mark.one_host  # the ranks tell each other by files
@pytest.mark.parametrize("level", ["serialized", "multiple"])
def test_each_collective_can_be_left_and_the_communicator_used_again(run, stack, tmp_path: Path, level: str) -> None:
    folder = tmp_path / "told"
    folder.mkdir()
    program = "partners/raw_timeouts.py"
    run(program, 2, stack, env={"POLYMPI_THREADS": level}, arguments=[str(folder)]).ends(words="done done", said=[])


def test_a_time_out_that_is_not_caught_ends_the_job_with_its_partners(run_together, stack, late: str) -> None:
    script = f"{LEAVES}p.allreduce(mine, mine, timeout=0.2)"
    ended = run_together([(1, script), (1, [late, NEVER])], stack)
    assert ended.exit_code == 1, str(ended)
    assert "rank 0 waited 0.2 s in raw.allreduce() at " in ended.stderr
    assert ":8: not all other ranks called it; check that every rank calls it, in the same order. " in ended.stderr


def test_the_end_waits_for_a_late_partner_and_says_so(run_together, stack, late: str) -> None:
    script = f"""{LEAVES}
try:
    p.allreduce(mine, np.zeros(1), timeout=0.2)
except mpi.Timeout:
    print("left")
"""
    ended = run_together([(1, script), (1, [late, "2.5"])], stack)
    assert ended.succeeded() == "left\n"
    said = [line for line in ended.stderr.splitlines() if line.startswith("[rank")]
    assert said == ["[rank 0] waits for all ranks to call raw.allreduce()"]


def test_polympi_timeout_limits_collectives_and_the_end(run_together, stack, late: str) -> None:
    script = f"""{LEAVES}
try:
    p.allreduce(mine, np.zeros(1))
except mpi.Timeout:
    print("left")
try:
    mpi.finalize()
except mpi.StateError as error:
    assert CALLS_PENDING in str(error)
    print("refused")
"""
    ended = run_together([(1, script), (1, [late, NEVER])], stack, env={"POLYMPI_TIMEOUT": "0.5"})
    assert ended.exit_code == 1, str(ended)
    assert ended.stdout.split() == ["left", "refused"]
    assert "[rank 0] raw.allreduce() was never called by all ranks\n" in ended.stderr


def test_an_exit_code_ends_the_job_at_once(run_together, stack, late: str) -> None:
    script = f"""{LEAVES}
try:
    p.allreduce(mine, np.zeros(1), timeout=0.1)
except mpi.Timeout:
    sys.exit(3)
"""
    run_together([(1, script), (1, [late, NEVER])], stack).ends(3)


def test_ctrl_c_ends_a_collective_with_a_time_out(run_together, stack, late: str) -> None:
    script = f"""{LEAVES}
import os, signal, threading
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
p.allreduce(mine, np.zeros(1), timeout=3600)
"""
    ended = run_together([(1, script), (1, [late, NEVER])], stack)
    assert ended.exit_code == 130, str(ended)
    assert "[rank 0] KeyboardInterrupt" in ended.stderr


def test_at_a_lower_thread_level_a_sentence_says_what_is_needed(run, stack) -> None:
    script = """
import polympi as mpi
p = mpi.raw_world
try:
    p.barrier(timeout=5)
except mpi.StateError as error:
    assert "needs a second thread that calls MPI: start MPI by polympi.init('serialized')" in str(error)
    print("refused")
p.barrier()
"""
    run(script, 2, stack, env={"POLYMPI_THREADS": "funneled", "POLYMPI_TIMEOUT": "60"}).ends(words="refused refused")


@pytest.mark.one_host  # the ranks tell each other by files
@pytest.mark.parametrize("level", ["serialized", "multiple"])
def test_a_call_that_another_thread_keeps_from_beginning_says_so(run, stack, tmp_path: Path, level: str) -> None:
    """Where threads may call MPI at the same time, none is kept from it, and the other ranks are who is missing."""
    script = """
import sys, threading, time
from pathlib import Path
import polympi as mpi
left = Path(sys.argv[1])
p = mpi.raw_world
q = p.dup()
if p.rank == 0:
    inside = threading.Thread(target=p.barrier)
    inside.start()
    time.sleep(0.3)
    try:
        q.barrier(timeout=0.5)
    except mpi.Timeout as error:
        print(str(error))
    left.touch()
    inside.join()
else:
    while not left.exists():
        time.sleep(0.01)
    p.barrier()
    q.barrier()
"""
    place = str(tmp_path / "left")
    said = run(script, 2, stack, env={"POLYMPI_THREADS": level}, arguments=[place]).succeeded()
    assert "rank 0 waited 0.5 s in raw.barrier() at " in said
    assert ("another thread of this rank was in MPI all the time" in said) == (level == "serialized")
    assert ("not all other ranks called it" in said) == (level == "multiple")
