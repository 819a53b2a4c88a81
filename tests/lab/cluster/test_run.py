"""``polympi run --hostfile`` on a test cluster: what is typed on this machine is measured between its hosts."""

import json
import subprocess
import time
from pathlib import Path

import polars as pl
import pytest
from cluster_steps import until_a_block_is_measured
from short_runs import ONE_CASE

from polympi.lab.cluster.cluster import Cluster
from polympi.lab.cluster.hostfile import hostfile_text, room_for
from polympi.lab.conclusions.placements import misplaced
from polympi.lab.process import run_tree
from polympi.lab.samples.store import RunDirectory
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack
from polympi.lab.statistics.analysis import analyse

pytestmark = [pytest.mark.system, pytest.mark.exclusive]


def run_on(cluster: Cluster, file: str, stacks: str, output: Path) -> list[str]:
    return ["run", "-o", str(output), *ONE_CASE, "--stack", stacks, "--hostfile", str(cluster.hostfile(file))]


def test_one_host_file_serves_every_launcher_and_what_was_sent_is_recorded(
    polympi, cluster: Cluster, mpich: Stack, openmpi: Stack, tmp_path: Path
) -> None:
    said = polympi(*run_on(cluster, "openmpi", f"{mpich.name},{openmpi.name}", tmp_path / "out"), "--time-limit", "60s")
    assert said.exit_code == 0, said.text
    directory = RunDirectory.open(tmp_path / "out")
    launches = directory.launches()
    for stack in (mpich, openmpi):
        measured = [one for one in launches if (one.stack, one.outcome) == (stack.name, "ok")]
        assert len(measured) >= 2, said.text
        assert {one.host for one in measured} == {cluster.first.name}
        assert all(one.ready_ns for one in measured)  # the hosts have the clock of this machine
    outcome, metadata = directory.outcome(), directory.environment().metadata
    assert outcome is not None
    assert set(outcome.sent_bytes) == {"t-1", "t-2"}
    messages = directory.samples().collect()["iterations"].sum()
    assert all(sent > 8 * messages for sent in outcome.sent_bytes.values())  # each message goes there and back
    assert metadata["cluster"]["hosts"] == ["t-1", "t-2"]
    assert metadata["cluster"]["tcp_congestion_control"] == "cubic"
    assert any(finding.title == "A test cluster" for finding in directory.environment().findings)
    assert not cluster.processes()
    report = polympi("report", str(tmp_path / "out"), "--markdown")
    assert report.exit_code == 0, report.text
    assert "Sent over wires" in (tmp_path / "out" / "report.md").read_text()


def test_a_file_that_names_one_host_twice_is_a_run_on_one_host_and_says_so(
    polympi, cluster: Cluster, mpich: Stack, tmp_path: Path
) -> None:
    file = tmp_path / "hosts"
    file.write_text("t-1\nt-1\n")
    words = ["run", "-o", str(tmp_path / "out"), *ONE_CASE, "--stack", mpich.name, "--hostfile", str(file)]
    words += ["--launch-timeout", "3m"]  # two ranks that spin, beside other tests
    alone = f"The host file '{file}' names t-1 alone: no message takes the network."
    planned = polympi(*words, "--dry-run")
    assert planned.exit_code == 0, planned.text
    assert alone in planned.text
    assert "hosts t-1:2" in " ".join(planned.text.split())
    said = polympi(*words)
    assert said.exit_code == 0, said.text
    assert alone in said.text
    assert f"On {mpich.name} all ranks ran on t-1, so that no message between them took the network" in said.text


def test_two_nodes_beside_one_are_placed_as_asked_and_cost_what_a_network_costs(
    polympi, cluster: Cluster, mpich: Stack, openmpi: Stack, tmp_path: Path
) -> None:
    words = run_on(cluster, "openmpi", f"{mpich.name},{openmpi.name}", tmp_path / "out")
    said = polympi(*words, "--placement", "node,two-nodes", "--time-limit", "60s")
    assert said.exit_code == 0, said.text
    directory = RunDirectory.open(tmp_path / "out")
    analysis = analyse(directory)
    launches = [one for one in analysis.launches if one.outcome == "ok"]
    hosts = {(one.stack, tuple(place.host for place in one.places)) for one in launches}
    assert hosts == {
        (f"{stack}, {level}", names)
        for stack in ("mpich", "openmpi")
        for level, names in (("node", ("t-1", "t-1")), ("two-nodes", ("t-1", "t-2")))
    }
    assert misplaced(analysis) == []
    rows = [row for row in analysis.factors if (row.factor, row.benchmark) == ("placement", "latency")]
    assert [(row.level, row.base_stack) for row in rows] == [
        ("two-nodes", "mpich, node"),
        ("two-nodes", "openmpi, node"),
    ]
    a_message = pl.col("time_ns") / pl.col("iterations")
    batches = directory.samples().collect().filter(kind="batch")
    best = dict(batches.group_by("stack").agg(a_message.min()).iter_rows())
    for stack in ("mpich", "openmpi"):  # a virtual wire and the kernel's network against shared memory
        assert best[f"{stack}, two-nodes"] > 3 * best[f"{stack}, node"]
    assert "What a placement costs" in said.text


def test_more_ranks_than_slots_fill_the_hosts_evenly(polympi, cluster: Cluster, stack: Stack, tmp_path: Path) -> None:
    for ranks, wanted in ((2, ["t-1", "t-2"]), (5, ["t-1"] * 3 + ["t-2"] * 2)):
        file = tmp_path / "hosts"
        slots = {host.name: 1 for host in cluster.hosts}
        file.write_text(hostfile_text(stack.family, room_for(ranks, slots)))
        command = mpiexec_command(stack, ranks, ["hostname"], processors=2, hostfile=file, cluster=cluster)
        ended = run_tree(command, environment=stack.variables(), timeout_s=100, output=tmp_path / "said")
        assert ended.exit_code == 0, ended.tail
        assert sorted((tmp_path / "said").read_text().split()) == wanted


def test_a_launch_that_is_ended_leaves_nothing_on_the_hosts(
    polympi, cluster: Cluster, stack: Stack, tmp_path: Path
) -> None:
    script = f"touch {tmp_path}/$(hostname); exec sleep 600"
    file = cluster.hostfile(stack.family)
    command = mpiexec_command(stack, 2, ["sh", "-c", script], processors=2, hostfile=file, cluster=cluster)

    def both_are_there() -> None:
        if (tmp_path / "t-1").exists() and (tmp_path / "t-2").exists():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_tree(
            command, environment=stack.variables(), timeout_s=100, output=tmp_path / "said", on_tick=both_are_there
        )
    assert not [process.cmdline() for process in cluster.processes()]


def test_a_host_that_is_lost_ends_the_run_and_what_was_measured_is_kept(
    polympi, cluster: Cluster, mpich: Stack, tmp_path: Path
) -> None:
    output = tmp_path / "out"
    running = polympi.begin(*run_on(cluster, "mpich", mpich.name, output))
    until_a_block_is_measured(output, running)
    subprocess.run(cluster.hosts[1].command(["ip", "link", "set", "eth0", "down"]), check=True)
    lost = time.monotonic()
    out, err = running.communicate(timeout=120)
    assert time.monotonic() - lost < 60  # not the time-outs of all launches that were planned
    assert running.returncode == 130, out + err
    assert "t-2 cannot be reached: its network is down; " in out + err
    assert "; 'polympi cluster down --name t' removes the cluster, then make it again; " in out + err
    assert f"polympi run --resume {output}" in err
    outcome = json.loads((output / "outcome.json").read_text())
    assert outcome["ended"] == "host lost"
    assert outcome["detail"] == "t-2 cannot be reached: its network is down"
    assert outcome["blocks"][mpich.name] >= 1
    assert RunDirectory.open(output).samples().collect().height > 0
    assert (output / "report.html").exists()
    again = polympi("run", "--resume", str(output))
    assert (again.exit_code, "The cluster 't' is broken" in again.text) == (2, True)
    subprocess.run(cluster.hosts[1].command(["ip", "link", "set", "eth0", "up"]), check=True)
    resumed = polympi("run", "--resume", str(output), "--time-limit", "30s")
    assert resumed.exit_code == 0, resumed.text
