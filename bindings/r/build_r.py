"""Build the glue between R and the harness, and write the commands that start R with the stack's MPI library.

Usage: build_r.py --mpicc MPICC --bindings FOLDER --applications FOLDER --harness FOLDER --into FOLDER
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
NO_RMPI = "R has no package Rmpi that it can load."
# Libraries that Debian's Rmpi names and does not use. They belong to Debian's Open MPI: with another one, whose own lie
# next to its libmpi, they would bring a second copy of half of it into the process, so empty ones take their place.
UNUSED = ("libopen-rte.so.40", "libopen-pal.so.40")
START = """#!/bin/sh
folder=$(dirname "$0")
{environment}exec Rscript --vanilla "$folder/{script}" "$folder" "$@"
"""


def main() -> int:
    """Build; the exit code is 0, or that of the compiler, or 1 after a sentence that says what is missing."""
    parser = argparse.ArgumentParser(description="Build the R binding for a stack.")
    parser.add_argument("--mpicc", required=True)
    parser.add_argument("--bindings", type=Path, required=True)
    parser.add_argument("--applications", type=Path, required=True)
    parser.add_argument("--harness", type=Path, required=True)
    parser.add_argument("--into", type=Path, required=True)
    given = parser.parse_args()
    if not told("Rscript", "-e", 'cat(system.file(package = "Rmpi"))'):
        print(NO_RMPI, file=sys.stderr)
        return 1
    includes = [*shlex.split(told("R", "CMD", "config", "--cppflags")), f"-I{given.bindings / 'harness' / 'c'}"]
    warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-cast-function-type"]  # R registers functions of any type by a cast
    sources = [*(str(FOLDER / name) for name in ("glue.c", "values.c")), str(given.harness / "libpolympi_harness.a")]
    glue = given.into / "glue.so"
    compiler = [given.mpicc, "-O2", "-shared", "-fPIC", *warnings, *includes, *sources, "-o", str(glue)]
    if code := subprocess.run(compiler, check=False).returncode:
        return code
    for script in (*FOLDER.glob("*.R"), *(given.applications / "r").glob("*.R")):
        shutil.copy(script, given.into)
    write_start(given.into, given.mpicc)
    return 0


def told(*command: str) -> str:
    """What a command prints; nothing where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def write_start(into: Path, mpicc: str) -> None:
    """The commands of one rank of the benchmark and of ``hello``, in which Rmpi finds the library of the stack."""
    search = folders_to_search(into, mpicc)
    environment = f'R_LD_LIBRARY_PATH="$folder":{":".join(map(shlex.quote, search))} ' if search else ""
    for name in ("bench", "hello"):
        start = into / name
        start.write_text(START.format(environment=environment, script=f"{name}.R"))
        start.chmod(0o755)


def folders_to_search(into: Path, mpicc: str) -> list[str]:
    """Where R has to look for libraries after ``into``, which gets some; nowhere if Rmpi is of this very Open MPI."""
    folders = [Path(folder) for folder in told(mpicc, "--showme:libdirs").split()]
    if any((folder / UNUSED[0]).exists() for folder in folders):
        return []
    for name in UNUSED:
        empty = ["-shared", "-x", "c", "/dev/null", f"-Wl,-soname,{name}", "-o", str(into / name)]
        subprocess.run([mpicc, *empty], check=True)
    # Rmpi opens libmpi.so, which is a real library only where its development files are installed as such.
    (into / "libmpi.so").symlink_to(next(path for folder in folders for path in folder.glob("libmpi.so.40")))
    return [str(folder) for folder in (*folders, Path(told("R", "RHOME"), "lib"))]


if __name__ == "__main__":
    sys.exit(main())
