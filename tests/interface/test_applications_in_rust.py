"""The applications in Rust alone."""

import subprocess
from pathlib import Path

from compiled_applications import BINDINGS, FOLDER, Applications

from polympi.lab.stacks.stack import Stack


class TestRust(Applications):
    compiler = "cargo"

    @staticmethod
    def compile(name: str, stack: Stack, program: Path) -> None:
        """All programs, in the folder of this one."""
        if program.exists():
            return
        build = [stack.python, str(BINDINGS / "rust" / "build_rust.py"), "--mpicc", stack.mpicc]
        places = ["--folder", FOLDER / "rust", "--into", program.parent]
        places += ["--program", "wave", "--program", "inner_product"]
        # As mpicc links, the program finds its MPI where it was linked.
        finds_mpi = ["--", f"-Clink-arg=-Wl,-rpath,{Path(stack.libmpi).parent}"]
        subprocess.run([*build, *places, *finds_mpi], check=True, env=stack.variables())
