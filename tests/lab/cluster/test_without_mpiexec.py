"""A machine without ``mpiexec``: a stack of its compiler and ``srun`` measures in an allocation, and as a job."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from short_runs import ONE_CASE

from polympi.lab.bindings.manifest import default_bindings, load_bindings, python_requirements
from polympi.lab.cluster import manage, slurm
from polympi.lab.samples.store import RunDirectory
from polympi.lab.stacks.stack import Stack

pytestmark = [pytest.mark.system, pytest.mark.exclusive]

LAUNCHERS = re.compile(r"mpiexec|mpirun|orterun|orted|prte|prun|hydra")
EXEC = ["cluster", "exec", "--name", "t", "--"]
POLYMPI = [sys.executable, "-m", "polympi"]
RUN = ["run", *ONE_CASE, "--stack", "bare"]


def programs_without_launchers(folder: Path) -> Path:
    """A folder with all programs of PATH, and no launcher of any MPI."""
    folder.mkdir()
    for place in [*os.environ["PATH"].split(os.pathsep), "/usr/sbin"]:
        for program in Path(place).iterdir() if Path(place).is_dir() else ():
            if not LAUNCHERS.match(program.name) and not os.path.lexists(folder / program.name):
                (folder / program.name).symlink_to(program)
    return folder


def mpi_without_launchers(stack: Stack, folder: Path) -> Path:
    """The compiler of a copy of an MPI that has no launcher."""
    environment = Path(stack.mpicc).parents[1]
    compilers = {"mpicc", "opal_wrapper"}  # that of Open MPI is one program by many names

    def left_out(place: str, names: list[str]) -> list[str]:
        if Path(place) == environment / "bin":
            return [name for name in names if name not in compilers]
        return [name for name in names if name.startswith("python")]

    shutil.copytree(environment, folder, symlinks=True, ignore=left_out)
    return folder / "bin" / "mpicc"


def test_a_machine_without_mpiexec_measures_in_an_allocation_and_as_a_job(
    polympi, stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if reason := slurm.why_not():
        pytest.skip(reason)
    wheels = tmp_path / "wheels"  # the hosts of a cluster reach nothing but each other
    needed = python_requirements(default_bindings(load_bindings()))
    subprocess.run([stack.python, "-m", "pip", "download", "--quiet", "--dest", str(wheels), *needed], check=True)
    compiler = mpi_without_launchers(stack, tmp_path / "mpi")
    path = programs_without_launchers(tmp_path / "path")
    manage.up("t", 2, slurm=True)
    variables = {"PATH": path, "POLYMPI_HOME": tmp_path / "home", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": wheels}
    for name, value in variables.items():
        monkeypatch.setenv(name, str(value))
    assert shutil.which("srun")
    assert shutil.which("mpiexec") is None

    add = ["stack", "add", "bare", "--mpicc", str(compiler), "--launcher", "srun"]
    added = polympi(*EXEC, *POLYMPI, *add)
    assert added.exit_code == 0, added.text
    assert f"stack bare: {stack.library}" in added.text
    assert "building mpi4py" not in added.text  # its wheel serves: the library finds those beside it

    both = ["--binding", "c,mpi4py"]
    measured = polympi(*EXEC, "salloc", "-N", "2", *POLYMPI, *RUN, *both, "-o", str(tmp_path / "allocated"))
    assert measured.exit_code == 0, measured.text
    way = "pmix" if stack.family == "openmpi" else "pmi2"
    assert f" on t-1 and t-2, ranks are started by 'srun --mpi={way}' (bare)" in measured.text
    submitted = polympi(*EXEC, *POLYMPI, "submit", "--time", "5m", "--", *RUN, "-o", str(tmp_path / "submitted"))
    assert submitted.exit_code == 0, submitted.text
    for name in ("allocated", "submitted"):
        directory = RunDirectory.open(tmp_path / name)
        outcome, launches = directory.outcome(), directory.launches()
        assert outcome is not None
        assert (outcome.ended, outcome.withdrawn) == ("complete", {})
        assert {place.host for one in launches for place in one.places} == {"t-1", "t-2"}
