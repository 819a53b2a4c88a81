"""The serial backend: one rank, and no MPI library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from polympi.native import build

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="session")
def serial_core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with that core alone."""
    return build.compile_serial(tmp_path_factory.mktemp("serial"), werror=True).parent


def start(script: str, core: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    paths = f"{build.SOURCES.parents[1]}:{PROGRAMS}"
    environment = {**os.environ, "PYTHONPATH": paths, "POLYMPI_BACKEND": "serial", "POLYMPI_CORE_FOLDER": str(core)}
    return subprocess.run(
        [sys.executable, "-c", script],
        env={**environment, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("level", ["serialized", "multiple"])
@pytest.mark.parametrize("program", ["to_itself", "pieces", "reductions"])
def test_a_program_of_one_rank_runs_without_mpi(serial_core: Path, program: str, level: str) -> None:
    script = (PROGRAMS / f"{program}.py").read_text()
    ended = start(script, serial_core, POLYMPI_THREADS=level)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stderr
    assert ended.stdout.startswith("done")
    assert "with MPI" not in ended.stdout


def test_undelivered_messages_are_reported_at_the_end(serial_core: Path) -> None:
    script = "import polympi as mpi, numpy as np; mpi.world.isend(np.ones(10**6), 0, 7); r = mpi.world.irecv(0, 8)"
    ended = start(script, serial_core)
    assert ended.returncode == 1
    assert sorted(ended.stderr.splitlines()) == [
        "[rank 0] irecv(source=0, tag=8) got no message",
        "[rank 0] isend(dest=0, tag=7) was never received",
    ]


def test_mpi_is_finalised_and_cannot_be_used_again(serial_core: Path) -> None:
    script = """
import polympi as mpi
mpi.world.barrier()
mpi.finalize()
try:
    mpi.world.barrier()
except mpi.StateError as error:
    print(error)
"""
    ended = start(script, serial_core)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "MPI is finalised: no call is possible any more" in ended.stdout


def test_abort_ends_with_its_exit_code(serial_core: Path) -> None:
    assert start("import polympi as mpi; mpi.world; mpi.abort(7)", serial_core).returncode == 7


def test_it_says_what_it_is(serial_core: Path) -> None:
    ended = start("import polympi as mpi; print(mpi.world.size, mpi.library_version())", serial_core)
    assert ended.stdout == "1 polympi serial: one rank, no MPI library\n"


def test_a_launcher_of_several_processes_is_refused(serial_core: Path) -> None:
    ended = start("import polympi as mpi; mpi.world", serial_core, PMI_SIZE="4", PMI_RANK="0")
    assert ended.returncode == 1
    assert "started 4 processes, but POLYMPI_BACKEND asks for the serial backend" in ended.stderr.splitlines()[-1]


def test_a_child_of_a_rank_may_use_it(serial_core: Path) -> None:
    rank = {"PMI_SIZE": "4", "PMI_RANK": "2", "POLYMPI_RANK": "2 123 PMI_RANK=2 "}
    ended = start("import polympi as mpi; print(mpi.world.allreduce(5))", serial_core, **rank)
    assert (ended.returncode, ended.stdout) == (0, "5\n"), ended.stderr


def test_an_unknown_backend_and_a_missing_core_are_a_sentence_each(serial_core: Path, tmp_path: Path) -> None:
    ended = start("import polympi as mpi; mpi.world", serial_core, POLYMPI_BACKEND="cereal")
    assert ended.stderr.splitlines()[-1].endswith("POLYMPI_BACKEND is 'cereal': set it to mpi or serial.")
