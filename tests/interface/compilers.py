"""How tests compile C++ and Fortran for the MPI of a stack, as the programs of these bindings are compiled."""

import importlib.util
from pathlib import Path
from types import ModuleType

from polympi.lab.stacks.stack import Stack

BINDINGS = Path(__file__).parents[2] / "bindings"


def script(language: str) -> ModuleType:
    """The script that builds a binding, which knows how its language finds a stack's MPI."""
    file = BINDINGS / language / f"build_{language}.py"
    specification = importlib.util.spec_from_file_location(file.stem, file)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def cxx(stack: Stack) -> tuple[list[str], dict[str, str]]:
    """The command that compiles and links C++, and its environment."""
    options = ["-std=c++17", "-Wpedantic", "-DMPICH_SKIP_MPICXX", "-DOMPI_SKIP_MPICXX"]
    wrapped = {**stack.variables(), "MPICH_CC": "g++", "OMPI_CC": "g++", "I_MPI_CC": "g++"}
    return [stack.mpicc, *options], wrapped


def fortran(stack: Stack) -> tuple[list[str], list[str]]:
    """The command that compiles Fortran with its modules of MPI, and what links it, which comes last."""
    compiler, finding, linking = script("fortran").choose_compiler(Path(stack.mpicc))
    return [*compiler, *finding], linking
