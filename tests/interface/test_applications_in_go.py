"""The applications in Go alone."""

import subprocess
from pathlib import Path

from compiled_applications import FOLDER, Applications

from polympi.lab.stacks.stack import Stack


class TestGo(Applications):
    compiler = "go"

    @staticmethod
    def compile(name: str, stack: Stack, program: Path) -> None:
        """As a user does in a checkout, where nothing is downloaded."""
        offline = {"CGO_ENABLED": "1", "CC": stack.mpicc, "GOPROXY": "off", "GOFLAGS": ""}
        command = ["go", "build", "-o", str(program), f"./cmd/{name}"]
        subprocess.run(command, cwd=FOLDER / "go", check=True, env=stack.variables() | offline)
