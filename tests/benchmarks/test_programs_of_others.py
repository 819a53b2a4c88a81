"""Programs that nobody here wrote: their ports, the table, and one of them launched in all ways."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import programs_of_others as programs
from mpi4py_suite import Source
from programs_of_others import Launch, Program

from polympi.lab.stacks.stack import Stack

ONE = Program(
    Source("one", "1.0", "0" * 64),
    "its tests",
    2,
    ("x.py",),
    ported=("one/it.py",),
    port=((r"old\((.)\)", r"new(\1)"),),
)


def test_a_port_replaces_what_is_usual_and_what_is_its_own(tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    (packages / "one").mkdir(parents=True)
    text = "from mpi4py import MPI as M\nsize = MPI.COMM_WORLD.Get_size()\nold(3)\nMPI.COMM_WORLD.Barrier()\nkept\n"
    (packages / "one" / "it.py").write_text(text)
    folder, changed = programs.port(ONE, packages)
    assert (folder / "one" / "it.py").read_text() == (
        "import polympi as M\nsize = MPI.world.size\nnew(3)\nMPI.world.barrier()\nkept\n"
    )
    assert changed == 4
    assert (packages / "one" / "it.py").read_text() == text


def test_a_row_has_ends_times_and_the_range_of_ratios() -> None:
    def launches(plain: float, accelerated: float, code: int | None = 0) -> dict[str, Launch]:
        return {"plain": Launch(0, plain, ""), "accelerated": Launch(code, accelerated, "")}

    rounds = [launches(2.0, 1.0), launches(2.0, 3.0, 9), launches(4.0, 4.0, None)]
    cells = [cell.strip() for cell in programs.row(ONE, rounds, 0).split("|")]
    assert cells[1:6] == [
        *("one 1.0", "its tests", "2", "3 passes, 2.0 s"),
        "1 passes, 1 code 9, 1 waits forever, 1.00 (0.50–1.50)",
    ]


@pytest.mark.slow
def test_a_program_ends_well_in_all_ways(mpich: Stack) -> None:
    (program,) = (program for program in programs.PROGRAMS if program.source.name == "mpi-list")
    try:
        line, good = programs.compare(program, mpich, 1)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"mpi-list cannot be fetched from the package index: {error}")
    assert good
    assert line.count("1 passes") == 3
