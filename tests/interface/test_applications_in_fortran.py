"""The applications in Fortran alone."""

import subprocess
from pathlib import Path

import compilers
from compiled_applications import FOLDER, WARNINGS, Applications

from polympi.lab.stacks.stack import Stack


class TestFortran(Applications):
    compiler = "gfortran"

    @staticmethod
    def compile(name: str, stack: Stack, program: Path) -> None:
        sources = [str(FOLDER / "fortran" / f"{part}.f90") for part in ("driver", name, f"{name}_main")]
        command, linking = compilers.fortran(stack)
        options = ["-std=f2018", "-J", str(program.parent)]
        subprocess.run([*command, *WARNINGS, *options, *sources, "-o", str(program), *linking], check=True)
