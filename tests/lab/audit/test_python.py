"""Which lines of Python the recorder names."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from recorded import PROGRAMS, Recorded, record

from polympi.lab.stacks.stack import Stack

PLACES = PROGRAMS / "places.py"
CHECKOUT = Path(__file__).parents[3] / "src"


def line(program: Path, comment: str) -> int:
    """The number of the line that ends with a comment."""
    (found,) = (n for n, text in enumerate(program.read_text().splitlines(), 1) if text.endswith(f"  # {comment}"))
    return found


def places(one: Recorded, procedure: str) -> set[tuple[str, str, int]]:
    """Where a procedure was called: file, function and line."""
    return {(Path(call.file).name, call.function, call.line) for call in one.calls(procedure)}


def test_calls_by_mpi4py_and_ctypes_name_the_line_of_python(stack: Stack, tmp_path: Path) -> None:
    job = record(stack, 2, [stack.python, str(PLACES), stack.libmpi], tmp_path)
    assert (job.code, job.stderr) == (0, "")
    for one in job.ranks:
        assert places(one, "MPI_Sendrecv") == {("places.py", "arrays", line(PLACES, "arrays"))}
        assert places(one, "MPI_Mprobe") == {("places.py", "Exchange.objects", line(PLACES, "any object"))}
        assert places(one, "MPI_Barrier") == {
            ("places.py", "arrays.<locals>.nested", line(PLACES, "nested")),
            ("generated", "<module>", 1),
        }
        assert places(one, "MPI_Allreduce") == {("places.py", "generator", line(PLACES, "begin of a call"))}
        assert ("places.py", "<module>", line(PLACES, "ctypes")) in places(one, "MPI_Get_version")
        assert all(one.sites[call.values["site"]]["python"] for call in one.calls("MPI_Sendrecv"))


def test_calls_of_polympi_name_the_line_of_its_user(stack: Stack, tmp_path: Path) -> None:
    program = PROGRAMS / "with_polympi.py"
    variables = {"PYTHONPATH": os.pathsep.join([str(CHECKOUT), os.environ.get("PYTHONPATH", "")])}
    job = record(stack, 2, [stack.python, str(program)], tmp_path, variables=variables)
    assert job.code == 0, job.stderr
    lines = {call.line for one in job.ranks for call in one.calls() if Path(call.file) == program}
    assert {line(program, "send"), line(program, "recv")} <= lines
    assert not any(
        "/src/polympi/" in call.file and call.file.endswith(".py") for one in job.ranks for call in one.calls()
    )


def test_native_code_can_be_asked_for(stack: Stack, tmp_path: Path) -> None:
    job = record(stack, 2, [stack.python, str(PLACES), stack.libmpi], tmp_path, variables={"POLYMPI_AUDIT_PYTHON": "0"})
    one = job.ranks[1]
    assert {call.line for call in one.calls()} == {-1}
    assert any("mpi4py" in call.file for call in one.calls("MPI_Sendrecv"))


WITHOUT_MPI4PY = """
import ctypes, sys
mpi = ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
mpi.MPI_Init(None, None)
class A:
    def version(self):
        number = ctypes.c_int()

        mpi.MPI_Get_version(ctypes.byref(number),
                            ctypes.byref(number))
def gen():
    yield A().version()
list(gen())
mpi.MPI_Finalize()
"""


def pythons() -> dict[str, str]:
    """The interpreters on this machine from 3.10 on, by version: this one, the system's and those of pyenv."""
    found = {f"{sys.version_info.major}.{sys.version_info.minor}": sys.executable}
    places = [Path("/usr/bin"), Path("/usr/local/bin"), *Path.home().glob(".pyenv/versions/*/bin")]
    for path in sorted(path for place in places for path in place.glob("python3.1[0-9]")):
        found.setdefault(path.name.removeprefix("python"), str(path))
    return found


@pytest.mark.system
@pytest.mark.parametrize(("version", "python"), sorted(pythons().items()), ids=sorted(pythons()))
def test_every_python_names_its_lines(stack: Stack, tmp_path: Path, version: str, python: str) -> None:
    program = tmp_path / "é" / "program.py"
    program.parent.mkdir()
    program.write_text(WITHOUT_MPI4PY)
    job = record(stack, 0, [python, str(program), stack.libmpi], tmp_path / "audit")
    (one,) = job.ranks
    assert job.code == 0, job.stderr
    (call,) = one.calls("MPI_Get_version")
    function = "A.version" if version != "3.10" else "version"
    assert (call.file, call.function, call.line) == (str(program), function, 9)
