"""What tests of clusters share: the command as a user types it, with a folder of clusters of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from images import base_image
from sharing import only_one_makes

from polympi.lab.bindings.manifest import applications_folder, shipped_folder
from polympi.lab.cluster import manage, slurm, state
from polympi.lab.cluster.cluster import Cluster
from polympi.lab.cluster.containers import podman
from polympi.lab.cluster.containers.made import Containers
from polympi.lab.cluster.namespaces import why_not


@dataclass(frozen=True)
class Said:
    """How a command ended, and what it wrote: standard output, then standard error."""

    exit_code: int
    text: str


@dataclass(frozen=True)
class Commands:
    clusters: Path  # the folder of its clusters
    programs: Path  # a folder whose programs come before those of the machine

    def begin(self, *arguments: str) -> subprocess.Popen[str]:
        variables = {
            **os.environ,
            state.FOLDER_VARIABLE: str(self.clusters),
            "PATH": f"{self.programs}:{os.environ['PATH']}",
            "COLUMNS": "400",
        }
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [sys.executable, "-m", "polympi", *arguments], env=variables, stdout=pipe, stderr=pipe, text=True
        )

    def __call__(self, *arguments: str) -> Said:
        process = self.begin(*arguments)
        out, err = process.communicate(timeout=240)
        return Said(process.returncode, out + err)

    def put(self, name: str, script: str) -> None:
        """Put a program before the machine's own of this name, which is `$REAL` in it."""
        folders = (Path(folder) / name for folder in os.environ["PATH"].split(os.pathsep))
        real = next(path for path in folders if path.is_file())
        path = self.programs / name
        path.write_text(f'#!/bin/sh\nREAL={real}\n{script}\nexec $REAL "$@"\n')
        path.chmod(0o755)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(state.FOLDER_VARIABLE, str(tmp_path / "clusters"))
    return tmp_path / "clusters"


@pytest.fixture
def polympi(folder: Path, tmp_path: Path) -> Iterator[Commands]:
    """The command; what it has made is removed afterwards."""
    if reason := why_not():
        pytest.skip(reason)
    (tmp_path / "programs").mkdir()
    yield Commands(folder, tmp_path / "programs")
    for name in state.known_clusters():
        manage.down(name)


@pytest.fixture
def cluster(polympi: Commands) -> Cluster:
    return manage.up("t", 2)


@pytest.fixture
def with_slurm(polympi: Commands) -> Cluster:
    if reason := slurm.why_not():
        pytest.skip(reason)
    return manage.up("t", 2, slurm=True)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The image that images of hosts are built upon; a test that needs one is skipped where podman is missing.

    Only the tests of one file at a time have podman, whose containers and images have names on the whole machine.
    """
    if reason := podman.why_not():
        pytest.skip(reason)
    with only_one_makes("containers"):
        yield base_image(tmp_path_factory.mktemp("image"))


@pytest.fixture
def containers(polympi: Commands, base: str, tmp_path: Path) -> Cluster:
    """A cluster of two containers that is up, and sees the folder of the test."""
    wanted = Containers(base=base, programs=[shipped_folder(), applications_folder()], mounts=[tmp_path])
    return manage.up("t", 2, containers=wanted)
