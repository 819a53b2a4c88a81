"""A cluster is there when it is made and gone when it is removed, whatever happens between."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from cluster_steps import congestion_control, output, seconds_to_send, until, wires

from polympi.lab.cluster import manage, state
from polympi.lab.cluster.cluster import Cluster, processes_of
from polympi.lab.cluster.host import started

pytestmark = pytest.mark.system


def test_a_cluster_stays_until_it_is_removed(polympi, folder: Path) -> None:
    made = polympi("cluster", "up", "--name", "t", "--hosts", "3", "--rate", "1gbit")
    assert made.exit_code == 0, made.text
    assert "cluster t is up: t-1, t-2, t-3; wires of 1gbit" in made.text
    assert f"polympi run --hostfile {folder / 't' / 'hosts.mpich'}" in made.text
    assert wires() == []
    assert (folder / "t" / "hosts.mpich").read_text() == "t-1:1\nt-2:1\nt-3:1\n"
    assert (folder / "t" / "hosts.openmpi").read_text() == "t-1 slots=1\nt-2 slots=1\nt-3 slots=1\n"

    again = polympi("cluster", "up", "--name", "t")
    assert again.exit_code == 2
    assert "The cluster 't' is up already" in again.text

    here = polympi(
        "cluster", "exec", "--name", "t", "--host", "2", "--", "sh", "-c", 'hostname; pwd; exit "$1"', "-", "3"
    )
    assert (here.exit_code, here.text) == (3, f"t-2\n{Path.cwd()}\n")
    cluster = manage.reachable("t")
    assert (congestion_control(cluster), cluster.metadata()["tcp_congestion_control"]) == ("cubic", "cubic")
    assert "hosts 1 to 3" in polympi("cluster", "exec", "--name", "t", "--host", "4", "hostname").text
    assert polympi("cluster", "exec", "--name", "t", "no-such-program").exit_code == 127

    shown = polympi("cluster", "status")
    assert shown.exit_code == 0
    assert "cluster t, up since" in shown.text
    assert all(name in shown.text for name in ("t-1", "t-2", "t-3", "10.99.0.3", "1gbit"))

    waiting = subprocess.Popen(state.get_cluster("t").hosts[2].command(["sleep", "600"]))
    assert "cluster t is removed" in polympi("cluster", "down", "--name", "t").text
    assert waiting.wait(10) == -signal.SIGKILL
    assert not processes_of(folder / "t")
    assert not (folder / "t").exists()
    twice = polympi("cluster", "down", "--name", "t")
    assert (twice.exit_code, "nothing to remove" in twice.text) == (0, True)
    assert "there is no cluster" in polympi("cluster", "status").text
    assert "There is no cluster 't'" in polympi("cluster", "exec", "--name", "t", "hostname").text


def test_what_is_sent_goes_over_the_wires_and_no_faster_than_they_are(polympi) -> None:
    slow, fast = manage.up("slow", 2, rate="10mbit"), manage.up("fast", 2)
    before = slow.traffic()
    assert seconds_to_send(slow, 1_000_000) > 0.75  # 8 Mbit less what a bucket saves
    sent = {name: traffic.sent_bytes - before[name].sent_bytes for name, traffic in slow.traffic().items()}
    assert sent["slow-1"] > 1_000_000 > sent["slow-2"]
    assert seconds_to_send(fast, 1_000_000) < 0.75
    text = polympi("cluster", "status").text
    assert "cluster slow" in text
    assert "cluster fast" in text
    assert "1.0" in next(line for line in text.splitlines() if "slow-1" in line)  # MB
    # Each network is one of its own, with the same addresses.
    assert "slow-1" not in output(fast.first.command(["cat", "/etc/hosts"]))
    manage.down("slow")
    assert not fast.what_is_lost()


@pytest.mark.parametrize(
    ("number", "where"),
    [
        (signal.SIGKILL, "hostname t-2"),
        (signal.SIGKILL, "ip link add port2"),
        (signal.SIGKILL, "tc qdisc add dev eth0"),
        (signal.SIGINT, "ip link add port2"),
        (signal.SIGTERM, "hostname t-2"),
    ],
)
def test_of_a_cluster_whose_making_is_ended_nothing_is_left(polympi, folder: Path, number: int, where: str) -> None:
    program, _, words = where.partition(" ")
    polympi.put(program, f'case "$*" in "{words}"*) touch {folder}/there; exec sleep 5 ;; esac')
    making = polympi.begin("cluster", "up", "--name", "t", "--rate", "1gbit")
    until((folder / "there").exists)
    assert processes_of(folder / "t")
    making.send_signal(number)
    out, err = making.communicate(timeout=60)
    assert making.returncode == (-number if number == signal.SIGKILL else 128 + number)
    assert "Traceback" not in out + err
    until(lambda: not processes_of(folder / "t"))
    assert wires() == []
    assert (folder / "t").exists() == (number == signal.SIGKILL)
    if number == signal.SIGKILL:
        assert "that was broken off" in polympi("cluster", "status").text
    (polympi.programs / program).unlink()
    assert manage.up("t", 2).what_is_lost() is None


def test_where_the_kernel_refuses_nothing_is_left(polympi, folder: Path) -> None:
    polympi.put("tc", 'echo "Error: no such qdisc" >&2; exit 2')
    failed = polympi("cluster", "up", "--name", "t", "--rate", "1gbit")
    assert failed.exit_code == 2
    assert "The network of the cluster cannot be made: 'tc qdisc add dev port1" in failed.text
    assert "no such qdisc" in failed.text
    assert not processes_of(folder / "t")
    assert not (folder / "t").exists()


def test_congestion_control_that_cannot_be_chosen_is_said_and_recorded(polympi) -> None:
    polympi.put("ip", 'case "$*" in *congctl*) echo "Error: invalid congestion control" >&2; exit 2;; esac')
    made = polympi("cluster", "up", "--name", "t")
    cluster = manage.reachable("t")
    usual = congestion_control(cluster)
    assert made.exit_code == 0, made.text
    assert cluster.metadata()["tcp_congestion_control"] == usual
    assert (f"by {usual}, as this kernel lacks cubic" in made.text) == (usual != "cubic")


def test_a_host_that_cannot_be_made_says_why(polympi, folder: Path) -> None:
    polympi.put("unshare", 'echo "unshare: unshare failed: Operation not permitted" >&2; exit 1')
    failed = polympi("cluster", "up", "--name", "t")
    assert failed.exit_code == 2
    assert "t-switch cannot be made here: 'unshare: unshare failed: Operation not permitted'" in failed.text
    assert not (folder / "t").exists()


def test_only_one_makes_or_removes_clusters_at_a_time(polympi, folder: Path) -> None:
    with state.only_one_changes():
        for command in ("up", "down"):
            refused = polympi("cluster", command, "--name", "t")
            assert (refused.exit_code, "wait until it is done" in refused.text) == (2, True)


def test_a_cluster_whose_record_is_damaged_or_gone_is_removed_all_the_same(
    polympi, cluster: Cluster, folder: Path
) -> None:
    (folder / "t" / "cluster.json").write_text('{"name": 7')
    assert "is damaged" in polympi("cluster", "status").text
    assert "is damaged" in polympi("cluster", "up", "--name", "t").text
    shutil.rmtree(folder / "t")
    assert processes_of(folder / "t")
    assert manage.down("t")
    assert not processes_of(folder / "t")
    assert started(cluster.first.holder) is None


def test_a_host_that_is_killed_or_cut_off_is_missed(polympi, cluster: Cluster) -> None:
    first, second = cluster.hosts
    subprocess.run(second.command(["ip", "link", "set", "eth0", "down"]), check=True)
    assert cluster.what_is_lost() == "t-2 cannot be reached: its network is down"
    mended = polympi("cluster", "exec", "--name", "t", "--host", "2", "--", "ip", "link", "set", "eth0", "up")
    assert (mended.exit_code, "t-2 cannot be reached: its network is down" in mended.text) == (0, True), mended.text
    until(lambda: cluster.what_is_lost() is None)
    os.kill(first.holder, signal.SIGKILL)
    until(lambda: started(first.holder) is None)
    assert "t-1 is gone" in str(cluster.what_is_lost())
    shown = polympi("cluster", "status")
    assert "the cluster is broken: t-1 is gone" in shown.text
    assert manage.down("t")
