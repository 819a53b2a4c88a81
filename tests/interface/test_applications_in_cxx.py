"""The applications in C++ alone."""

import subprocess
from pathlib import Path

import compilers
from compiled_applications import FOLDER, WARNINGS, Applications

from polympi.lab.stacks.stack import Stack


class TestCxx(Applications):
    compiler = "g++"

    @staticmethod
    def compile(name: str, stack: Stack, program: Path) -> None:
        sources = [str(FOLDER / "cxx" / f"{name}{part}.cpp") for part in ("", "_main")]
        command, variables = compilers.cxx(stack)
        subprocess.run([*command, *WARNINGS, *sources, "-o", str(program)], check=True, env=variables)
