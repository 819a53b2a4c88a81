"""What cannot be made is refused in a sentence, before anything is made; none of it needs root."""

import os
import shutil
from pathlib import Path

import msgspec
import pytest
from commands import refusal

from polympi.lab.cluster import namespaces
from polympi.lab.cluster.cluster import Cluster
from polympi.lab.cluster.containers import podman
from polympi.lab.cluster.host import Host
from polympi.lab.cluster.hostfile import hostfile_text, read_hostfile, room_for
from polympi.lab.cluster.state import cluster_of, remember
from polympi.lab.errors import UsageError


def recorded(folder: Path, *names: str) -> Cluster:
    """A cluster that is recorded, but not there."""
    (folder / "t").mkdir(parents=True)
    hosts = [Host(name=name, holder=2**22 + 1, started=1) for name in names]
    cluster = Cluster(name="t", folder=str(folder / "t"), hosts=hosts, switch=hosts[0])
    remember(cluster)
    cluster.write_hostfiles()
    return cluster


@pytest.mark.parametrize("arguments", [["up"], ["down"], ["up", "--hosts", "3"]])
def test_without_root_it_says_who_may(arguments: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    said = refusal("cluster", *arguments)
    assert said.startswith("polympi: Hosts are made of namespaces, which only root can do: call polympi with sudo")
    assert said.count("\n") == 1
    assert not folder.exists()


def test_a_command_that_is_missing_is_named_with_its_package(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    found = shutil.which
    monkeypatch.setattr(namespaces.shutil, "which", lambda name: None if name in ("ip", "tc") else found("sh"))
    said = refusal("cluster", "up")
    assert said == "polympi: Hosts are made with the command 'ip', which is not installed: apt install iproute2\n"
    assert not folder.exists()


def test_without_root_or_podman_containers_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    said = refusal("cluster", "up", "--containers")
    assert said.startswith("polympi: Containers with their own network need root: call polympi with sudo")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    found = shutil.which
    monkeypatch.setattr(podman.shutil, "which", lambda name: None if name == "podman" else found("sh"))
    said = refusal("cluster", "up", "--containers")
    assert said.startswith(
        "polympi: Containers are made with the command 'podman', which is not installed: apt install"
    )
    assert said.count("\n") == 1
    assert not folder.exists()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--image", "i"], "--image is for hosts that are containers: add --containers, or leave it out."),
        (["--base", "i"], "--base is for hosts that are containers"),
        (["--mount", "."], "--mount is for hosts that are containers"),
        (["--containers", "--image", "i", "--base", "b"], "leave out one of them"),
        (["--containers", "--slurm"], "leave out --containers, or --slurm"),
        (["--containers", "--hosts", "1"], "A cluster has 2 to 64 hosts, and not 1."),
        (["--containers", "--rate", "fast"], "--rate needs a rate"),
        (["--containers", "--mount", "/no/such"], "--mount '/no/such' is impossible: there is no such folder."),
        (["--rate", "fast"], "--rate needs a rate such as 100mbit, 1gbit or 2.5gbit, and not 'fast'."),
        (["--rate", "1gbit; reboot"], "--rate needs a rate"),
        (["--rate", "-1gbit"], "--rate needs a rate"),
        (["--rate", "1GB"], "--rate needs a rate"),
        (["--rate", ""], "--rate needs a rate"),
        (["--rate", "0gbit"], "--rate 0gbit is impossible: choose a rate from 100kbit to 1000gbit."),
        (["--rate", "1001gbit"], "is impossible"),
        (["--hosts", "1"], "A cluster has 2 to 64 hosts, and not 1."),
        (["--hosts", "65"], "A cluster has 2 to 64 hosts"),
        (["--hosts", "many"], "--hosts needs a whole number"),
        (["--slots", "0"], "--slots 0 is impossible"),
        (["--name", "../x"], "--name '../x' is impossible"),
        (["--name", "a" * 32], "is impossible"),
        (["--name", "x-"], "is impossible"),
    ],
)
def test_what_is_typed_wrong_is_one_sentence(
    options: list[str], sentence: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(namespaces.shutil, "which", lambda name: name)
    assert sentence in refusal("cluster", "up", *options)
    assert not list(folder.glob("[a-z]*"))


def test_a_run_on_a_cluster_that_is_gone_says_what_to_do(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(namespaces.shutil, "which", lambda name: name)
    run = ["run", "-o", str(tmp_path / "out"), "--hostfile"]
    gone = refusal(*run, str(folder / "t" / "hosts.mpich"))
    assert "Its cluster is not up: 'polympi cluster up' makes one." in gone
    cluster = recorded(folder, "t-1", "t-2")
    broken = refusal(*run, str(cluster.hostfile("mpich")))
    assert "The cluster 't' is broken: t-1 is gone" in broken
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "only root" in refusal(*run, str(cluster.hostfile("openmpi")))
    assert not (tmp_path / "out").exists()


def test_a_host_file_belongs_to_the_cluster_whose_hosts_it_names(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    file.write_text("t-2\n")
    assert cluster_of(file) is None
    cluster = recorded(folder, "t-1", "t-2", "t-3")
    assert cluster_of(cluster.hostfile("mpich")) == cluster_of(cluster.hostfile("openmpi")) == cluster
    assert cluster_of(file) == cluster
    file.write_text("t-4\n")
    assert cluster_of(file) is None
    file.write_text("t-1\nnode7\n")
    with pytest.raises(UsageError, match="names t-1 of the cluster 't', and node7"):
        cluster_of(file)
    assert cluster_of(tmp_path) is None


def test_within_a_container_its_cluster_is_other_hosts(folder: Path) -> None:
    cluster = recorded(folder, "t-1", "t-2")
    remember(msgspec.structs.replace(cluster, pid_namespace="pid:[1]"))
    assert cluster_of(cluster.hostfile("mpich")) is None


@pytest.mark.parametrize("family", ["mpich", "openmpi", "impi"])
def test_host_files_of_every_launcher_are_read_as_they_are_written(family: str, tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    slots = {"b": 2, "a": 1, "c-12": 30}
    file.write_text(hostfile_text(family, slots))
    assert list(read_hostfile(file).items()) == list(slots.items())


def test_host_files_of_others_are_read(tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    file.write_text("# nodes\n\nb # second\na:3 binding=numa\nb\nc slots = 4 max_slots=8\nd max_slots=8\nme@10.0.0.1\n")
    assert read_hostfile(file) == {"b": 2, "a": 3, "c": 4, "d": 1, "me@10.0.0.1": 1}


NOT_HOSTS = [
    ("h:0", "gives 'h' room for '0' ranks"),
    ("h:-1", "gives 'h' room for '-1' ranks"),
    ("h:x", "gives 'h' room for 'x' ranks"),
    ("h:", "gives 'h' room for '' ranks"),
    ("h:٣", "gives 'h' room for '٣' ranks"),
    ("h:9999999", "gives 'h' room for '9999999' ranks"),
    ("h slots=one", "gives 'h' room for 'one' ranks"),
    ("h slots = 0", "gives 'h' room for '0' ranks"),
    ("h:2 slots=3", "gives 'h' two numbers of ranks, 2 and 3"),
    ("a,b", "which is more than one host"),
    ("a:1,b:1", "which is more than one host"),
    ("a b", "which is more than one host"),
    ("a 2", "which is more than one host"),
    ("fe80::1", "an IPv6 address looks like a number of ranks"),
    ("[::1]:2", "an IPv6 address looks like a number of ranks"),
    (":2", "which is not the name of a host"),
    ("-f", "which is not the name of a host"),
    ("+n1", "which is not the name of a host"),
]


@pytest.mark.parametrize(("line", "why"), NOT_HOSTS)
def test_a_line_that_is_no_host_is_refused_with_its_number(line: str, why: str, tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    file.write_text(f"good\n# {line}\n{line}\n", encoding="utf-8")
    with pytest.raises(UsageError) as refused:
        read_hostfile(file)
    assert str(refused.value).startswith(f"Line 3 of the host file '{file}' ")
    assert why in str(refused.value)


@pytest.mark.parametrize("command", [["run"], ["run", "--dry-run"], ["doctor"]])
def test_every_command_refuses_such_a_file(
    command: list[str], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(folder, "t-1", "t-2")
    file = tmp_path / "hosts"
    file.write_text("t-1\nt-2:none\n")
    said = refusal(*command, "--hostfile", str(file))
    assert said.startswith(f"polympi: Line 2 of the host file '{file}' gives 't-2' room for 'none' ranks: ")


@pytest.mark.parametrize(
    ("ranks", "room"), [(1, [1, 1, 1]), (3, [1, 1, 1]), (4, [2, 1, 1]), (5, [2, 2, 1]), (9, [3, 3, 3])]
)
def test_ranks_that_have_no_slot_go_to_one_host_after_another(ranks: int, room: list[int]) -> None:
    slots = {"c": 1, "a": 1, "b": 1}
    assert list(room_for(ranks, slots).items()) == list(zip("cab", room, strict=True))
    assert set(slots.values()) == {1}
