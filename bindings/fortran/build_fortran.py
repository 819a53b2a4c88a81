"""Compile the Fortran programs, both benchmarks and both ``hello``, for the MPI of a stack.

python build_fortran.py --mpicc MPICC --harness FOLDER --applications FOLDER --into FOLDER [-- OPTION...]

Options behind -- go to the compiler.

An MPI with Fortran has its own ``mpifort`` beside ``mpicc``. The wheels of MPICH and Open MPI have none. For these the
modules and the libraries under them are those of the machine's package of the same MPI, which call the wheel's libmpi.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

SOLVERS = ["inner_product.f90", "wave.f90"]  # of the applications, which the program calls
SOURCES = [  # in the order in which modules use each other
    "harness.f90",
    "loops.f90",
    "applications.f90",
    "messages.F90",
    "latency_modes.F90",
    "latency_persistent.F90",
    "latency_ready.F90",
    "windows.F90",
    "collectives.F90",
    "faces.F90",
    "layouts.F90",
    "lists.F90",
    "ring.F90",
    "strings.F90",
    "arrays.F90",
    "array_collectives.F90",
    "choices.F90",
    "cases.F90",
    "bench.F90",
]
# What C calls back has arguments that not every function uses.
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-dummy-argument"]
OPTIONS = ["-cpp", "-std=f2018", "-fimplicit-none", *WARNINGS]
PACKAGES = {"mpich": "mpich libmpich-dev", "openmpi": "openmpi-bin libopenmpi-dev"}
# MPICH 5 has dropped these, which the package's library of Fortran still mentions, and which no program here calls.
DROPPED = [f"-Wl,--defsym=PMPIX_Delete_error_{what}=0" for what in ("class", "code", "string")]


def main() -> None:
    """Read the command line and compile."""
    parser = argparse.ArgumentParser(description="Compile the Fortran programs for the MPI of a stack.")
    parser.add_argument("--mpicc", required=True, type=Path)
    parser.add_argument("--harness", required=True, type=Path)
    parser.add_argument("--applications", required=True, type=Path)
    parser.add_argument("--into", required=True, type=Path)
    parser.add_argument("options", nargs="*", help="of the compiler, behind --")
    given = parser.parse_args()
    options = [*OPTIONS, *given.options]
    compiler, finding_modules, linking = choose_compiler(given.mpicc)
    for name, definition in (("f08", ["-DUSE_MPI_F08"]), ("mpi", [])):
        modules = given.into / name
        modules.mkdir()
        solvers = [str(given.applications / "fortran" / solver) for solver in SOLVERS]
        sources = [*solvers, *(str(Path(__file__).with_name(source)) for source in SOURCES)]
        made = [*options, *definition, *finding_modules, "-J", str(modules), *sources]
        library = str(given.harness / "libpolympi_harness.a")
        run([*compiler, *made, library, "-o", str(given.into / f"bench-{name}"), *linking, "-lm"])
        hello = str(Path(__file__).with_name(f"hello_{name}.f90"))
        run([*compiler, *options, *finding_modules, hello, "-o", str(given.into / f"hello-{name}"), *linking])


def choose_compiler(mpicc: Path) -> tuple[list[str], list[str], list[str]]:
    """The compiler, its options that find the modules of MPI, and those that link with MPI."""
    own = mpicc.with_name(mpicc.name.replace("mpicc", "mpifort"))
    if own.exists():
        return [str(own)], [], []
    family = "openmpi" if succeeds([str(mpicc), "--showme:version"]) else "mpich"
    wrapper = shutil.which(f"mpifort.{family}")
    if wrapper is None:
        sys.exit(
            f"The MPI of this stack has no Fortran modules, and the machine has no mpifort.{family} whose modules fit: "
            f"on Debian, apt install gfortran {PACKAGES[family]}."
        )
    package = shlex.split(run([wrapper, "-show"]))
    stack = [part for part in shlex.split(run([str(mpicc), "-show"])) if part.startswith(("-L", "-l", "-Wl,"))]
    return ["gfortran"], modules_of(package), libraries_of(family, package, stack)


def modules_of(package: list[str]) -> list[str]:
    """The options of a wrapper that say where modules are."""
    return [part for part in package if part.startswith("-I")]


def libraries_of(family: str, package: list[str], stack: list[str]) -> list[str]:
    """The stack's own MPI, and the package's libraries of Fortran, which must not bring another MPI.

    MPICH's is linked statically, because the shared one loads the package's libmpich. Those of Open MPI load
    libmpi.so.40, which is the stack's by then. They mention functions that Open MPI 5 has dropped and no program here
    calls.
    """
    folders = [part for part in package if part.startswith("-L")]
    if family == "mpich":
        return [*in_front(stack), *folders, "-l:libmpichfort.a", *DROPPED]
    fortran = [part for part in package if part.startswith("-lmpi_")]
    return [*in_front(stack), "-Wl,--allow-shlib-undefined", *folders, *fortran]


def in_front(stack: list[str]) -> list[str]:
    """The stack's MPI as a library that is loaded before all others."""
    return ["-Wl,--push-state,--no-as-needed", *stack, "-Wl,--pop-state"]


def succeeds(command: list[str]) -> bool:
    """Whether a command ends with code 0."""
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def run(command: list[str]) -> str:
    """Run a command and return what it says; its failure ends the build with its message."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{Path(command[0]).name} failed: {done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
