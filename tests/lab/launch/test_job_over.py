"""A launch that Slurm refuses because its job is over has not failed by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from polympi.lab.launch.launcher import _judge
from polympi.lab.process import Ended
from polympi.lab.records import LaunchRecord


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("srun: error: Unable to create step for job 7: Job/step already completing or completed", "interrupted"),
        ("srun: error: Unable to confirm allocation for job 7: Invalid job id specified", "interrupted"),
        ("srun: error: Unable to create step for job 7: More processors requested than permitted", "crashed"),
    ],
)
def test_a_job_that_is_over_interrupts(said: str, outcome: str, tmp_path: Path) -> None:
    record = LaunchRecord(launch=0, stack="mpich", block=0, position=0, binding="c", ranks=2, outcome="crashed")
    _judge(record, Ended(1, 0, 1, said), tmp_path / "samples.txt", {}, 60)
    assert record.outcome == outcome
    assert record.detail
