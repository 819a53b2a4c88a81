"""What ends a launch from outside, and in which order it is looked for."""

from pathlib import Path

import pytest

from polympi.lab.run import stopped
from polympi.lab.run.stopped import HostLost, Interrupted, stopped_from_outside


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside of a job, with hosts of which the second is lost."""
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    monkeypatch.setattr(stopped, "way_to", lambda *_: "a way")
    monkeypatch.setattr(stopped, "what_is_lost", lambda hosts, _: f"{hosts[1]} is gone")


@pytest.mark.usefixtures("alone")
def test_a_lost_host_ends_a_launch_and_where_it_was_asked_to_stop_nobody_looks_for_one() -> None:
    found = stopped_from_outside(lambda: False, None, ["n1", "n2"])
    assert isinstance(found, HostLost)
    assert str(found) == "n2 is gone"
    asked = stopped_from_outside(lambda: True, None, ["n1", "n2"])
    assert isinstance(asked, Interrupted)
    assert str(asked) == "the run was asked to stop"


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("hosts", [[], ["n1"]])
def test_on_one_host_none_is_lost(hosts: list[str]) -> None:
    assert stopped_from_outside(lambda: False, None, hosts) is None


def test_where_hosts_cannot_be_asked_none_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))  # without ssh
    assert stopped_from_outside(lambda: False, None, ["n1", "n2"]) is None
