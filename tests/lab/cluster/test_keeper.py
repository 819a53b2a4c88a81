"""Who makes containers for another removes them if the other ends; with a program that only pretends to be podman."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from cluster_steps import until

from polympi.lab.cluster.cluster import ClusterError
from polympi.lab.cluster.containers import podman
from polympi.lab.cluster.containers.image import BASE, image_for
from polympi.lab.cluster.containers.keeper import Keeper

# Notes how it is called; it has a container and a network of any cluster, and does what ANSWERS tells.
PODMAN = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
echo "$*" >>FOLDER/calls
case "$*" in
ANSWERS
ps*) echo container ;;
"network ls"*) echo network ;;
esac
"""


@pytest.fixture
def pretend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Put a podman on PATH that gives these answers."""
    (tmp_path / "programs").mkdir()
    (tmp_path / "cluster" / "ssh").mkdir(parents=True)
    monkeypatch.setenv("PATH", f"{tmp_path / 'programs'}:{os.environ['PATH']}")

    def put(answers: str) -> None:
        program = tmp_path / "programs" / "podman"
        program.write_text(PODMAN.replace("ANSWERS", answers).replace("FOLDER", str(tmp_path)))
        program.chmod(0o755)

    put("")
    return put


def calls(tmp_path: Path) -> list[str]:
    """How podman was called, and the words that do not matter left out."""
    path = tmp_path / "calls"
    return [" ".join(line.split()[:2]) for line in path.read_text().splitlines()] if path.exists() else []


MAKER = """
import pathlib, sys
from polympi.lab.cluster.containers.keeper import Keeper
with Keeper(pathlib.Path(sys.argv[1]), None) as keeper:
    keeper.do(["run", "one"])
"""
REMOVAL = ["ps --all", "network ls", "rm --force", "network rm"]


def test_what_was_made_is_removed_at_the_end_of_the_block_unless_it_shall_stay(
    pretend: Callable[[str], None], tmp_path: Path
) -> None:
    pretend('"run one") echo made; echo odd >&2; exit 3 ;;')
    with Keeper(tmp_path / "cluster", None) as keeper:
        did = keeper.do(["run", "one"])
        assert (did.code, did.text, did.errors) == (3, "made\n", "odd\n")
        assert calls(tmp_path) == ["run one"]
    assert calls(tmp_path) == ["run one", *REMOVAL]
    assert not (tmp_path / "cluster" / "ssh").exists()
    with Keeper(tmp_path / "cluster", None) as keeper:
        keeper.do(["run", "two"])
        keeper.stay()
    assert calls(tmp_path) == ["run one", *REMOVAL, "run two"]


def test_what_was_made_is_removed_when_the_step_is_done_during_which_we_were_killed(
    pretend: Callable[[str], None], tmp_path: Path
) -> None:
    wait = f"touch {tmp_path}/began; until [ -f {tmp_path}/go ]; do sleep 0.02; done"
    pretend(f'"run one") {wait}; echo run end >>FOLDER/calls ;;')
    maker = subprocess.Popen([sys.executable, "-c", MAKER, str(tmp_path / "cluster")])
    until((tmp_path / "began").exists)
    maker.send_signal(signal.SIGKILL)
    assert maker.wait(30) == -signal.SIGKILL
    assert calls(tmp_path) == ["run one"]
    (tmp_path / "go").touch()
    until(lambda: not (tmp_path / "cluster" / "ssh").exists())
    assert calls(tmp_path) == ["run one", "run end", *REMOVAL]


def test_a_step_is_ended_if_we_are_interrupted_or_it_takes_too_long(
    pretend: Callable[[str], None], tmp_path: Path
) -> None:
    pretend("run*) exec sleep 600 ;;")
    began = time.monotonic()

    def interrupt(*_: object) -> None:
        raise InterruptedError

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1)
        with pytest.raises(InterruptedError), Keeper(tmp_path / "cluster", None) as keeper:
            keeper.do(["run", "one"])
    finally:
        signal.signal(signal.SIGALRM, before)
    with pytest.raises(ClusterError, match="'podman run' did not end within 0 s"), Keeper(tmp_path, None) as keeper:
        keeper.do(["run", "two"], 0.1)
    assert time.monotonic() - began < 300
    assert calls(tmp_path)[-4:] == REMOVAL


def test_what_cannot_be_removed_is_reported(
    pretend: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    pretend('rm*) echo "Error: it is in use" >&2; exit 125 ;;')
    with pytest.raises(ClusterError, match="'polympi cluster down' tries it again"), Keeper(tmp_path, None):
        pass
    with pytest.raises(ClusterError, match="'podman rm --force' failed: 'it is in use'"):
        podman.remove_if_there(tmp_path / "cluster")
    pretend("ps*) exit 1 ;;")
    assert not podman.remove_if_there(tmp_path / "namespaces")  # they have no need for podman
    assert podman.folders_of_clusters() == set()
    pretend(f"ps*) echo {tmp_path}/a; echo {tmp_path}/a; echo {tmp_path}/b ;;")
    assert podman.folders_of_clusters() == {tmp_path / "a", tmp_path / "b"}


def test_an_image_is_built_once_and_what_is_missing_is_fetched(pretend: Callable[[str], None], tmp_path: Path) -> None:
    said: list[str] = []
    built = f"{tmp_path}/built"
    there = f'"image exists localhost/polympi-host:"*) [ -f {built} ] || exit 1 ;; "image inspect"*) echo 1234 ;;'
    pretend(f"{there} build*) touch {built} ;;")
    with Keeper(tmp_path / "cluster", None) as keeper:
        first = image_for(None, None, keeper, said.append)
        assert image_for(None, None, keeper, said.append) == first
        assert said == [f"building an image upon {BASE} with ssh, once; it takes a minute"]
        assert image_for("mine", None, keeper, said.append) == "mine"
    assert [call.split()[0] for call in calls(tmp_path)].count("build") == 1
    pretend('"image exists"*) exit 1 ;; pull*) echo "Error: no such host" >&2; exit 125 ;;')
    with Keeper(tmp_path / "cluster", None) as keeper:
        with pytest.raises(
            ClusterError, match=r"'mine' is not on this machine and cannot be fetched \('no such host'\)"
        ):
            image_for("mine", None, keeper, said.append)
        with pytest.raises(ClusterError, match=r"debootstrap and 'podman import' \(docs/cluster.md"):
            image_for(None, "theirs", keeper, said.append)
    pretend('"image exists localhost"*) exit 1 ;; build*) echo "Error: no apt" >&2; exit 1 ;;')
    with (
        Keeper(tmp_path / "cluster", None) as keeper,
        pytest.raises(ClusterError, match="cannot be built upon 'b': 'no apt'"),
    ):
        image_for(None, "b", keeper, said.append)
