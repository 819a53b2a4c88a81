"""Compile the Rust programs, the benchmark and ``hello``, for the MPI of a stack.

python build_rust.py --mpicc MPICC --harness FOLDER --applications FOLDER --into FOLDER [--lint] [-- OPTION...]

Options behind -- go to rustc.

The crate ``mpi-sys`` reads mpi.h with libclang, which the stack's Python has. It comes without headers of a compiler,
such as stddef.h: those of the machine's compiler do.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent


def main() -> None:
    """Read the command line and compile."""
    parser = argparse.ArgumentParser(description="Compile the Rust programs for the MPI of a stack.")
    parser.add_argument("--mpicc", required=True)
    parser.add_argument("--harness", required=True)
    parser.add_argument("--applications", required=True, type=Path)
    parser.add_argument("--into", required=True, type=Path)
    parser.add_argument("--lint", action="store_true", help="check the sources with clippy instead")
    parser.add_argument("options", nargs="*", help="of the compiler, behind --")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.into, prefix="target-") as scratch:
        command = ["cargo", "clippy" if given.lint else "build", "--release", "--locked", "--quiet"]
        environment = {
            **os.environ,
            **variables(given.mpicc, given.harness),
            "POLYMPI_APPLICATIONS": str(given.applications),
            "RUSTFLAGS": " ".join([*os.environ.get("RUSTFLAGS", "").split(), *given.options]),
        }
        if subprocess.run([*command, "--target-dir", scratch], cwd=FOLDER, env=environment, check=False).returncode:
            sys.exit("cargo failed.")
        if not given.lint:
            for program in ("bench", "hello"):
                shutil.copy2(Path(scratch, "release", program), given.into / program)


def variables(mpicc: str, harness: str) -> dict[str, str]:
    """What the crates and build.rs ask the environment for."""
    headers = subprocess.run(["cc", "-print-file-name=include"], capture_output=True, text=True, check=True)
    return {
        "MPICC": mpicc,
        "POLYMPI_HARNESS": harness,
        "LIBCLANG_PATH": folder_of_libclang(),
        "BINDGEN_EXTRA_CLANG_ARGS": f"-isystem {headers.stdout.strip()}",
    }


def folder_of_libclang() -> str:
    """The library of PyPI's package ``libclang``."""
    package = importlib.util.find_spec("clang")
    if package is None or package.origin is None:
        sys.exit("The Python that builds has no package libclang.")
    return str(Path(package.origin).with_name("native"))


if __name__ == "__main__":
    main()
