"""The one call that measures: what it tells on the way, and what it leaves behind."""

from pathlib import Path

import pytest
from short_runs import short_request

from polympi.lab.records import Finding
from polympi.lab.run.measure import measure
from polympi.lab.run.watcher import Progress, Watcher
from polympi.lab.stacks.stack import Stack


class Heard(Watcher):
    def __init__(self) -> None:
        self.said: list[str] = []
        self.findings: list[Finding] = []
        self.launches: list[str] = []

    def reported(self, text: str) -> None:
        self.said.append(text)

    def found(self, finding: Finding) -> None:
        self.findings.append(finding)

    def launching(self, progress: Progress) -> None:
        self.launches.append(progress.binding)


@pytest.mark.exclusive
def test_a_run_is_reported_step_by_step_and_recorded(tmp_path: Path, mpich: Stack) -> None:
    heard = Heard()
    measured = measure(short_request(tmp_path / "run", [mpich], ["c"], ["latency/standard/bytes"]), watcher=heard)
    assert (measured.outcome.ended, measured.outcome.blocks) == ("complete", {"mpich": 6})
    assert measured.seconds_a_block > 0
    assert heard.said == ["preparing mpich"]
    assert {"c", "c-again"} == set(heard.launches)
    environment = measured.directory.environment()
    assert environment.stacks["mpich"].library == mpich.library
    assert environment.findings == heard.findings
    assert "cpu" in environment.metadata
