"""`polympi run` and `polympi doctor` on hosts that are containers."""

import json
from pathlib import Path

import pytest
from cluster_steps import until
from short_runs import ONE_CASE

from polympi.lab.cluster.cluster import Cluster
from polympi.lab.samples.store import RunDirectory
from polympi.lab.stacks.stack import Stack

pytestmark = [pytest.mark.system, pytest.mark.exclusive]


def test_both_libraries_measure_between_containers_and_the_counters_show_that_it_was_the_wire(
    polympi, containers: Cluster, mpich: Stack, openmpi: Stack, tmp_path: Path
) -> None:
    for stack in (mpich, openmpi):
        out = tmp_path / stack.name
        file = str(containers.hostfile("mpich"))
        said = polympi(
            "run", "-o", str(out), *ONE_CASE, "--stack", stack.name, "--hostfile", file, "--time-limit", "60s"
        )
        assert said.exit_code == 0, said.text
        directory = RunDirectory.open(out)
        measured = [one for one in directory.launches() if one.outcome == "ok"]
        assert len(measured) >= 2, said.text
        assert {tuple(place.host for place in one.places) for one in measured} == {("t-1", "t-2")}
        outcome = directory.outcome()
        assert outcome is not None
        messages = directory.samples().collect()["iterations"].sum()
        assert set(outcome.sent_bytes) == {"t-1", "t-2"}
        assert all(sent > 8 * messages for sent in outcome.sent_bytes.values())  # each message goes there and back
        environment = directory.environment()
        assert environment.metadata["cluster"]["image"] == containers.image
        (finding,) = [finding for finding in environment.findings if finding.title == "A test cluster"]
        assert "2 hosts are containers of this machine" in finding.text
        until(lambda: not containers.processes())  # a session of sshd ends after what ran in it


def test_containers_are_well_in_the_eyes_of_the_doctor(
    polympi, containers: Cluster, openmpi: Stack, tmp_path: Path
) -> None:
    file = str(containers.hostfile("mpich"))
    said = polympi("doctor", "--json", "--hostfile", file, "--directory", str(tmp_path), "--stack", openmpi.name)
    checks = json.loads(said.text[said.text.index("{") : said.text.rindex("}") + 1])["checks"]
    assert not [check for check in checks if check["status"] == "problem"]
    texts = [check["text"] for check in checks]
    assert "2 ranks ran, one on each of t-1 and t-2." in texts
    assert "Packet counters show that MPI used eth0 on t-1 and t-2." in texts
