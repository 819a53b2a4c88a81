"""The applications in C# alone, with both of its runtimes."""

import subprocess
from pathlib import Path

from compiled_applications import FOLDER, Applications


def compile_for(runtime: str, start: str, stack, program: Path) -> None:
    """All programs, in the folder of this one, which is a script that starts the runtime."""
    options = [f"RUNTIME={runtime}", f"MPICC={stack.mpicc}", f"PYTHON={stack.python}", f"INTO={program.parent}"]
    if not (program.parent / "Polympi.Net.dll").exists():
        subprocess.run(["make", "-C", str(FOLDER / "csharp"), *options], check=True, env=stack.variables())
    program.write_text(f'#!/bin/sh\ncd "$(dirname "$0")" && exec {start} "$@"\n')
    program.chmod(0o755)


class TestMono(Applications):
    compiler = "mono"

    @staticmethod
    def compile(name: str, stack, program: Path) -> None:
        compile_for("mono", f"mono {name}.exe", stack, program)


class TestCoreClr(Applications):
    compiler = "mcs"

    @staticmethod
    def compile(name: str, stack, program: Path) -> None:
        compile_for("coreclr", f"dotnet/dotnet {name}.dll", stack, program)
