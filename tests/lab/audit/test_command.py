"""``polympi audit`` as it is typed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from audit.drills import compiled
from audit.written import Written, ticks
from commands import refusal, typed

from polympi.lab.audit.layout import State
from polympi.lab.audit.starting import job_name, rank_here
from polympi.lab.stacks.stack import Stack

POLYMPI = str(Path(sys.executable).with_name("polympi"))


def said(*arguments: str) -> str:
    return " ".join(refusal("audit", *arguments).split())


def test_what_cannot_be_started_is_a_sentence(tmp_path: Path) -> None:
    assert "The program 'nobody-has-this' was not found" in said("--", "nobody-has-this")
    assert "'mpiexec' belongs in front: write 'mpiexec ... polympi audit -- PROGRAM'" in said("mpiexec", "-n", "2", "a")
    assert "--hang 0 isn't a time to wait" in said("--hang", "0", "--", "true")
    assert "There is no stack 'nowhere'" in said("--stack", "nowhere", "--", "true")
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").touch()
    taken = said("--stack", "mpich", "--output", str(tmp_path / "there"), "--", "true")
    assert "exists and is never overwritten" in taken
    assert "There is no folder" in said("report", str(tmp_path / "nowhere"))
    assert "has no file of a rank" in said("where", str(tmp_path / "there"))


def test_ranks_of_a_launcher_are_recognised() -> None:
    assert rank_here({"PMI_RANK": "3"}) == "3"
    assert rank_here({"OMPI_COMM_WORLD_RANK": "0"}) == "0"
    assert rank_here({"SLURM_PROCID": "0", "SLURM_JOB_ID": "7"}) is None
    assert rank_here({"SLURM_PROCID": "1", "SLURM_STEP_ID": "0"}) == "1"
    assert rank_here({"PATH": "/bin"}) is None
    assert job_name({"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "2"}) == "7.2"
    assert job_name({"PMIX_NAMESPACE": "prterun-host-16462@1"}) == "prterun-host-16462-1"
    assert job_name({}) == str(os.getppid())


def test_where_reports_the_ranks_of_a_folder(tmp_path: Path) -> None:
    for rank in range(2):
        current = {"inside": 1, "procedure": "MPI_Recv", "peer": 1 - rank, "tag": 5, "since": ticks(4)}
        Written(rank, 2, state=State.RUNNING, current=current).write(tmp_path)
    done = typed("audit", "where", str(tmp_path))
    assert done.returncode == 1
    assert done.stdout.startswith("No progress for at least 1 s.")
    assert "rank 0: in MPI_Recv at heat.py:12 (rank 1, tag 5)" in done.stdout
    assert "Hang (cycle): Each waits for the next" in " ".join(done.stdout.split())


def test_a_job_is_recorded_and_reported(stack: Stack, tmp_path: Path) -> None:
    """Its output and its exit code are its own; the page and all other forms are of all ranks."""
    program = str(compiled(stack, tmp_path))
    done = typed("audit", "-n", "2", "--stack", stack.name, "--", program, "exit with 7", folder=tmp_path)
    assert done.returncode == 7, done.stderr
    folder = tmp_path / f"audit-{Path(program).stem}"
    assert len(list(folder.glob("*.audit"))) == 2
    assert (folder / "audit.html").is_file()
    assert "MPI takes" in done.stderr
    again = typed("audit", "report", str(folder), "--format", "json,csv,markdown,perfetto")
    assert again.returncode == 0, again.stderr
    assert (folder / "audit.json").is_file()
    assert "MPI_Sendrecv" in again.stdout
    same = typed("audit", "diff", str(folder), str(folder))
    assert same.returncode == 0, same.stderr


def test_ranks_of_a_launcher_record_themselves(stack: Stack, tmp_path: Path) -> None:
    program = str(compiled(stack, tmp_path))
    words = [stack.mpiexec, "-n", "2", POLYMPI, "audit", "--no-timeline", "--", program, "exchange"]
    done = subprocess.run(
        words, env=stack.variables(), cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    (folder,) = tmp_path.glob("audit-*")
    files = list(folder.glob("*.audit"))
    assert len(files) == 2
    assert "2 ranks" in typed("audit", "report", str(folder)).stdout
    for file in files:
        os.utime(file, (0, 0))
    earlier = typed("audit", "-o", str(folder), "--", program, PMI_RANK="0")
    assert "has the audit of an earlier job, which is never overwritten" in " ".join(earlier.stderr.split())


@pytest.mark.exclusive
def test_signals_print_the_roll_call_first(mpich: Stack, tmp_path: Path) -> None:
    program = str(compiled(mpich, tmp_path))
    words = [POLYMPI, "audit", "-n", "2", "--stack", "mpich", "--output", "here", "--", program, "receives first"]
    process = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    _until(lambda: len(list((tmp_path / "here").glob("*.audit"))) == 2)
    time.sleep(4)  # until it has been seen that nothing moves
    process.send_signal(signal.SIGUSR1)
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    _, text = process.communicate(timeout=60)
    assert process.returncode != 0
    assert text.index("the state now") < text.index("the state at SIGTERM")
    assert text.count("Hang (cycle)") == 2
    assert re.search(r"MPI takes (9\d|8\d|7\d|100) %", text), text


@pytest.mark.exclusive
@pytest.mark.slow
def test_a_job_that_hangs_is_ended_if_asked_for(mpich: Stack, tmp_path: Path) -> None:
    program = str(compiled(mpich, tmp_path))
    words = ["--stack", "mpich", "--hang", "2", "--end", "-n", "2", "--", program, "wrong tag"]
    done = typed("audit", *words, folder=tmp_path)
    assert done.returncode == 124
    assert "Hang (wrong tag): Rank 1 waits in MPI_Recv" in done.stderr
    assert "ends the job, as it hangs" in done.stderr


def test_a_program_without_mpi_is_a_sentence(mpich: Stack, tmp_path: Path) -> None:
    done = typed("audit", "-n", "1", "--stack", "mpich", "--", "/bin/true", folder=tmp_path)
    assert done.returncode == 0
    assert "the program did not start MPI, or it is linked statically" in " ".join(done.stderr.split())


def _until(happened) -> None:
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.1)
