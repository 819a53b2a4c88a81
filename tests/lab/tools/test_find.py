"""A tool is taken if it loads the MPI library of the stack."""

import subprocess
from pathlib import Path

import pytest

from polympi.lab.stacks.stack import Stack
from polympi.lab.tools.find import FoundTool, find_tool
from polympi.lab.tools.known import TOOLS

OSU = TOOLS["osu_latency"]
SOURCE = Path(__file__).with_name("osu_latency.c")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("POLYMPI_TOOLS", f"{tmp_path / 'nowhere'}:{tmp_path}")
    return tmp_path


def _built(stack: Stack, program: Path) -> Path:
    program.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([stack.mpicc, "-o", program, SOURCE], check=True, env=stack.variables())
    return program


def test_the_program_of_the_stack_is_found_among_others(folder: Path, mpich: Stack, openmpi: Stack) -> None:
    programs = {stack.name: _built(stack, folder / stack.name / "osu_latency") for stack in (mpich, openmpi)}
    _script(folder / "a script" / "osu_latency")
    for stack in (mpich, openmpi):
        found = find_tool(OSU, stack)
        assert isinstance(found, FoundTool)
        assert (found.program, found.environment) == (programs[stack.name], {})


def test_a_program_that_knows_no_folder_gets_the_library_of_the_stack(folder: Path, openmpi: Stack) -> None:
    part, program = folder / "part.o", folder / "osu_latency"
    subprocess.run([openmpi.mpicc, "-c", "-o", part, SOURCE], check=True, env=openmpi.variables())
    lenient = "-Wl,--unresolved-symbols=ignore-in-shared-libs"
    subprocess.run(["gcc", "-o", program, part, openmpi.libmpi, lenient], check=True)  # as a distribution builds it
    found = find_tool(OSU, openmpi)
    assert isinstance(found, FoundTool)
    assert found.environment["LD_LIBRARY_PATH"].split(":")[0] == str(Path(openmpi.libmpi).parent)


def test_another_program_is_refused_in_a_clause(folder: Path, mpich: Stack, openmpi: Stack) -> None:
    missing = find_tool(OSU, mpich)
    assert isinstance(missing, str)
    assert missing.startswith("it is not on PATH or in $POLYMPI_TOOLS: build OSU Micro-Benchmarks")
    _script(folder / "osu_latency")
    assert "osu_latency does not load the MPI library of this stack" in str(find_tool(OSU, mpich))
    _built(openmpi, folder / "of another" / "osu_latency")
    assert "does not load the MPI library of this stack" in str(find_tool(OSU, mpich))


def _script(program: Path) -> None:
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
