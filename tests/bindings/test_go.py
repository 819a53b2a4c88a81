"""The package of Go that the binding ``go`` brings: its own tests on two ranks, and Go's formatter and checks."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from polympi.lab.bindings.manifest import shipped_folder
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack

FOLDER = shipped_folder() / "go"
SECONDS = 300

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(shutil.which("go") is None, reason="it needs go: install Go 1.24 or later"),
]


def _go(stack: Stack, *arguments: str) -> None:
    offline = {"CGO_ENABLED": "1", "GOTOOLCHAIN": "local", "GOPROXY": "off", "GOWORK": "off", "GOFLAGS": ""}
    env = stack.variables() | offline | {"CC": stack.mpicc, "CGO_CFLAGS": f"-O2 -I{FOLDER.parent / 'harness/c'}"}
    done = subprocess.run(
        ["go", *arguments], cwd=FOLDER, env=env, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_passes_its_own_tests_on_two_ranks(stack: Stack, tmp_path: Path) -> None:
    program = tmp_path / "mpi.test"
    _go(stack, "test", "-c", "-o", str(program), "./mpi")
    command = [stack.mpiexec, "-n", "2", str(program), "-test.v", "-test.timeout", "60s"]
    done = subprocess.run(
        command, cwd=tmp_path, env=stack.variables(), capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    tests = Path(FOLDER, "mpi", "mpi_test.go").read_text().count("\nfunc Test") - 1  # without TestMain
    assert done.stdout.count("--- PASS: ") == 2 * tests


def test_ranks_that_end_first_are_not_taken_for_crashed(stack: Stack, tmp_path: Path) -> None:
    program = tmp_path / "mpi.test"
    _go(stack, "test", "-c", "-o", str(program), "./mpi")
    # Without C's exit handlers two of three such launches on MPICH are ended by their launcher.
    launch = mpiexec_command(stack, 8, [str(program), "-test.run", "^$"], processors=1)
    for _ in range(5):
        done = subprocess.run(
            launch, cwd=tmp_path, env=stack.variables(), capture_output=True, text=True, timeout=SECONDS, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_sources_are_formatted_and_checked(mpich: Stack) -> None:
    formatter = Path(os.path.realpath(shutil.which("go") or "")).with_name("gofmt")
    told = subprocess.run([formatter, "-l", FOLDER], capture_output=True, text=True, timeout=SECONDS, check=True)
    assert told.stdout == ""
    _go(mpich, "vet", "./...")
