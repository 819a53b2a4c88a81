"""``polympi doctor`` on a test cluster: what is planted on a host is named with this host, and nothing else is."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from polympi.lab.cluster import manage
from polympi.lab.cluster.cluster import Cluster
from polympi.lab.records import Launching
from polympi.lab.stacks.add import add_stack
from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.system


@pytest.fixture
def three(polympi) -> Cluster:
    """Three hosts, with wires that are no slower on a busy machine than on an idle one."""
    return manage.up("t", 3, rate="500mbit")


def plant(cluster: Cluster, number: int, *commands: str) -> None:
    """Run commands on a host, counted from 0."""
    for command in commands:
        subprocess.run(cluster.hosts[number].command(command.split()), check=True, timeout=30)


def checks_of(polympi, cluster: Cluster, folder: Path, stack: Stack) -> dict[str, Any]:
    """The checks by their names; those with the same name are in a list."""
    hosts = str(cluster.hostfile("mpich"))
    said = polympi("doctor", "--json", "--hostfile", hosts, "--directory", str(folder), "--stack", stack.name)
    made = json.loads(said.text[said.text.index("{") : said.text.rindex("}") + 1])
    assert said.exit_code == (made["status"] == "problem"), said.text
    assert "Traceback" not in said.text
    found: dict[str, Any] = {}
    for check in made["checks"]:
        found.setdefault(check["name"], []).append(check)
    return found


@pytest.mark.exclusive  # on a busy machine any host may be the slow one
def test_hosts_that_are_alike_are_well_with_both_libraries(
    polympi, three: Cluster, mpich: Stack, openmpi: Stack, tmp_path: Path
) -> None:
    for stack in (mpich, openmpi):
        found = checks_of(polympi, three, tmp_path, stack)
        assert not [check for checks in found.values() for check in checks if check["status"] == "problem"]
        (used,), (launched,) = found[f"interfaces of {stack.name}"], found[f"launch with {stack.name}"]
        assert used["text"] == "Packet counters show that MPI used eth0 on all 3 hosts."
        assert launched["text"] == "3 ranks ran, one on each of t-1, t-2 and t-3."
        for name in ("differences", "connections", "shared folder", "clocks", "hosts", "limits"):
            assert [check["status"] for check in found[name]] == ["ok"], found[name]
        assert not {"packet sizes differ", "address twice", "same machine"} & set(found)
    assert not three.processes()


def test_the_launch_with_the_mpich_of_debian_ends(
    polympi, cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In its `MPI_Finalize`, a rank waits for ever for one on another host that has come before and sends no more.

    The doctor's program has that happen seldom, and tells it from a launch that fails.
    """
    if shutil.which("mpicc.mpich") is None:
        pytest.skip("there is no MPICH of Debian: apt install libmpich-dev mpich")
    monkeypatch.setenv("POLYMPI_HOME", str(tmp_path / "home"))
    stack = add_stack("debian-mpich", [], mpicc="mpicc.mpich", launching=Launching(launcher=["mpiexec.mpich"]))
    found = checks_of(polympi, cluster, tmp_path, stack)
    (launched,) = found["launch with debian-mpich"]
    assert launched["text"].startswith("2 ranks ran, one on each of t-1 and t-2")
    assert launched["status"] == "ok" or "MPI_Finalize does not return" in launched["text"]
    (message,) = found["messages of debian-mpich"]
    of_one_pair = r"a small message takes [\d.]+ .s, large ones reach [\d.]+ .B/s\.$"
    assert re.search(of_one_pair, message["text"])


@pytest.mark.exclusive  # on a busy machine any host may be the slow one
def test_what_is_odd_about_a_host_is_named(polympi, three: Cluster, mpich: Stack, tmp_path: Path) -> None:
    plant(three, 1, "ip link set eth0 mtu 1400", f"mount -t tmpfs private {tmp_path}")
    for number in (0, 1):
        plant(
            three, number, "ip link add docker0 type bridge", "ip addr add 172.17.0.1/16 dev docker0",
            "ip link add inside0 type veth peer name outside0", "ip link set inside0 master docker0 up",
            "ip link set outside0 up", "ip link set docker0 up",
            "ip link show docker0",  # else the system may take a second to see that it carries something
        )  # fmt: skip
    plant(three, 2, "tc qdisc replace dev eth0 root tbf rate 20mbit burst 3028b latency 50ms", "hostname other")
    plant(three, 2, "mount -o remount,size=60m /dev/shm")
    found = checks_of(polympi, three, tmp_path, mpich)
    assert [check["hosts"] for check in found["shared folder"]] == [["t-2"]]
    assert "is not shared with t-2: there is none" in found["shared folder"][0]["text"]
    assert [check["hosts"] for check in found["address twice"]] == [["t-1", "t-2"]]
    assert [check["hosts"] for check in found["packet sizes differ"]] == [["t-2"]]
    assert "1500 on t-1 and t-3; 1400 on t-2" in found["packet sizes differ"][0]["text"]
    assert [check["hosts"] for check in found[f"slow host with {mpich.name}"]] == [["t-3"]]
    assert [check["hosts"] for check in found["Little shared memory"]] == [["t-3"]]
    assert [check["hosts"] for check in found["own name"]] == [["t-3"]]  # in no table of names
    assert found["connections"][0]["status"] == "ok"
    plant(three, 2, "mount -o remount,size=16m /dev/shm")  # less than MPICH needs
    found = checks_of(polympi, three, tmp_path, mpich)
    assert "ended with code" in found[f"launch with {mpich.name}"][0]["text"]
    assert "on t-3" in found[f"launch with {mpich.name}"][0]["text"]


def test_a_firewall_and_a_lost_network_are_reported_and_mpi_runs_over_the_others(
    polympi, three: Cluster, openmpi: Stack, tmp_path: Path
) -> None:
    plant(three, 1, "iptables -A INPUT -p tcp --syn -j DROP")
    found = checks_of(polympi, three, tmp_path, openmpi)
    (dropped,) = found["connections"]
    assert dropped["text"].startswith("From t-1 and t-3 no connection to t-2 on a free port: nothing comes back")
    assert "OMPI_MCA_btl_tcp_port_min_v4" in dropped["advice"]
    assert "one on each of t-1 and t-3." in found[f"launch with {openmpi.name}"][0]["text"]
    plant(three, 2, "ip link set eth0 down")
    found = checks_of(polympi, three, tmp_path, openmpi)
    assert [check["hosts"] for check in found["interfaces"]] == [["t-3"]]
    assert f"launch with {openmpi.name}" not in found
    assert any("no connection to t-3" in check["text"] for check in found["connections"])
    subprocess.run(["kill", "-KILL", str(three.hosts[2].holder)], check=True)
    found = checks_of(polympi, three, tmp_path, openmpi)
    assert [check["text"] for check in found["host"]] == ["t-3 is gone: the process that held it has ended."]
    assert found["hosts"][0]["text"] == "2 of 3 answer: t-1 and t-2."
