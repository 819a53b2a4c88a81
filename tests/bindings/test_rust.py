"""The sources of the binding ``rust``, as Rust's own formatter and linter see them.

That its cases run is in the conformance test.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from polympi.lab.bindings.build import why_not_ready
from polympi.lab.bindings.harness import build_harness
from polympi.lab.bindings.manifest import applications_folder, load_bindings, shipped_folder
from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.system

FOLDER = shipped_folder() / "rust"
SECONDS = 300


def _needs(*programs: str) -> None:
    if missing := [program for program in programs if shutil.which(program) is None]:
        pytest.skip(f"it needs {', '.join(missing)}")


@pytest.mark.parametrize("folder", [FOLDER, applications_folder() / "rust"], ids=["binding", "applications"])
def test_sources_are_formatted(folder: Path) -> None:
    _needs("cargo", "cargo-fmt")
    done = subprocess.run(
        ["cargo", "fmt", "--check"], cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_linter_finds_nothing(mpich: Stack, tmp_path: Path) -> None:
    _needs("cargo-clippy")
    if missing := why_not_ready(load_bindings()["rust"], mpich):
        pytest.skip(missing)
    places = ["--mpicc", mpich.mpicc, "--harness", str(build_harness(mpich)), "--into", str(tmp_path)]
    places += ["--applications", str(applications_folder())]
    done = subprocess.run(
        [mpich.python, FOLDER / "build_rust.py", *places, "--lint"],
        env=mpich.variables(),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert not any(tmp_path.iterdir())
