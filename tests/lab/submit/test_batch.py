"""The batch scripts: what each batch system reads of them, and what a shell does with them."""

import dataclasses
import os
import subprocess
from pathlib import Path

import pytest

from polympi.lab.submit.batch import Batch, script
from polympi.lab.submit.scheduler import SCHEDULERS


@pytest.fixture
def batch(tmp_path: Path) -> Batch:
    """A job whose folder has a space in its name, and whose polympi prints its words, one a line."""
    folder = tmp_path / "a b"
    folder.mkdir()
    return Batch(
        scheduler="slurm",
        nodes=3,
        time_s=5400,
        command=["run", "--env", "A=x y", "-o", "out"],
        polympi=["sh", "-c", 'pwd; printf "%s\\n" "$@"', "polympi"],
        folder=folder,
        output=folder / "100%j.txt",
        hosts=folder / "hosts",
        partition="fast",
        account="mine",
        directives=["--constraint=haswell"],
    )


def options(batch: Batch, scheduler: str, prefix: str) -> list[str]:
    """What a batch system reads: the lines with its prefix, which all stand before the first command."""
    first, *lines = script(dataclasses.replace(batch, scheduler=scheduler)).splitlines()
    assert first == "#!/bin/sh"
    return [line.removeprefix(f"#{prefix} ") for line in lines[: lines.index("")]]


def run(text: str, tmp_path: Path, **variables: str) -> list[str]:
    """What a script writes, once a shell has found nothing wrong with its grammar."""
    path = tmp_path / "batch.sh"
    path.write_text(text)
    subprocess.run(["bash", "-n", str(path)], check=True)
    done = subprocess.run(
        ["sh", str(path)], env={**os.environ, **variables}, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_slurm_reads_what_was_asked_for(batch: Batch) -> None:
    assert options(batch, "slurm", "SBATCH") == [
        "--job-name=polympi",
        "--nodes=3",
        "--exclusive",
        "--time=90",
        "--signal=B:INT@60",
        f"--output='{batch.folder}/100%%j.txt'",
        "--open-mode=append",
        "--no-requeue",
        "--partition=fast",
        "--account=mine",
        "--constraint=haswell",
    ]


def test_pbs_reads_what_was_asked_for(batch: Batch) -> None:
    said = options(batch, "pbs", "PBS")
    assert said[1:4] == ["-l select=3", "-l place=scatter:excl", "-l walltime=01:30:00"]
    assert said[5:] == [f"-o '{batch.output}'", "-r n", "-V", "-q fast", "-A mine", "--constraint=haswell"]


def test_lsf_reads_what_was_asked_for(batch: Batch) -> None:
    said = options(batch, "lsf", "BSUB")
    assert said[1:6] == ["-n 3", '-R "span[ptile=1]"', "-x", "-W 90", "-wa INT -wt 1"]
    assert said[-3:] == ["-q fast", "-P mine", "--constraint=haswell"]


def test_a_short_job_is_asked_to_stop_in_its_last_quarter(batch: Batch) -> None:
    assert "--signal=B:INT@30" in options(dataclasses.replace(batch, time_s=120), "slurm", "SBATCH")


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_script_starts_the_run_in_its_folder_with_the_hosts_of_the_job(
    batch: Batch, scheduler: str, tmp_path: Path
) -> None:
    listed = tmp_path / "nodes of the job"
    listed.write_text("n1\nn2\nn3\n")
    variables = {"PBS_NODEFILE": str(listed), "LSB_DJOB_HOSTFILE": str(listed)}
    said = run(script(dataclasses.replace(batch, scheduler=scheduler)), tmp_path, **variables)
    with_hosts = [] if scheduler == "slurm" else ["--hostfile", str(batch.hosts)]
    assert said == [str(batch.folder), "run", "--env", "A=x y", "-o", "out", *with_hosts]
    assert scheduler == "slurm" or (batch.folder / "hosts").read_text() == "n1\nn2\nn3\n"


def test_a_run_that_is_continued_or_has_its_own_hosts_gets_no_others(batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "now").write_text("n7\n")
    again = dataclasses.replace(batch, scheduler="pbs", command=["run", "--resume=out"])
    assert run(script(again), tmp_path, PBS_NODEFILE=str(tmp_path / "now"))[1:] == ["run", "--resume=out"]
    assert (batch.folder / "hosts").read_text() == "n7\n"  # it reads them where the first job has written them
    own = dataclasses.replace(batch, scheduler="pbs", command=["run", "--hostfile", "mine"], hosts=None)
    assert run(script(own), tmp_path)[1:] == ["run", "--hostfile", "mine"]


def test_a_run_knows_how_jobs_like_its_own_are_submitted(batch: Batch, tmp_path: Path) -> None:
    asked = ["--scheduler", "pbs", "--nodes", "3", "--directive", "--constraint=a b"]
    tells = dataclasses.replace(batch, polympi=["sh", "-c", 'echo "$POLYMPI_SUBMITS"'], options=asked)
    (said,) = run(script(tells), tmp_path)
    assert said == "polympi submit --scheduler pbs --nodes 3 --directive '--constraint=a b' --"


def test_a_folder_that_is_gone_ends_the_job(batch: Batch, tmp_path: Path) -> None:
    gone = dataclasses.replace(batch, folder=tmp_path / "gone")
    (tmp_path / "batch.sh").write_text(script(gone))
    assert subprocess.run(["sh", str(tmp_path / "batch.sh")], capture_output=True, check=False).returncode == 2
