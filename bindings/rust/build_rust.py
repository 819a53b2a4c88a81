"""Compile the Rust program for the MPI of a stack.

python build_rust.py --mpicc MPICC --harness FOLDER --into FOLDER

The crate ``mpi-sys`` reads mpi.h with libclang. Where the machine has none, the one of PyPI's package ``libclang`` is
used, which has no headers of a compiler of its own: those of gcc do.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent
LLVM = ("/usr/lib/llvm-*/lib", "/usr/lib64", "/usr/lib64/llvm*/lib", "/usr/local/lib", "/opt/homebrew/opt/llvm/lib")


def main() -> None:
    """Read the command line and compile."""
    parser = argparse.ArgumentParser(description="Compile the Rust program for the MPI of a stack.")
    parser.add_argument("--mpicc", required=True)
    parser.add_argument("--harness", required=True)
    parser.add_argument("--into", required=True, type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.into, prefix="target-") as scratch:
        environment = {**os.environ, "MPICC": given.mpicc, "POLYMPI_HARNESS": given.harness, **libclang(Path(scratch))}
        command = ["cargo", "build", "--release", "--locked", "--quiet", "--target-dir", scratch]
        if subprocess.run(command, cwd=FOLDER, env=environment, check=False).returncode != 0:
            sys.exit("cargo failed.")
        shutil.copy2(Path(scratch, "release", "bench"), given.into / "bench")


def libclang(scratch: Path) -> dict[str, str]:
    """Variables that let the crate find a libclang: the user's, the machine's, or one that is installed here."""
    if "LIBCLANG_PATH" in os.environ:
        return {}
    found = next(folders_with_libclang(), None)
    if found is None:
        found = installed(scratch)
    return {"LIBCLANG_PATH": str(found), "BINDGEN_EXTRA_CLANG_ARGS": f"-isystem {headers_of_gcc()}"}


def folders_with_libclang() -> Iterator[Path]:
    """Folders of the machine in which there is a libclang."""
    patterns = list(LLVM)
    if shutil.which("llvm-config"):
        told = subprocess.run(["llvm-config", "--libdir"], capture_output=True, text=True, check=False)
        patterns.insert(0, told.stdout.strip() or LLVM[0])
    for pattern in patterns:
        for folder in sorted(Path("/").glob(pattern.lstrip("/")), reverse=True):
            if any(folder.glob("libclang.so*")) or any(folder.glob("libclang-[0-9]*.so*")):
                yield folder


def installed(scratch: Path) -> Path:
    """The folder of the libclang of PyPI."""
    packages = scratch / "packages"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", packages]
    done = subprocess.run([*command, "libclang>=16"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(
            f"There is no libclang on this machine (on Debian, apt install libclang-dev), nor on PyPI: {done.stderr}"
        )
    return packages / "clang" / "native"


def headers_of_gcc() -> str:
    """The folder of the compiler's own headers, such as stddef.h."""
    command = ["gcc", "-print-file-name=include"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
