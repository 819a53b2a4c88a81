"""What the recorder writes about programs in Fortran, by the machine's own MPI."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from recorded import PROGRAMS, TIMEOUT_S, recorded

from polympi.lab.audit.layout import State
from polympi.lab.audit.recorder import recorder_variables

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@pytest.mark.system
@pytest.mark.parametrize("module", ["mpi", "mpi_f08"])
@pytest.mark.parametrize("mpi", ["mpich", "openmpi"])
def test_messages_collectives_and_places_are_recorded(mpi: str, module: str, tmp_path: Path) -> None:
    compiler, launcher = shutil.which(f"mpifort.{mpi}"), shutil.which(f"mpiexec.{mpi}")
    if compiler is None or launcher is None:
        pytest.skip(f"needs Debian's {mpi}, and gfortran")
    source, program, folder = PROGRAMS / f"ring{module[3:]}.f90", tmp_path / "ring", tmp_path / "audit"
    subprocess.run([compiler, "-g", str(source), "-o", str(program)], check=True, timeout=TIMEOUT_S)
    folder.mkdir()
    given = [f"{name}={value}" for name, value in recorder_variables(folder).items()]
    more = ["--oversubscribe"] if mpi == "openmpi" else []
    command = [launcher, *more, "-n", "2", "env", *given, str(program)]
    done = subprocess.run(
        command, env={**os.environ, **AS_ROOT}, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for one in recorded(folder):
        (posted,), (reduced,) = one.calls("MPI_Irecv"), one.calls("MPI_Allreduce")
        assert one.state == State.FINALIZED
        assert one.pending() == []
        assert (posted.values["messages_received"], posted.values["bytes_received"]) == (5, 800)
        assert (reduced.values["calls"], reduced.values["bytes_sent"]) == (5, 400)
        assert Path(reduced.file).name == "ring"
        assert {int(event.values["peer"]) for event in one.events("MPI_Irecv")} == {1 - one.rank}
        assert [int(made["freed"]) for made in one.communicators] == [0, 0, 1]
        assert one.count("MPI_Finalize") == one.count("MPI_Comm_dup") == 1
