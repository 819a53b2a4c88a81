"""The package of Go that the binding ``go`` brings: its own tests on two ranks, and Go's formatter and checks.

That the cases of the benchmark run is in the conformance test.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from polympi.lab.bindings.harness import build_harness
from polympi.lab.bindings.manifest import applications_folder, shipped_folder
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack

FOLDER = shipped_folder() / "go"
SECONDS = 300

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(shutil.which("go") is None, reason="it needs go: install Go 1.24 or later"),
]


def _done(stack: Stack, *command: str | Path, **variables: str) -> None:
    offline = {"CGO_ENABLED": "1", "GOTOOLCHAIN": "local", "GOPROXY": "off", "GOFLAGS": "", **variables}
    env = stack.variables() | offline | {"CC": stack.mpicc, "CGO_CFLAGS": f"-O2 -I{FOLDER.parent / 'harness/c'}"}
    done = subprocess.run(command, cwd=FOLDER, env=env, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _build_test(stack: Stack, program: Path) -> None:
    _done(stack, "go", "test", "-c", "-o", program, "./mpi", GOWORK="off")


def test_the_package_passes_its_own_tests_on_two_ranks(stack: Stack, tmp_path: Path) -> None:
    program = tmp_path / "mpi.test"
    _build_test(stack, program)
    command = [stack.mpiexec, "-n", "2", str(program), "-test.v", "-test.timeout", "60s"]
    done = subprocess.run(
        command, cwd=tmp_path, env=stack.variables(), capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    tests = Path(FOLDER, "mpi", "mpi_test.go").read_text().count("\nfunc Test") - 1  # without TestMain
    assert done.stdout.count("--- PASS: ") == 2 * tests


def test_ranks_that_end_first_are_not_taken_for_crashed(stack: Stack, tmp_path: Path) -> None:
    program = tmp_path / "mpi.test"
    _build_test(stack, program)
    # Without C's exit handlers two of three such launches on MPICH are ended by their launcher.
    launch = mpiexec_command(stack, 8, [str(program), "-test.run", "^$"], processors=1)
    for _ in range(5):
        done = subprocess.run(
            launch, cwd=tmp_path, env=stack.variables(), capture_output=True, text=True, timeout=SECONDS, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("folder", [FOLDER, applications_folder() / "go"], ids=["binding", "applications"])
def test_sources_are_formatted(folder: Path) -> None:
    formatter = Path(os.path.realpath(shutil.which("go") or "")).with_name("gofmt")
    told = subprocess.run([formatter, "-l", folder], capture_output=True, text=True, timeout=SECONDS, check=True)
    assert told.stdout == ""


def test_vet_finds_nothing(mpich: Stack, tmp_path: Path) -> None:
    places = ["--applications", str(applications_folder()), "--into", str(tmp_path)]
    _done(mpich, mpich.python, FOLDER / "build_go.py", *places, "--vet")
    assert not any(tmp_path.iterdir())


def test_the_benchmark_is_built_where_the_applications_lie_elsewhere(mpich: Stack, tmp_path: Path) -> None:
    """As in a wheel, where one folder is not found from the other as in a checkout."""
    programs, applications, into = (tmp_path / name for name in ("a wheel's programs", "applications", "built"))
    shutil.copytree(FOLDER, programs / "go")
    shutil.copytree(applications_folder() / "go", applications / "go")
    into.mkdir()
    places = ["--applications", str(applications), "--into", str(into)]
    linked = f"{build_harness(mpich)}/libpolympi_harness.a -lm"
    _done(mpich, mpich.python, programs / "go" / "build_go.py", *places, CGO_LDFLAGS=linked)
    assert [path.name for path in into.iterdir()] == ["bench"]
