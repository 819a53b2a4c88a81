"""How tests compile C++ and Fortran for the MPI of a stack, as the programs of these bindings are compiled."""

import runpy
from pathlib import Path

from polympi.lab.stacks.stack import Stack

BINDINGS = Path(__file__).parents[2] / "bindings"


def cxx(stack: Stack) -> tuple[list[str], dict[str, str]]:
    """The command that compiles and links C++, and its environment."""
    options = ["-std=c++17", "-Wpedantic", "-DMPICH_SKIP_MPICXX", "-DOMPI_SKIP_MPICXX"]
    wrapped = {**stack.variables(), "MPICH_CC": "g++", "OMPI_CC": "g++", "I_MPI_CC": "g++"}
    return [stack.mpicc, *options], wrapped


def fortran(stack: Stack) -> tuple[list[str], list[str]]:
    """The command that compiles Fortran with its modules of MPI, and what links it, which comes last."""
    script = runpy.run_path(str(BINDINGS / "fortran" / "build_fortran.py"))
    compiler, finding, linking = script["choose_compiler"](Path(stack.mpicc))
    return [*compiler, *finding], linking
