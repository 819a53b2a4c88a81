"""How tests run applications: with polympi, with mpi4py, and in C."""

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sharing import patience

from polympi.lab.process import run_tree
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack

FOLDER = Path(__file__).parents[2] / "examples" / "applications"
# Python would write a line and its end apart; Java would compile for speed what lives for a second.
SHORT_LIVED = {"PYTHONUNBUFFERED": "", "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1"}
FLAGS = ["-O2", "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wpedantic"]


@dataclass(frozen=True)
class Said:
    """What a program that ended with a code wrote."""

    code: int | None
    text: str

    def number(self, pattern: str) -> float:
        """The number that stands in the group of a pattern."""
        found = re.search(pattern, self.text)
        assert found, f"'{pattern}' is not in: {self.text}"
        return float(found[1])


def compiled(name: str, stack: Stack, folder: Path) -> Path:
    """The program in C, compiled for a stack."""
    program = folder / name
    sources = [str(FOLDER / "c" / f"{part}.c") for part in (name, f"{name}_main", "driver")]
    command = [stack.mpicc, *FLAGS, *sources, "-o", str(program), "-lm"]
    subprocess.run(command, check=True, env=stack.variables())
    return program


def launched(command: Sequence[str], ranks: int, stack: Stack, folder: Path) -> Said:
    """A program of another language or another module on ranks."""
    output = folder / "output.txt"
    ended = run_tree(
        mpiexec_command(stack, ranks, list(command), processors=1),
        environment={**stack.variables(), **patience(), **SHORT_LIVED},
        timeout_s=150,
        output=output,
        folder=folder,
    )
    return Said(ended.exit_code, output.read_text(errors="replace"))
