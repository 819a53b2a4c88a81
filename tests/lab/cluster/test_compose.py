"""The hosts for users of Docker: the compose file is read, and its hosts reach each other."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cluster_steps import until

from polympi.lab.cluster.containers import podman
from polympi.lab.cluster.containers.image import HERE, image_for
from polympi.lab.cluster.containers.keeper import Keeper
from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.system

PROJECT = "polympitest"
FILE = HERE / "compose.yaml"


@pytest.fixture
def compose(base: str, tmp_path: Path, mpich: Stack) -> Iterator[Callable[..., str]]:
    """`podman-compose` with the compose file, an image as `polympi cluster up` builds it, and a stack in /shared."""
    if shutil.which("podman-compose") is None:
        pytest.skip("podman-compose is not installed: apt install podman-compose")
    with Keeper(tmp_path, None) as keeper:
        image = image_for(None, base, keeper, print)
    variables = {**os.environ, "IMAGE": image, "WORK": str(mpich.folder)}
    # As compose files cannot say so: the limits of this machine (see `limits`), and its older control groups.
    arguments = [f"--podman-run-args={' '.join(podman.limits())}"]

    def call(*words: str) -> str:
        command = ["podman-compose", "--project-name", PROJECT, *arguments, "--file", str(FILE), *words]
        done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=120)
        return done.stdout + done.stderr

    yield call
    call("down", "--volumes")
    subprocess.run(["podman", "network", "rm", "--force", f"{PROJECT}_default"], capture_output=True, check=False)


def on_first(*words: str) -> subprocess.CompletedProcess[str]:
    command = ["podman", "exec", f"{PROJECT}_host-1_1", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_hosts_of_compose_start_ranks_on_each_other(compose: Callable[..., str]) -> None:
    said = compose("up", "--detach", "--no-build")
    until(lambda: on_first("ssh", "host-2", "true").returncode == 0)
    mpiexec = on_first("/shared/env/bin/mpiexec", "-hosts", "host-1,host-2", "-n", "2", "hostname")
    assert sorted(mpiexec.stdout.split()) == ["host-1", "host-2"], said + mpiexec.stderr
    # The keys are those of these hosts: nobody else has them, and no password opens anything.
    keys = on_first("sh", "-c", "stat -c %a /keys/key; sshd -T -f /keys/sshd_config | grep -i ^password").stdout
    assert keys == "600\npasswordauthentication no\n"


def test_the_compose_file_is_understood(tmp_path: Path) -> None:
    """Docker's own reader needs no daemon for that."""
    reader = next((words for words in (["docker-compose"], ["docker", "compose"]) if shutil.which(words[0])), None)
    if reader is None:
        pytest.skip("docker-compose is not installed: apt install docker-compose")
    done = subprocess.run(
        [*reader, "--file", str(FILE), "config"], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("dockerfile: Containerfile") == 2
    assert all((HERE / name).is_file() for name in ("Containerfile", "host.sh"))
