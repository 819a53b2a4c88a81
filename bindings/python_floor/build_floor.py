"""Compile the extension module for a stack's Python and MPI.

Usage: build_floor.py MPICC OUTPUT
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path


def main(mpicc: str, output: str) -> int:
    """Compile; the exit code is the compiler's."""
    headers = sysconfig.get_path("include")
    if not Path(headers, "Python.h").is_file():
        print(f"Python's headers are not in {headers}: install them, for example with apt install python3-dev.")
        return 1
    module = Path(output, f"mpifloor{sysconfig.get_config_var('EXT_SUFFIX')}")
    source = Path(__file__).with_name("mpifloor.c")
    flags = ["-O3", "-DNDEBUG", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-fvisibility=hidden"]
    return subprocess.run([mpicc, *flags, f"-I{headers}", str(source), "-o", str(module)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
