import platform
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from polympi.lab.bindings.core import build_core, core_folder
from polympi.lab.bindings.harness import SHARED, build_harness, harness_folder
from polympi.lab.stacks import prebuilt as prebuilt_module
from polympi.lab.stacks.check import checked
from polympi.lab.stacks.describe import describe, prebuilt_used
from polympi.lab.stacks.prebuilt import (
    CHECK,
    COMPILER,
    HARNESS,
    RUN_PATH,
    abi_name,
    lacks_compiler,
    prebuilt,
)
from polympi.lab.stacks.stack import Stack

SOURCE = Path(prebuilt_module.__file__).with_name("check.c")


@pytest.fixture
def compiled(stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stack:
    """The stack of the test without a compiler, in an empty home, with a check and a harness that are prebuilt."""
    folder = tmp_path / "prebuilt" / f"{platform.machine()}-{abi_name(stack)}"
    for part in (CHECK, HARNESS):
        (folder / part).mkdir(parents=True)
    said = subprocess.run([stack.mpicc, "-show"], capture_output=True, text=True, check=True).stdout
    words = [word for word in shlex.split(said) if "rpath" not in word and not word.startswith("-Wl,/")]
    link = [*words, "-x", "c", str(SOURCE), "-o", str(folder / CHECK / "check"), f"-Wl,-rpath,{RUN_PATH.decode()}"]
    subprocess.run([*link, *(word for word in words if word.startswith("-l")), "-ldl"], check=True)
    (folder / HARNESS / SHARED).write_text("prebuilt")
    (folder / COMPILER).write_text("clang 20 for tests\n")
    monkeypatch.setattr(prebuilt_module, "PREBUILT", folder.parent)
    monkeypatch.setenv("POLYMPI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MPICH_CC", "no-such-compiler")
    monkeypatch.setenv("OMPI_CC", "no-such-compiler")
    return stack


@pytest.mark.mpi
def test_without_a_compiler_prebuilt_programs_run_on_the_stack(compiled: Stack) -> None:
    assert lacks_compiler(compiled)
    found = checked(compiled).stack
    assert (found.library, found.libmpi) == (compiled.library, compiled.libmpi)
    assert (build_harness(compiled) / SHARED).read_text() == "prebuilt"


@pytest.mark.mpi
@pytest.mark.parametrize("of_wheel", [True, False])
def test_the_installed_core_is_measured_without_a_compiler_and_from_a_wheel(
    compiled: Stack, of_wheel: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if of_wheel:
        monkeypatch.delenv("MPICH_CC")
        monkeypatch.delenv("OMPI_CC")
        monkeypatch.setattr(sys, "executable", compiled.python)
    else:
        monkeypatch.setattr(prebuilt_module, "PREBUILT", tmp_path / "none")
    assert lacks_compiler(compiled) is not of_wheel
    native = tmp_path / "native"
    native.mkdir()
    (native / "build.py").touch()
    for abi in ("mpich", "openmpi", "abi", "serial"):
        (native / f"core_{abi}.so").write_text(abi)
    monkeypatch.setattr("polympi.lab.bindings.core._NATIVE", native)
    assert [core.read_text() for core in build_core(compiled).iterdir()] == [abi_name(compiled)]


@pytest.mark.mpi
def test_the_metadata_say_what_has_compiled(compiled: Stack) -> None:
    assert describe(compiled).compiler == "none here; C came compiled by clang 20 for tests"
    assert [finding.level for finding in prebuilt_used([compiled])] == ["note"]


@pytest.mark.mpi
def test_with_a_compiler_nothing_prebuilt_is_used(compiled: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = harness_folder(compiled), core_folder(compiled)
    monkeypatch.delenv("MPICH_CC")
    monkeypatch.delenv("OMPI_CC")
    assert (prebuilt(compiled, CHECK), prebuilt_used([compiled])) == (None, [])
    assert not {harness_folder(compiled), core_folder(compiled)} & {folders[0]}
    assert "none here" not in describe(compiled).compiler
