"""The bindings of Boost use the MPI of the stack, although their library was compiled for another one, and say what
they cannot do."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from polympi.lab.bindings.build import build, program_command, why_not_ready
from polympi.lab.bindings.harness import start_library
from polympi.lab.bindings.manifest import Binding, load_bindings, shipped_folder
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.system

TIMEOUT_S = 300
STARTED = re.compile(r"calling init: (\S+)")  # by the dynamic linker, once for each library of a process


def ready(stack: Stack, name: str) -> Binding:
    binding = load_bindings()[name]
    if missing := why_not_ready(binding, stack):
        pytest.skip(missing)
    return binding


def libraries_of_ranks(stack: Stack, name: str, folder: Path) -> list[set[Path]]:
    """All libraries that each rank of a launch loaded, from its beginning to its end."""
    binding = ready(stack, name)
    plan, told = folder / "plan", folder / "told"
    plan.write_text(f"polympi-plan 2\nwindow 1\nstart {start_library(stack)}\nend\n")
    program = program_command(binding, stack, build(binding, stack), plan, folder / "samples")
    linker = ["env", "LD_DEBUG=libs", f"LD_DEBUG_OUTPUT={told}"]
    command = mpiexec_command(stack, 2, [*linker, *program], processors=len(os.sched_getaffinity(0)))
    subprocess.run(command, env=stack.variables(), check=True, capture_output=True, timeout=TIMEOUT_S)
    of_processes = [set(STARTED.findall(each.read_text())) for each in folder.glob("told.*")]
    return [
        {Path(path).resolve() for path in loaded}
        for loaded in of_processes
        if any("libboost_mpi" in path for path in loaded)
    ]


@pytest.mark.parametrize("name", ["boost", "boost-python"])
def test_only_the_mpi_of_the_stack_is_loaded(openmpi: Stack, name: str, tmp_path: Path) -> None:
    ranks = libraries_of_ranks(openmpi, name, tmp_path)
    assert len(ranks) == 2
    for loaded in ranks:
        assert {path for path in loaded if path.name.startswith("libmpi.so")} == {Path(openmpi.libmpi).resolve()}
        assert len([path for path in loaded if path.name.startswith("libopen-pal.so")]) == 1


@pytest.mark.parametrize(
    ("plan", "complaint"),
    [
        ("polympi-plan 3\nend\n", "polympi-plan"),
        ("polympi-plan 2\nwindow 64\nstart /nowhere/s.so\nend\n", "cannot be loaded"),
        (f"polympi-plan 2\nwindow 1\nstart START\ncase 0 latency standard bytes {2**60} 1 1 1 1\nend\n", "Traceback"),
    ],
)
def test_python_ends_all_ranks_when_one_is_in_trouble(
    openmpi: Stack, plan: str, complaint: str, tmp_path: Path
) -> None:
    binding = ready(openmpi, "boost-python")
    path = tmp_path / "plan"
    path.write_text(plan.replace("START", str(start_library(openmpi))))
    program = program_command(binding, openmpi, build(binding, openmpi), path, tmp_path / "samples")
    command = mpiexec_command(openmpi, 2, program, processors=len(os.sched_getaffinity(0)))
    ended = subprocess.run(
        command, env=openmpi.variables(), capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert complaint in ended.stderr
    assert (ended.returncode == 3) == ("Traceback" not in ended.stderr)
    assert ended.returncode != 0


def test_without_debians_module_the_build_says_what_to_install() -> None:
    script = shipped_folder() / "boost_python" / "installed.py"
    ended = subprocess.run(
        ["/usr/bin/python3", "-IS", str(script)], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert ended.returncode == 1
    assert ended.stderr.endswith(": apt install python3-numpy libboost-mpi-python-dev.\n")
    assert len(ended.stderr.splitlines()) == 1
