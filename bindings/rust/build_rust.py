"""Compile Rust programs, by default the benchmark and ``hello``, for the MPI of a stack.

python build_rust.py --mpicc MPICC --harness FOLDER --applications FOLDER --into FOLDER [--lint] [-- OPTION...]
python build_rust.py --mpicc MPICC --folder PACKAGE --program NAME... --into FOLDER [-- OPTION...]

Options behind -- go to rustc. What cargo makes on the way is thrown away; where CARGO_TARGET_DIR names a folder for it,
crates that do not depend on the MPI stay there, and the next build takes a quarter of the time.

The crate ``mpi-sys`` reads mpi.h with libclang, which the stack's Python has. It comes without headers of a compiler,
such as stddef.h: those of the machine's compiler do.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path


def main() -> None:
    """Read the command line and compile."""
    parser = argparse.ArgumentParser(description="Compile Rust programs for the MPI of a stack.")
    parser.add_argument("--mpicc", required=True)
    parser.add_argument("--harness", default="")
    parser.add_argument("--applications", default="")
    parser.add_argument("--into", required=True, type=Path)
    parser.add_argument("--folder", default=Path(__file__).parent, type=Path, help="of the package")
    parser.add_argument("--program", action="append", help="of the package; bench and hello by default")
    parser.add_argument("--lint", action="store_true", help="check the sources with clippy instead")
    parser.add_argument("options", nargs="*", help="of the compiler, behind --")
    given = parser.parse_args()
    environment = {
        **os.environ,
        **variables(given.mpicc),
        "POLYMPI_HARNESS": given.harness,
        "POLYMPI_APPLICATIONS": given.applications,
        "RUSTFLAGS": " ".join([*os.environ.get("RUSTFLAGS", "").split(), *given.options]),
    }
    lock(given.folder)
    with target_folder(given.into) as target:
        # Named, though it is this machine: then the flags are for the programs, and not for what builds them.
        machine = host()
        place = ["--release", "--locked", "--quiet", "--target", machine, "--target-dir", str(target)]
        # It does not see that the MPI is another one than before.
        cargo(["clean", *place, "--package", "mpi-sys"], given.folder, environment)
        cargo(["clippy" if given.lint else "build", *place], given.folder, environment)
        for program in [] if given.lint else given.program or ["bench", "hello"]:
            shutil.copy2(target / machine / "release" / program, given.into / program)


def lock(folder: Path) -> None:
    """The crates of a package without a Cargo.lock are those of the benchmark, which it is named instead of there."""
    if not (folder / "Cargo.lock").exists():
        crates = Path(__file__).with_name("Cargo.lock").read_text()
        [name] = re.findall('^name = ".*"$', (folder / "Cargo.toml").read_text(), re.MULTILINE)
        (folder / "Cargo.lock").write_text(crates.replace('name = "bench"', name))


def cargo(words: list[str], folder: Path, environment: dict[str, str]) -> None:
    """Run cargo in the folder of a package."""
    if subprocess.run(["cargo", *words], cwd=folder, env=environment, check=False).returncode:
        sys.exit(f"cargo {words[0]} failed.")


@contextlib.contextmanager
def target_folder(into: Path) -> Iterator[Path]:
    """Where cargo puts what it makes: a folder that is kept, for one build at a time, or one that goes afterwards."""
    if kept := os.environ.get("CARGO_TARGET_DIR"):
        Path(kept).mkdir(parents=True, exist_ok=True)
        with Path(kept, "one-build-at-a-time").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield Path(kept)
    else:
        with tempfile.TemporaryDirectory(dir=into, prefix="target-") as scratch:
            yield Path(scratch)


def host() -> str:
    """What Rust calls this machine."""
    said = subprocess.run(["cargo", "--version", "--verbose"], capture_output=True, text=True, check=True)
    return next(line.split()[1] for line in said.stdout.splitlines() if line.startswith("host:"))


def variables(mpicc: str) -> dict[str, str]:
    """What the crates ask the environment for."""
    headers = subprocess.run(["cc", "-print-file-name=include"], capture_output=True, text=True, check=True)
    return {
        "MPICC": mpicc,
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
