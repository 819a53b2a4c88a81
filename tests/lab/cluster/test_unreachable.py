"""Hosts that do not answer or cannot connect are named before anything is launched."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from short_runs import ONE_CASE

from polympi.lab.cluster.cluster import Cluster
from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.system


@pytest.mark.exclusive
def test_hosts_between_which_packets_are_dropped_are_named_at_once(
    polympi, cluster: Cluster, mpich: Stack, tmp_path: Path
) -> None:
    first, second = cluster.hosts
    nobody = f"ip neigh replace {second.address} lladdr 02:00:00:00:00:99 dev eth0"  # as a firewall that drops them
    subprocess.run(first.command(nobody.split()), check=True)
    words = ["run", "-o", str(tmp_path / "out"), *ONE_CASE, "--stack", mpich.name]
    said = polympi(*words, "--hostfile", str(cluster.hostfile("mpich")))
    assert said.exit_code == 2, said.text
    assert "The hosts of the cluster 't' cannot connect to each other. From t-1 no connection to t-2 on a" in said.text
    assert "nothing comes back, as if a firewall drops it" in said.text
    assert "calibrating" not in said.text
    assert not (tmp_path / "out").exists()


def test_a_node_of_a_job_that_goes_down_before_the_first_launch_is_named(
    polympi, with_slurm: Cluster, mpich: Stack, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    run = shlex.join([sys.executable, "-m", "polympi", "run", "-o", str(out), *ONE_CASE, "--stack", mpich.name])
    down = f"nsenter --target={with_slurm.hosts[1].holder} --net ip link set eth0 down"
    said = polympi("cluster", "exec", "--name", "t", "--", "salloc", "-N", "2", "sh", "-c", f"{down}; exec {run}")
    assert said.exit_code == 2, said.text
    assert "polympi: The host t-2 " in said.text
    assert not out.exists()
