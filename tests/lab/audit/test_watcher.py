"""When the roll is called: once a job makes no progress, and again only if something has changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from audit.written import Written, ticks

from polympi.lab.audit.layout import State
from polympi.lab.audit.look import look
from polympi.lab.audit.standing import Situation
from polympi.lab.audit.verdict import Kind
from polympi.lab.audit.watcher import AGAIN_S, Watcher


class Job:
    """Two ranks that wait for each other, and a clock."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.now, self.lines = folder, 100.0, []
        self.watcher = Watcher(folder, 30.0, self.lines.append, clock=lambda: self.now)

    def write(self, progress: int, tag: int = 5) -> None:
        for rank in range(2):
            current = {"inside": 1, "procedure": "MPI_Recv", "peer": 1 - rank, "tag": tag, "since": ticks(4)}
            Written(rank, 2, state=State.RUNNING, current={**current, "progress": progress}).write(self.folder)

    def pass_time(self, seconds: float):
        """The roll calls that are made in this time."""
        rolls = []
        for _ in range(int(seconds)):
            self.now += 1
            rolls.append(self.watcher.tick())
        return [roll for roll in rolls if roll is not None]


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(tmp_path)


def test_it_is_called_once_nothing_moves(job: Job) -> None:
    assert job.pass_time(60) == []  # nobody has begun
    job.write(progress=1)
    assert job.pass_time(29) == []
    (roll,) = job.pass_time(2)
    assert roll.verdict is not None
    assert (roll.verdict.kind, len(job.lines)) == (Kind.CYCLE, 1)
    assert "no progress for 30 s" in job.lines[0]


def test_a_job_that_moves_while_its_ranks_are_read_is_not_judged(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    def look_slowly(*arguments: Any) -> Situation:
        found = look(*arguments)
        job.write(progress=2)
        return found

    monkeypatch.setattr("polympi.lab.audit.watcher.look", look_slowly)
    job.write(progress=1)
    assert job.pass_time(32) == []
    assert job.lines == []
    assert job.pass_time(31)  # nothing moves any more


def test_it_is_called_again_if_something_has_changed(job: Job) -> None:
    job.write(progress=1)
    assert len(job.pass_time(32 + 3 * AGAIN_S)) > 1
    assert len(job.lines) == 1
    job.write(progress=2, tag=6)
    assert job.pass_time(20) == []
    assert job.pass_time(20)
    assert len(job.lines) == 2


def test_when_asked_it_is_called_at_once_without_a_verdict_if_the_job_moves(job: Job) -> None:
    assert job.watcher.call("the state now") is None
    assert "no rank has got through MPI's initialization" in job.lines[0]
    job.write(progress=1)
    roll = job.watcher.call("the state now")
    assert roll is not None
    assert roll.verdict is None
    assert "the job makes progress" in job.lines[1]
    job.pass_time(3)
    roll = job.watcher.call("the state now")
    assert roll is not None
    assert roll.verdict is not None
