"""The one call that measures: what it tells on the way, and what it leaves behind."""

import dataclasses
from pathlib import Path

import pytest

from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.errors import UsageError
from polympi.lab.plan.profiles import PROFILES
from polympi.lab.records import Finding
from polympi.lab.run.exclusive import Holder, only_run_here
from polympi.lab.run.measure import measure
from polympi.lab.run.request import Request
from polympi.lab.run.watcher import Progress, Watcher
from polympi.lab.stacks.stack import Stack

SHORT = dataclasses.replace(PROFILES["quick"], minimum_blocks=6, maximum_blocks=6, batches=2, batch_ns=1e5, events=5)


class Heard(Watcher):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.findings: list[Finding] = []
        self.launches: list[str] = []

    def told(self, text: str) -> None:
        self.said.append(text)

    def found(self, finding: Finding) -> None:
        self.findings.append(finding)

    def launching(self, progress: Progress) -> None:
        self.launches.append(progress.binding)


def _request(output: Path, stack: Stack) -> Request:
    return Request(
        output=output,
        stacks=[stack],
        bindings=load_bindings(),
        wanted=["c"],
        benches=["latency/standard/bytes"],
        sizes=[8],
        ranks=[2],
        profile=SHORT,
        seed=1,
    )


@pytest.mark.mpi
@pytest.mark.alone
def test_a_run_is_told_step_by_step_and_recorded(tmp_path: Path, mpich: Stack) -> None:
    heard = Heard()
    measured = measure(_request(tmp_path / "run", mpich), watcher=heard)
    assert (measured.outcome.ended, measured.outcome.blocks) == ("complete", {"mpich": 6})
    assert measured.seconds_a_block > 0
    assert heard.said == ["preparing mpich"]
    assert {"c", "c-again"} == set(heard.launches)
    environment = measured.directory.environment()
    assert environment.stacks["mpich"].library == mpich.library
    assert environment.findings == heard.findings
    assert "cpu" in environment.facts


def test_two_do_not_measure_at_once(tmp_path: Path, mpich: Stack) -> None:
    holder = Holder(pid=1, since="2026-01-01T00:00:00", where="elsewhere")
    with only_run_here(holder, wait=False, say=print), pytest.raises(UsageError, match="Another run of polympi"):
        measure(_request(tmp_path / "run", mpich), watcher=Watcher())
    assert not (tmp_path / "run").exists()
