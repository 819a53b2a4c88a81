"""``polympi submit`` as it is typed, with commands of batch systems that are scripts."""

import json
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer
from commands import typed
from synthetic import make_run

from polympi.lab.cli import concluding
from polympi.lab.cli.app import application
from polympi.lab.cli.concluding import conclude
from polympi.lab.errors import LabError, UsageError
from polympi.lab.submit.job import OUTPUT, Job, job_folder, recorded_job, remember
from polympi.lab.submit.slurm import UNKNOWN, State

RUN = ["--", "run", "--stack", "mpich", "--profile", "glance", "--binding", "c", "--bench", "latency/standard/bytes"]
STOPPED = State("FAILED", exit_code=130)
KILLED = State("FAILED", first_host="n1", exit_code=-9)
COMPLETED = "JobState=COMPLETED Reason=None NodeList=n[1-2] BatchHost=n1 ExitCode=0:0"


@pytest.fixture
def submit(tmp_path: Path):
    """The command, in a folder of its own; programs in its folder `bin` come first."""
    (tmp_path / "bin").mkdir()
    return partial(typed, "submit", folder=tmp_path, PATH=f"{tmp_path}/bin:/usr/bin:/bin", COLUMNS="400")


def plant(folder: Path, name: str, text: str) -> None:
    path = folder / "bin" / name
    path.write_text(f'#!/bin/sh\necho "{name} $@" >>{folder}/calls\n{text}\n')
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("name", "command", "answer", "see", "cancel"),
    [
        ("pbs", "qsub", "echo 12.server", "qstat 12.server", "qdel 12.server"),
        ("lsf", "bsub", "cat >seen; echo 'Job <12> is submitted to queue <normal>.'", "bjobs 12", "bkill 12"),
    ],
)
@pytest.mark.slow
def test_pbs_and_lsf_get_a_script_that_a_shell_understands(
    *, submit, mpich, tmp_path: Path, name: str, command: str, answer: str, see: str, cancel: str
) -> None:
    plant(tmp_path, command, answer)
    said = submit("--scheduler", name, "--nodes", "3", *RUN, "-o", "out")
    assert said.returncode == 0, said.stderr
    assert f"to see it: {see}; to cancel it: {cancel}" in said.stderr
    script = tmp_path / "out.job" / "batch.sh"
    subprocess.run(["bash", "-n", str(script)], check=True)
    assert f"--hostfile {tmp_path}/out.job/hosts" in script.read_text()
    assert name == "pbs" or (tmp_path / "seen").read_text() == script.read_text()
    assert recorded_job(tmp_path / "out.job").scheduler == name
    again = submit("--follow", "out.job")
    assert (again.returncode, f"follows jobs of Slurm alone: to see it: {see}" in again.stderr) == (2, True)


def test_a_job_of_slurm_is_checked_submitted_and_followed_to_its_end(submit, mpich, tmp_path: Path) -> None:
    plant(tmp_path, "sbatch", '[ "$1" = --test-only ] || { echo hello >"${2%/*}/output.txt"; echo 12; }')
    plant(tmp_path, "scontrol", f"echo {COMPLETED}")
    said = submit("--time", "5m", *RUN, "-o", "out")
    assert said.stdout == "hello\n"
    assert said.returncode == 2  # nothing has measured here: it could be that the hosts have another file system
    assert "Job 12 is done, and its result is not to be seen here: copy it" in said.stderr
    assert f"scp -r n1:{tmp_path}/out {tmp_path}/out" in said.stderr
    calls = [line.split()[:2] for line in (tmp_path / "calls").read_text().splitlines()]
    assert calls == [["sbatch", "--test-only"], ["sbatch", "--parsable"], ["scontrol", "--oneliner"]]
    assert "--time-limit 180s" in (tmp_path / "out.job" / "batch.sh").read_text()
    assert recorded_job(tmp_path / "out.job").options == ["--scheduler", "slurm", "--nodes", "2", "--time", "5m"]


def test_a_job_can_be_left_alone(submit, mpich, tmp_path: Path) -> None:
    plant(tmp_path, "sbatch", "echo 12")
    said = submit("--detach", *RUN, "-o", "out")
    assert said.returncode == 0
    assert "to follow it: polympi submit --follow out.job; to cancel it: scancel 12" in said.stderr


def test_ctrl_c_ends_the_following_and_not_the_job(submit, mpich, tmp_path: Path) -> None:
    plant(tmp_path, "sbatch", "echo 12")
    plant(tmp_path, "scontrol", "kill -INT $PPID; echo JobState=RUNNING NodeList=n1")
    command = [sys.executable, "-m", "polympi", "submit", *RUN, "-o", "out"]
    variables = os.environ | {"PATH": f"{tmp_path}/bin:/usr/bin:/bin"}
    said = subprocess.run(
        command, cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=120, check=False
    )
    assert said.returncode == 130
    assert "job 12 goes on; to follow it: polympi submit --follow out.job; to cancel it: scancel 12" in said.stderr


def test_a_complete_run_needs_no_job(submit, tmp_path: Path) -> None:
    plant(tmp_path, "sbatch", "exit 1")
    done = make_run(tmp_path / "out")
    again = submit("--", "run", "--resume", str(done.path))
    assert (again.returncode, "is complete: no job is needed" in again.stderr) == (0, True)
    assert not (tmp_path / "calls").exists()


def test_a_job_that_is_refused_leaves_nothing(submit, mpich, tmp_path: Path) -> None:
    plant(tmp_path, "sbatch", "echo 'allocation failure: Requested node configuration is not available' >&2; exit 1")
    said = submit("--nodes", "99", *RUN, "-o", "out")
    assert said.returncode == 2
    assert "Slurm refused the job: allocation failure: Requested node configuration" in said.stderr
    assert not list(tmp_path.glob("out*"))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--nodes", "2"], "Say what the job is to measure: polympi submit --nodes 2"),
        (["report", "out"], "Say what the job is to measure"),
        (["--scheduler", "slurn", "run"], "no batch system 'slurn' .* Did you mean 'slurm'?"),
        (["--nodes", "0", "run"], "--nodes 0 is impossible"),
        (["--time", "1m", "run"], "--time 1m is too short: a job needs at least 2 minutes"),
        (["--directive", "a\nb", "run"], "--directive takes one line"),
        (["--scheduler", "pbs", "--start-within", "5m", "run"], "--start-within needs Slurm"),
        (["--follow", "out.job"], "'out.job' is not the folder of a job"),
        (["--follow", "out.job", "run"], "--follow takes no run"),
        (["--dry-run", "run", "--resume", "nowhere"], "There is no result directory 'nowhere'"),
    ],
)
def test_what_cannot_be_meant_is_reported(arguments: list[str], sentence: str) -> None:
    with pytest.raises(LabError) as reported:
        application("submit")(["submit", *arguments], standalone_mode=False)
    assert re.search(sentence, str(reported.value))


def test_files_of_jobs_get_free_names_and_damaged_records_a_sentence(tmp_path: Path) -> None:
    first = job_folder(tmp_path / "out")
    first.mkdir()
    assert (first.name, job_folder(tmp_path / "out").name) == ("out.job", "out.job2")
    job = Job(number="7", scheduler="slurm", result="/r", options=["--nodes", "3"])
    remember(job, first)
    assert recorded_job(first) == job
    (first / "job.json").write_text(json.dumps({"number": 7}))
    with pytest.raises(UsageError, match=r"The record of a job, .* is damaged"):
        recorded_job(first)


@pytest.mark.parametrize(
    ("state", "ended", "code", "sentence"),
    [
        (State("COMPLETED", exit_code=0), "complete", 0, "job 7 is done; its result is in 'out'"),
        (State(UNKNOWN), "complete", 0, "job 7 is done"),
        (State("COMPLETED", exit_code=0), "time limit", 0, "had too little time .* --nodes 3 -- run --resume out"),
        (State("COMPLETED", first_host="n1", exit_code=0), None, 2, "not to be seen here: .* scp -r n1:out out"),
        (STOPPED, "interrupted", 130, "was stopped before its run was complete; what was meas"),
        (STOPPED, "host lost", 130, "Job 7 lost the host n2, which cannot be reached: 'no route'; what was measured"),
        (STOPPED, None, 130, "was stopped before its run was complete; nothing was measured"),
        (State("FAILED", exit_code=2), None, 2, "ended with code 2, for the reason above; nothing was measured"),
        (State("CANCELLED", exit_code=-15), "interrupted", 130, r"\(Slurm: CANCELLED, ExitCode 0:15\); what was meas"),
        (
            State("CANCELLED", exit_code=130),
            "interrupted",
            130,
            "was cancelled; what was measured is in 'out'; to cont",
        ),
        (State("TIMEOUT", exit_code=0), None, 130, r"reached its time limit \(Slurm: TIMEOUT, ExitCode 0:0\); nothing"),
        (State("CANCELLED", exit_code=130), "complete", 130, "was cancelled; its result is in 'out'"),
        (KILLED, "broken off", 137, r"killed by SIGKILL on n1, .*\('polympi report out' shows it\); .*--resume out\."),
        (State("FAILED", exit_code=-15), None, 143, r"was killed by SIGTERM \(Slurm: FAILED, ExitCode 0:15\); nothing"),
        (State("NODE_FAIL", hosts="n[1-2]", exit_code=-15), "broken off", 130, r"lost the host n2 \(Slurm: NODE_FAIL"),
        (State("NODE_FAIL", hosts="n[1-2]", exit_code=130), "interrupted", 130, "Job 7 lost the host n2; what was"),
        (State("OUT_OF_MEMORY", exit_code=-9), "broken off", 130, r"used up the memory .*--directive=--mem=0 for all"),
    ],
)
def test_the_end_of_a_job_is_reported(
    *, state: State, ended: str | None, code: int, sentence: str, tmp_path: Path, monkeypatch, capsys
) -> None:
    def opened(_: Path) -> SimpleNamespace:
        if ended is None:
            raise UsageError("there is none")
        detail = "n2 cannot be reached: 'no route'" if ended == "host lost" else ""
        return SimpleNamespace(outcome=lambda: SimpleNamespace(ended=ended, detail=detail))

    monkeypatch.setattr(concluding.RunDirectory, "open", opened)
    monkeypatch.setattr(concluding, "lost_hosts", {"n[1-2]": ["n2"]}.__getitem__)
    (tmp_path / OUTPUT).write_text("much\npolympi: No.\n\n")
    job = Job(number="7", scheduler="slurm", result="out", options=["--nodes", "3"])
    if code:
        with pytest.raises(typer.Exit) as left:
            conclude(job, tmp_path, state)
        assert left.value.exit_code == code
    else:
        conclude(job, tmp_path, state)
    assert re.search(sentence, " ".join(capsys.readouterr().err.split()))
