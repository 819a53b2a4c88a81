"""The applications in other languages than Python and C alone: exact, and one sentence about bad options."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import compilers
import pytest
from application_programs import FOLDER, launched

from polympi.lab.stacks.stack import Stack

pytestmark = [pytest.mark.mpi, pytest.mark.third_language]

BINDINGS = FOLDER.parents[1] / "bindings"
COMPILERS = {
    "cxx": "g++",
    "fortran": "gfortran",
    "rust": "cargo",
    "java": "java",
    "go": "go",
    "csharp-mono": "mono",
    "csharp-coreclr": "mcs",
}
WARNINGS = ["-O2", "-Wall", "-Wextra", "-Werror"]


def compile_cxx(name: str, stack: Stack, program: Path) -> None:
    sources = [str(FOLDER / "cxx" / f"{name}{part}.cpp") for part in ("", "_main")]
    command, variables = compilers.cxx(stack)
    subprocess.run([*command, *WARNINGS, *sources, "-o", str(program)], check=True, env=variables)


def compile_fortran(name: str, stack: Stack, program: Path) -> None:
    sources = [str(FOLDER / "fortran" / f"{part}.f90") for part in ("figures", name, f"{name}_main")]
    command, linking = compilers.fortran(stack)
    options = ["-std=f2018", "-J", str(program.parent)]
    subprocess.run([*command, *WARNINGS, *options, *sources, "-o", str(program), *linking], check=True)


def compile_rust(name: str, stack: Stack, program: Path) -> None:
    """All programs of the package, in the folder of this one."""
    finds = "from build_rust import *; print(folder_of_libclang())"
    libclang = subprocess.run(
        [stack.python, "-c", finds], cwd=BINDINGS / "rust", check=True, capture_output=True, text=True
    )
    headers = subprocess.run(["cc", "-print-file-name=include"], check=True, capture_output=True, text=True)
    environment = {
        **stack.variables(),
        "MPICC": stack.mpicc,
        "LIBCLANG_PATH": libclang.stdout.strip(),
        "BINDGEN_EXTRA_CLANG_ARGS": f"-isystem {headers.stdout.strip()}",
        # As mpicc links, the program finds its MPI where it was linked.
        "RUSTFLAGS": f"-Clink-arg=-Wl,-rpath,{Path(stack.libmpi).parent}",
    }
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--bin", name, "--target-dir", str(program.parent)]
    subprocess.run(command, cwd=FOLDER / "rust", check=True, env=environment)
    program.symlink_to(program.parent / "release" / name)


def compile_java(name: str, stack: Stack, program: Path) -> None:
    """All programs, in the folder of this one."""
    build = [stack.python, str(BINDINGS / "java" / "build_java.py"), "--mpicc", stack.mpicc]
    places = ["--applications", str(FOLDER), "--into", str(program.parent)]
    if not program.exists():
        subprocess.run([*build, *places], check=True, env=stack.variables())


def compile_go(name: str, stack: Stack, program: Path) -> None:
    """As a user does in a checkout, where nothing is downloaded."""
    offline = {"CGO_ENABLED": "1", "CC": stack.mpicc, "GOPROXY": "off", "GOFLAGS": ""}
    command = ["go", "build", "-o", str(program), f"./cmd/{name}"]
    subprocess.run(command, cwd=FOLDER / "go", check=True, env=stack.variables() | offline)


def compile_csharp(runtime: str, start: str, name: str, stack: Stack, program: Path) -> None:
    """All programs, in the folder of this one, which is a script that starts the runtime."""
    options = [f"RUNTIME={runtime}", f"MPICC={stack.mpicc}", f"PYTHON={stack.python}", f"INTO={program.parent}"]
    if not (program.parent / "Polympi.Net.dll").exists():
        subprocess.run(["make", "-C", str(FOLDER / "csharp"), *options], check=True, env=stack.variables())
    program.write_text(f'#!/bin/sh\ncd "$(dirname "$0")" && exec {start} "$@"\n')
    program.chmod(0o755)


COMPILE = {
    "cxx": compile_cxx,
    "fortran": compile_fortran,
    "rust": compile_rust,
    "java": compile_java,
    "go": compile_go,
    "csharp-mono": lambda name, *place: compile_csharp("mono", f"mono {name}.exe", name, *place),
    "csharp-coreclr": lambda name, *place: compile_csharp("coreclr", f"dotnet/dotnet {name}.dll", name, *place),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory):
    """Compiles a program of a language for a stack, once."""
    programs: dict[tuple[str, str, str], Path] = {}

    def make(language: str, name: str, stack: Stack) -> Path:
        if shutil.which(COMPILERS[language]) is None:
            pytest.skip(f"there is no {COMPILERS[language]}")
        if (language, name, stack.name) not in programs:
            program = tmp_path_factory.getbasetemp() / f"{language}-{stack.name}" / name
            program.parent.mkdir(exist_ok=True)  # cargo finds there what it has built for the other program
            COMPILE[language](name, stack, program)
            programs[language, name, stack.name] = program
        return programs[language, name, stack.name]

    return make


@pytest.mark.parametrize("language", COMPILERS)
@pytest.mark.parametrize("mode", [[], ["--overlapped"]], ids=["blocking", "overlapped"])
def test_waves_follow_the_scheme_on_any_number_of_ranks(built, stack: Stack, tmp_path: Path, language, mode) -> None:
    program = str(built(language, "wave", stack))
    away = set()
    for ranks in (1, 2, 4, 8):  # of eight, each has neighbours along all axes
        said = launched([program, "--mesh", "24", "--steps", "60", *mode], ranks, stack, tmp_path)
        assert said.code == 0, said.text
        first = f"24^3 points, 60 steps, {ranks} rank{'s' * (ranks > 1)}, {'overlapped' if mode else 'blocking'}\n"
        assert first in said.text
        assert said.number(r"largest error: (\S+) against the closed form") < 1e-12
        away.add(said.number(r"scheme, (\S+) "))
    assert len(away) == 1  # from the wave itself, as much on any number of ranks


@pytest.mark.parametrize("language", COMPILERS)
def test_waves_converge_as_dx_squared(built, stack: Stack, tmp_path: Path, language) -> None:
    program = str(built(language, "wave", stack))
    errors = []
    for edge, steps in ((17, 40), (33, 80)):
        said = launched([program, "--mesh", str(edge), "--steps", str(steps)], 2, stack, tmp_path)
        errors.append(said.number(r"scheme, (\S+) "))
    assert 3.5 < errors[0] / errors[1] < 4.5


@pytest.mark.parametrize("language", COMPILERS)
@pytest.mark.parametrize("length", [1, 3, 100001])
def test_inner_products_are_exact(built, stack: Stack, tmp_path: Path, language, length) -> None:
    program = str(built(language, "inner_product", stack))
    exact = sum(1 + i % 3 for i in range(length))
    for ranks in (1, 2, 4):
        said = launched([program, "--length", str(length), "--iterations", "3"], ranks, stack, tmp_path)
        assert said.code == 0, said.text
        assert said.number(r"inner product: (\S+),") == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("language", COMPILERS)
@pytest.mark.parametrize(
    "asked",
    [
        ("wave --mesh 3", "too small"),
        ("wave --mesh 12x", "usage: wave"),
        ("wave --mesh", "usage: wave"),
        ("wave --steps -1", "usage: wave"),
        ("wave --speed 1", "usage: wave"),
        ("inner_product --length 0", "usage: inner_product"),
        ("inner_product --length 1000000000000000", "no memory"),
        ("inner_product fast", "usage: inner_product"),
    ],
    ids=lambda asked: asked[0],
)
def test_bad_options_are_one_sentence(built, stack: Stack, tmp_path: Path, language, asked) -> None:
    words, sentence = asked
    name, *arguments = words.split()
    said = launched([str(built(language, name, stack)), *arguments], 2, stack, tmp_path)
    lines = [line for line in said.text.splitlines() if sentence in line]
    assert len(lines) == 1, said.text
    assert said.code == 2
