"""The job that polympi runs in, as Slurm's variables tell it."""

from __future__ import annotations

from pathlib import Path

import pytest

from polympi.lab.environment.allocation import allocation
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


def test_a_list_that_cannot_be_expanded_is_told(scontrol: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    variables = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[x"}
    with pytest.raises(UsageError, match=r"job 7, 'n\[x', cannot be listed .*: bad list; name them with --hostfile"):
        allocation(variables)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UsageError, match="there is no such file or directory"):
        allocation(variables)
