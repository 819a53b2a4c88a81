"""The applications in C++, Fortran, Go, Java and Rust alone."""

import subprocess
from pathlib import Path

import compilers
from compiled_applications import BINDINGS, FOLDER, WARNINGS, Applications


class TestCxx(Applications):
    compiler = "g++"

    @staticmethod
    def compile(name: str, stack, program: Path) -> None:
        sources = [str(FOLDER / "cxx" / f"{name}{part}.cpp") for part in ("", "_main")]
        command, variables = compilers.cxx(stack)
        subprocess.run([*command, *WARNINGS, *sources, "-o", str(program)], check=True, env=variables)


class TestFortran(Applications):
    compiler = "gfortran"

    @staticmethod
    def compile(name: str, stack, program: Path) -> None:
        sources = [str(FOLDER / "fortran" / f"{part}.f90") for part in ("driver", name, f"{name}_main")]
        command, linking = compilers.fortran(stack)
        options = ["-std=f2018", "-J", str(program.parent)]
        subprocess.run([*command, *WARNINGS, *options, *sources, "-o", str(program), *linking], check=True)


class TestGo(Applications):
    compiler = "go"

    @staticmethod
    def compile(name: str, stack, program: Path) -> None:
        """As a user does in a checkout, where nothing is downloaded."""
        offline = {"CGO_ENABLED": "1", "CC": stack.mpicc, "GOPROXY": "off", "GOFLAGS": ""}
        command = ["go", "build", "-o", str(program), f"./cmd/{name}"]
        subprocess.run(command, cwd=FOLDER / "go", check=True, env=stack.variables() | offline)


class TestJava(Applications):
    compiler = "java"

    @staticmethod
    def compile(name: str, stack, program: Path) -> None:
        places = ["--applications", str(FOLDER), "--into", str(program.parent)]
        build_all("java", stack, program, *places)


class TestRust(Applications):
    compiler = "cargo"

    @staticmethod
    def compile(name: str, stack, program: Path) -> None:
        # As mpicc links, the program finds its MPI where it was linked.
        finds_mpi = ["--", f"-Clink-arg=-Wl,-rpath,{Path(stack.libmpi).parent}"]
        places = ["--folder", str(FOLDER / "rust"), "--into", str(program.parent)]
        build_all("rust", stack, program, *places, "--program", "wave", "--program", "inner_product", *finds_mpi)


def build_all(language: str, stack, program: Path, *options: str) -> None:
    """All programs of a language, in the folder of this one, if it is not there yet."""
    if not program.exists():
        build = [stack.python, str(BINDINGS / language / f"build_{language}.py"), "--mpicc", stack.mpicc]
        subprocess.run([*build, *options], check=True, env=stack.variables())
