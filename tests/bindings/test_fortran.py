"""Fortran on an MPI that has its own modules, and where there are none; the rest is in the conformance test."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from every_case import SMALLEST_FACE

from polympi.lab.bindings.build import build, missing_commands
from polympi.lab.bindings.manifest import load_bindings, shipped_folder
from polympi.lab.launch.launcher import Arm, Place, Setting, launch
from polympi.lab.records import PlannedCase
from polympi.lab.stacks.add import add_stack

pytestmark = pytest.mark.system

BUILD = shipped_folder() / "fortran" / "build_fortran.py"
COUNTS = {"warmup": 1, "batches": 1, "iterations": 2, "events": 1}
CASES = [
    ("latency", "standard", "float64", 1024),
    ("latency", "standard", "array", 69632),
    ("latency", "buffered-persistent", "dict", 24),
    ("bandwidth", "standard", "bytes", 8),
    ("faces", "elements", "float64", SMALLEST_FACE),
    ("alltoall", "standard", "array", 24),
]


@pytest.mark.parametrize("mpicc", ["mpicc.mpich", "mpicc.openmpi"])
def test_an_mpi_that_has_fortran_is_used_as_it_is(mpicc: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bindings = [load_bindings()[name] for name in ("fortran-f08", "fortran-mpi")]
    wrappers = [mpicc, mpicc.replace("mpicc", "mpifort")]
    if missing_commands(bindings[0]) or not all(map(shutil.which, wrappers)):
        pytest.skip(f"this machine lacks {', '.join(wrappers)} or gfortran")
    monkeypatch.setenv("POLYMPI_HOME", str(tmp_path))
    stack = add_stack("own", [], mpicc=mpicc)
    cases = {
        number: PlannedCase(benchmark=benchmark, mode=mode, payload=payload, size_bytes=size, **COUNTS)
        for number, (benchmark, mode, payload, size) in enumerate(CASES)
    }
    for binding in bindings:
        arm = Arm(binding, build(binding, stack))
        done = launch(Place(0, 0), arm, stack, cases, Setting(2, None, 2, tmp_path), timeout_s=120)
        assert done.record.outcome == "ok", f"{binding.name}: {done.record.detail}\n{done.record.stderr_tail}"
        assert done.samples.valid == set(cases)


def test_without_modules_the_build_says_what_to_install(tmp_path: Path) -> None:
    mpicc = tmp_path / "mpicc"
    mpicc.write_text("#!/bin/sh\nexit 1\n")
    mpicc.chmod(0o755)
    folders = [word for option in ("--harness", "--applications", "--into") for word in (option, tmp_path)]
    command = [sys.executable, BUILD, "--mpicc", mpicc, *folders]
    said = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert said.returncode == 1
    assert said.stderr.endswith("apt install gfortran mpich libmpich-dev.\n")
    assert said.stderr.count("\n") == 1
