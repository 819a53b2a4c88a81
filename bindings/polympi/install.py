"""Put polympi's interface where the laboratory builds bindings, with a core compiled for the stack.

Usage: install.py PACKAGE --mpicc MPICC --into FOLDER [--compat]

What is measured is the polympi that the laboratory itself belongs to: the modules of the folder PACKAGE, but for the
laboratory, and its core compiled for this Python by its own ``native/build.py``, so that nothing is fetched. With
``--compat``, what stands in for older modules is there, too.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path


def main() -> int:
    """Copy and compile; the exit code is that of the compilation, which says in a sentence what it lacks."""
    parser = argparse.ArgumentParser(description="Install polympi's interface for a stack.")
    parser.add_argument("package", type=Path)
    parser.add_argument("--mpicc", required=True)
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--compat", action="store_true")
    given = parser.parse_args()
    native = given.into / "polympi" / "native"
    copy_modules(given.package, native.parent)
    copy_modules(given.package / "native", native)
    if given.compat:
        for module in (given.package / "compat").rglob("__init__.py"):
            copy_modules(module.parent, native.parent / module.parent.relative_to(given.package))
    copy_modules(given.package / "mpi4py", native.parent / "mpi4py")
    compiler = [
        sys.executable,
        str(given.package / "native" / "build.py"),
        "--mpicc",
        given.mpicc,
        "--into",
        str(native),
    ]
    return subprocess.run(compiler, check=False).returncode


def copy_modules(package: Path, into: Path) -> None:
    """Copy the Python modules of one folder: no extension module, which may be of another Python or another MPI."""
    into.mkdir(parents=True)
    for module in sorted(package.glob("*.py")):
        shutil.copy(module, into)


if __name__ == "__main__":
    sys.exit(main())
