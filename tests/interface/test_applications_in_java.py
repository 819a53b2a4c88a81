"""The applications in Java alone."""

import subprocess
from pathlib import Path

from compiled_applications import BINDINGS, FOLDER, Applications

from polympi.lab.stacks.stack import Stack


class TestJava(Applications):
    compiler = "java"

    @staticmethod
    def compile(name: str, stack: Stack, program: Path) -> None:
        """All programs, in the folder of this one."""
        if program.exists():
            return
        build = [stack.python, str(BINDINGS / "java" / "build_java.py"), "--mpicc", stack.mpicc]
        places = ["--applications", str(FOLDER), "--into", str(program.parent)]
        subprocess.run([*build, *places], check=True, env=stack.variables())
