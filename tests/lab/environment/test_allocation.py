"""The job that polympi runs in, as Slurm's variables tell it."""

from pathlib import Path

import pytest

from polympi.lab.environment.allocation import allocation, job_is_over
from polympi.lab.errors import UsageError


@pytest.fixture
def scontrol(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "scontrol"
    path.write_text('#!/bin/sh\n[ "$3" = "n[1-2],m" ] && printf "n1\\nn2\\nm\\n" || { echo "bad list" >&2; exit 1; }\n')
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return path


def test_outside_of_a_job_there_is_none() -> None:
    assert allocation({}) is None
    assert allocation({"SLURM_JOB_ID": "7"}) is None
    assert allocation({"SLURM_CONF": "x", "SLURM_JOB_NODELIST": "n1"}) is None


def test_slurm_expands_the_list_of_hosts(scontrol: Path) -> None:
    job = allocation({"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[1-2],m", "SLURMD_NODENAME": "n1"})
    assert job is not None
    assert (job.job, job.hosts, job.here, job.only_here) == ("7", ("n1", "n2", "m"), "n1", False)


def test_a_job_of_one_host_is_here_or_elsewhere() -> None:
    here = allocation({"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n1", "SLURMD_NODENAME": "n1"})
    there = allocation({"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "nowhere-at-all"})  # salloc on a login host
    assert here is not None
    assert there is not None
    assert (here.only_here, there.only_here) == (True, False)


def test_a_list_that_cannot_be_expanded_is_reported(scontrol: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    variables = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[x"}
    with pytest.raises(UsageError, match=r"job 7, 'n\[x', cannot be listed .*: bad list; name them with --hostfile"):
        allocation(variables)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UsageError, match="there is no such file or directory"):
        allocation(variables)


@pytest.mark.parametrize(
    ("said", "over"),
    [
        ("echo JobId=$4 JobName=JobState=COMPLETED JobState=RUNNING Reason=None", False),
        ("echo JobId=$4 JobName=x JobState=SUSPENDED Reason=None", False),
        ("echo JobId=$4 JobName=x JobState=COMPLETING Reason=None", True),
        ("echo JobId=$4 JobName=x JobState=CANCELLED Reason=None", True),
        ("echo slurm_load_jobs error: Invalid job id specified >&2; exit 1", True),
        ("echo slurm_load_jobs error: Unable to contact slurm controller >&2; exit 1", False),
    ],
)
def test_a_job_is_over_when_slurm_ends_or_has_forgotten_it(scontrol: Path, said: str, over: bool) -> None:
    scontrol.write_text(f"#!/bin/sh\n{said}\n")
    assert job_is_over({"SLURM_JOB_ID": "7"}) is over
    assert not job_is_over({})


def test_without_scontrol_no_job_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert not job_is_over({"SLURM_JOB_ID": "7"})
