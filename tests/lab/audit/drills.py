"""Starts programs that hang, and returns what is said about them."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cores import core_folder
from sharing import only_one_makes

from polympi.lab.audit.recorder import recorder_variables
from polympi.lab.audit.roll_call import RollCall
from polympi.lab.audit.starting import run_job
from polympi.lab.audit.watcher import Watcher
from polympi.lab.stacks.stack import Stack
from polympi.native import build

HERE = Path(__file__).parent / "programs"
STALL_S = 1.5  # of no progress; programs that are slow take longer than that on purpose
PYTHON = {"mpi4py": "hangs_mpi4py.py", "polympi": "hangs_polympi.py"}


@dataclass
class Said:
    """The roll calls of a job, and what was printed."""

    rolls: list[RollCall] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    exit_code: int = 0

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def compiled(stack: Stack, folder: Path) -> Path:
    """The programs in C, for a stack."""
    program = folder / f"hangs-{stack.name}"
    with only_one_makes("hangs"):
        if not program.exists():
            source = str(HERE / "hangs.c")
            command = [stack.mpicc, "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-o", str(program), source]
            subprocess.run(command, env=stack.variables(), check=True)
    return program


def command_of(stack: Stack, library: str, name: str, folder: Path, made: Path) -> list[str]:
    """The command of a rank; what reads has a pipe in which nothing comes."""
    pipe = folder / "pipe"
    if name == "reading":
        subprocess.run(["mkfifo", str(pipe)], check=True)
    program = [str(compiled(stack, made))] if library == "C" else [stack.python, str(HERE / PYTHON[library])]
    return [*program, name, str(pipe)]


def variables_of(stack: Stack, library: str) -> dict[str, str]:
    """What polympi needs to be found."""
    if library != "polympi":
        return {}
    return {"PYTHONPATH": str(build.SOURCES.parents[1]), "POLYMPI_CORE_FOLDER": str(core_folder(stack))}


def watch(
    stack: Stack, ranks: int, command: Sequence[str], folder: Path, *, to_the_end: bool = False, **more: str
) -> Said:
    """Run a job until ranks wait for each other, or to its end."""
    said = Said()

    def stop(roll: RollCall) -> bool:
        said.rolls.append(roll)
        return not to_the_end

    into = folder / "audit"
    into.mkdir()
    watcher = Watcher(into, STALL_S, said.lines.append)
    ended = run_job(stack, ranks, command, {**recorder_variables(into), **more}, watcher=watcher, stop=stop)
    said.exit_code = ended.exit_code
    return said
