"""Put polympi's interface where the laboratory builds bindings, with the core that it has compiled for the stack.

Usage: install.py PACKAGE --core FOLDER --into FOLDER [--compat]

What is measured is the polympi that the laboratory itself belongs to: the modules of the folder PACKAGE, but for the
laboratory, so that nothing is fetched. With ``--compat``, what stands in for older modules is there, too.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path


def main() -> None:
    """Copy the modules, and the core next to those that load it."""
    parser = argparse.ArgumentParser(description="Install polympi's interface for a stack.")
    parser.add_argument("package", type=Path)
    parser.add_argument("--core", type=Path, required=True)
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
    for core in given.core.iterdir():
        shutil.copy(core, native)


def copy_modules(package: Path, into: Path) -> None:
    """Copy the Python modules of one folder: no extension module, which may be of another Python or another MPI."""
    into.mkdir(parents=True)
    for module in sorted(package.glob("*.py")):
        shutil.copy(module, into)


if __name__ == "__main__":
    main()
