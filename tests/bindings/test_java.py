"""What the package ``polympi.mpi`` for Java has beyond the cases of the conformance test: meshes of ranks."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

import pytest

from polympi.lab.bindings.manifest import applications_folder, shipped_folder
from polympi.lab.process import run_tree
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.system

BUILD = shipped_folder() / "java" / "build_java.py"
PROGRAM = Path(__file__).with_name("java") / "Meshes.java"
RANKS = 4


def test_ranks_in_a_mesh_find_their_neighbours(stack: Stack, tmp_path: Path) -> None:
    specification = importlib.util.spec_from_file_location(BUILD.stem, BUILD)
    assert specification is not None
    assert specification.loader is not None
    building = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(building)
    java = next((home for home in building.homes() if building.version(home) >= building.OLDEST), None)
    if java is None:
        pytest.skip(f"there is no Java from version {building.OLDEST} on")
    where = ["--mpicc", stack.mpicc, "--applications", str(applications_folder()), "--into", str(tmp_path)]
    subprocess.run([stack.python, str(BUILD), *where], check=True, env=stack.variables())
    classes = str(tmp_path / "classes")
    subprocess.run([*building.find_compiler(java), "-cp", classes, "-d", classes, str(PROGRAM)], check=True)
    building.write_start(tmp_path / "meshes", java, "Meshes", ())
    output = tmp_path / "output.txt"
    ended = run_tree(
        mpiexec_command(stack, RANKS, [str(tmp_path / "meshes")], processors=1),
        environment=stack.variables(),
        timeout_s=150,
        output=output,
        folder=tmp_path,
    )
    told = output.read_text(errors="replace")
    assert ended.exit_code == 0, told
    assert sorted(line for line in told.splitlines() if "is right" in line) == [
        f"rank {rank} is right" for rank in range(RANKS)
    ]
