"""Hosts that are containers are there when they are made and gone when they are removed, whatever happens between."""

import shutil
import signal
import stat
import subprocess
from pathlib import Path

import pytest
from cluster_steps import congestion_control, networks, output, seconds_to_send, until

from polympi.lab.cluster import manage
from polympi.lab.cluster.cluster import Cluster, processes_of
from polympi.lab.cluster.containers import podman
from polympi.lab.cluster.containers.made import Containers

pytestmark = pytest.mark.system

# Kinds of namespaces that hosts may not have in common.
SPACES = ("net", "uts", "ipc", "mnt", "pid")
UP = ("cluster", "up", "--containers", "--name", "t")


def everything() -> tuple[list[str], ...]:
    """What podman has, and the networks of this machine."""
    names = [podman.ask("ps", "--all", "--format={{.Names}}"), podman.ask("network", "ls", "--format={{.Name}}")]
    return (*(sorted(text.split()) for text in names), networks())


def own_keys() -> dict[str, float]:
    """The files of the user's ssh, and when each was changed."""
    return {str(path): path.stat().st_mtime for path in (Path.home() / ".ssh").rglob("*")}


def test_containers_are_hosts_of_their_own_with_ssh_between_them(polympi, base: str, folder: Path) -> None:
    before, keys = everything(), own_keys()
    made = polympi(*UP, "--hosts", "3", "--base", base)
    assert made.exit_code == 0, made.text
    assert "cluster t is up: t-1, t-2, t-3; wires without a limit" in made.text
    assert (folder / "t" / "hosts.mpich").read_text() == "t-1:1\nt-2:1\nt-3:1\n"
    secret = (folder / "t" / "ssh" / "key").stat()
    assert (stat.S_IMODE(secret.st_mode), secret.st_uid) == (0o600, 0)

    cluster = manage.reachable("t")
    assert cluster.image
    for space in SPACES:
        spaces = {
            Path(f"/proc/{process}/ns/{space}").readlink() for process in ("self", *(h.holder for h in cluster.hosts))
        }
        assert len(spaces) == 4, space
    # A plain ssh, with the key of the cluster. All see the folder, and each its own /dev/shm and /tmp.
    look = f"hostname; cd {Path.cwd()} && ls -d /dev/shm/* /tmp/mine 2>/dev/null"
    script = f"touch /dev/shm/mine /tmp/mine; for host in t-1 t-2 t-3; do ssh $host '{look}'; done; true"
    said = polympi("cluster", "exec", "--name", "t", "--host", "2", "--", "sh", "-c", script)
    assert (said.exit_code, said.text) == (0, "t-1\nt-2\n/dev/shm/mine\n/tmp/mine\nt-3\n")
    assert (congestion_control(cluster), cluster.metadata()["tcp_congestion_control"]) == ("cubic", "cubic")
    shown = polympi("cluster", "status").text
    assert f"containers of {cluster.image}" in shown
    assert [line.split()[:2] for line in shown.splitlines()[2:5]] == [
        [host.name, host.address] for host in cluster.hosts
    ]
    again = polympi(*UP, "--base", base)
    assert (again.exit_code, "The cluster 't' is up already" in again.text) == (2, True)

    waiting = subprocess.Popen(cluster.hosts[2].command(["sleep", "600"]))
    assert "cluster t is removed" in polympi("cluster", "down", "--name", "t").text
    assert waiting.wait(10) == -signal.SIGKILL
    assert not processes_of(folder / "t")
    assert not (folder / "t").exists()
    assert (everything(), own_keys()) == (before, keys)


def test_wires_of_containers_are_limited_both_ways_and_counted(polympi, base: str) -> None:
    slow = manage.up("slow", 2, rate="10mbit", containers=Containers(base=base))
    before = slow.traffic()
    assert seconds_to_send(slow, 1_000_000) > 0.75  # 8 Mbit less what a bucket saves
    sent = {name: traffic.sent_bytes - before[name].sent_bytes for name, traffic in slow.traffic().items()}
    assert sent["slow-1"] > 1_000_000 > sent["slow-2"]
    # What comes to a host is limited by the other end of its wire, also if it is sent faster.
    subprocess.run(slow.first.command(["tc", "qdisc", "del", "dev", "eth0", "root"]), check=True)
    assert seconds_to_send(slow, 1_000_000) > 0.75


@pytest.mark.parametrize(
    ("number", "where"),
    [
        (signal.SIGKILL, "network create"),
        (signal.SIGKILL, "run"),
        (signal.SIGINT, "run"),
        (signal.SIGTERM, "run"),
        (signal.SIGKILL, "build"),
        (signal.SIGINT, "build"),
    ],
)
def test_of_containers_whose_making_is_ended_nothing_is_left(
    polympi, base: str, folder: Path, number: int, where: str
) -> None:
    before = everything()
    words = {"run": '*" --name=t-2 "*', "build": '*" build "*', "network create": '*" network create "*'}[where]
    # What is under way is at its end only after the signal; an image that is there would not be built.
    polympi.put(
        "podman",
        f'case " $* " in *" image exists localhost/polympi-host:"*) {"exit 1" if where == "build" else ":"} ;; '
        f"{words}) touch {folder}/there; sleep 3; {'exit 1' if where == 'build' else ':'} ;; esac",
    )
    making = polympi.begin(*UP, "--base", base)
    until((folder / "there").exists)
    assert where != "run" or processes_of(folder / "t")
    making.send_signal(number)
    out, err = making.communicate(timeout=60)
    assert making.returncode == (-number if number == signal.SIGKILL else 128 + number)
    assert "Traceback" not in out + err
    until(lambda: everything() == before)
    until(lambda: not (folder / "t" / "ssh").exists())
    assert not processes_of(folder / "t")
    assert (folder / "t").exists() == (number == signal.SIGKILL)
    (polympi.programs / "podman").unlink()
    until(lambda: "wait until it is done" not in polympi("cluster", "down", "--all").text)
    assert not (folder / "t").exists()


def test_what_is_missing_or_taken_is_one_sentence_and_nothing_is_left(polympi, base: str, folder: Path) -> None:
    def refusal(*options: str) -> str:
        said = polympi(*UP, *options)
        assert said.exit_code == 2, said.text
        assert "Traceback" not in said.text
        assert everything() == before
        assert not (folder / "t").exists()
        return said.text.splitlines()[-1]

    before = everything()
    missing = refusal("--image", "localhost/no-such-image")
    assert "The image 'localhost/no-such-image' is not on this machine and cannot be fetched (" in missing
    assert "debootstrap and 'podman import'" in refusal("--base", "localhost/no-such-base")
    dead = refusal("--image", base)  # it has no ssh
    assert "Host t-1 does not stay up: the last it wrote is 'this image has no /usr/sbin/sshd" in dead
    polympi.put(
        "podman", 'case " $* " in *" --name=t-2 "*) echo "Error: no space left on device" >&2; exit 125 ;; esac'
    )
    assert "Host t-2 cannot be made: podman said 'no space left on device'." in refusal("--base", base)
    (polympi.programs / "podman").unlink()
    podman.ask("create", "--name=t-2", base, "true")
    try:
        before = everything()
        assert "Podman has a container 't-2' already, which is not of this cluster" in refusal("--base", base)
    finally:
        podman.ask("rm", "t-2")
    podman.ask("network", "create", "t-switch")
    try:
        before = everything()
        assert "Podman has a network 't-switch' already, which is not of this cluster" in refusal("--base", base)
    finally:
        podman.ask("network", "rm", "t-switch")


def test_an_sshd_that_does_not_answer_is_reported_with_its_log(polympi, base: str, folder: Path) -> None:
    before = everything()
    keys = folder / "t" / "ssh"
    spoil = f'until [ -f {keys}/config ]; do sleep 0.1; done; sleep 1; echo "Port nowhere" >>{keys}/sshd_config'
    polympi.put("podman", f'case " $* " in *" --name=t-2 "*) {spoil} ;; esac')
    said = polympi(*UP, "--base", base)
    assert said.exit_code == 2
    assert "Host t-2 does not stay up: the last it wrote is '" in said.text
    assert "Badly formatted port number" in said.text
    assert everything() == before


def test_containers_whose_record_is_damaged_or_gone_are_removed_all_the_same(polympi, base: str, folder: Path) -> None:
    before = everything()
    manage.up("t", 2, containers=Containers(base=base))
    (folder / "t" / "cluster.json").write_text('{"name": 7')
    assert "is damaged" in polympi("cluster", "status").text
    assert "cluster t is removed" in polympi("cluster", "down", "--all").text
    assert everything() == before
    manage.up("t", 2, containers=Containers(base=base))
    shutil.rmtree(folder / "t")
    assert "cluster t is removed" in polympi("cluster", "down", "--all").text
    assert everything() == before
    assert not manage.down("t")


def test_a_container_that_is_killed_or_cut_off_is_missed(polympi, containers: Cluster) -> None:
    first, second = containers.hosts
    subprocess.run(second.command(["ip", "link", "set", "eth0", "down"]), check=True)
    assert containers.what_is_lost() == "t-2 cannot be reached: its network is down"
    subprocess.run(second.command(["ip", "link", "set", "eth0", "up"]), check=True)
    until(lambda: containers.what_is_lost() is None)
    podman.ask("kill", "t-1")
    until(lambda: not first.is_there())
    assert "the cluster is broken: t-1 is gone" in polympi("cluster", "status").text
    assert "The cluster 't' is broken: t-1 is gone" in polympi("cluster", "exec", "--name", "t", "hostname").text


def test_a_folder_that_containers_do_not_see_is_named_before_anything_is_measured(
    polympi, containers: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert containers.first.sees(tmp_path / "out")
    assert not containers.first.sees(Path("/tmp"))
    assert output(containers.first.command(["ls", "-d", str(tmp_path)])).strip() == str(tmp_path)
    said = polympi(
        "run", "--hostfile", str(containers.hostfile("mpich")), "--stack", "mpich", "-o", "/var/tmp/polympi-no"
    )
    assert said.exit_code == 2
    assert "cannot be used for '/var/tmp/polympi-no', which t-1 does not see" in said.text
    assert "--mount '/var/tmp/polympi-no'" in said.text
    monkeypatch.chdir("/var/tmp")
    said = polympi("cluster", "exec", "--name", "t", "pwd")
    assert (said.exit_code, "cannot be used for '/var/tmp'" in said.text) == (2, True)
