"""Which tools are on this machine, and run on a stack's MPI."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from polympi.lab.stacks.stack import Stack
from polympi.lab.tools.tool import Tool

FOLDERS_VARIABLE = (
    "POLYMPI_TOOLS"  # folders of programs in addition to PATH, separated as PATH is; searched with all below them
)

_LOADS = re.compile(r"^\s*(\S+) => (/\S+)", re.MULTILINE)  # a line of ldd


@dataclass(frozen=True)
class FoundTool:
    """A tool that can be launched on a stack."""

    tool: Tool
    program: Path
    environment: dict[str, str]  # variables that it needs in addition to the stack's

    @property
    def name(self) -> str:
        """The name of the tool."""
        return self.tool.name


def find_tool(tool: Tool, stack: Stack) -> FoundTool | str:
    """The tool as it runs on a stack, or one clause that says why it does not.

    There may be a program for each MPI: the first that loads the MPI library of the stack is taken. One that was built
    with another copy of a library of the same name (Debian's Open MPI, say) loads the stack's, if that is found first.
    """
    programs = list(_programs(tool))
    if not programs:
        return f"it is not on PATH or in ${FOLDERS_VARIABLE}: {tool.get}"
    folder_of_mpi = str(Path(stack.libmpi).parent)
    inherited = stack.variables().get("LD_LIBRARY_PATH")
    first = {"LD_LIBRARY_PATH": os.pathsep.join([folder_of_mpi, inherited] if inherited else [folder_of_mpi])}
    for program in programs:
        for environment in ({}, first):
            if _loads(program, stack, environment):
                return FoundTool(tool, program, environment)
    return f"{programs[0]} does not load the MPI library of this stack: {tool.get}"


def _programs(tool: Tool) -> Iterator[Path]:
    for name in tool.programs:
        if path := shutil.which(name):
            yield Path(path)
    for folder in filter(None, os.environ.get(FOLDERS_VARIABLE, "").split(os.pathsep)):
        for name in tool.programs:
            yield from (p for p in sorted(Path(folder).absolute().rglob(name)) if p.is_file() and os.access(p, os.X_OK))


def _loads(program: Path, stack: Stack, environment: dict[str, str]) -> bool:
    """Whether the program would load the MPI library of the stack; a script and a static program load none."""
    try:
        said = subprocess.run(
            ["ldd", str(program)],
            env={**stack.variables(), **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=30,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return False
    wanted = Path(stack.libmpi).resolve()
    return any(Path(path).resolve() == wanted for _, path in _LOADS.findall(said))
