"""Compile the core with an MPI's compiler wrapper: one extension module per ABI.

``python -m polympi.native.build`` compiles it for every MPI whose mpicc is on PATH or next to Python; with ``--mpicc
/opt/openmpi/bin/mpicc`` for that one. So a core for the MPI of a site is added to a polympi that is installed already.
The core of the serial backend needs no MPI.
The file needs nothing but the standard library, so that any interpreter can run it.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

SOURCES = Path(__file__).parent
SERIAL = "serial"  # what the core of the serial backend is called in the place of an ABI
SERIAL_MPI = Path("transport", "serial")  # its stand-in for MPI, below SOURCES
WRAPPERS = ("mpicc", "mpicc_abi", "mpicc.openmpi", "mpicc.mpich")  # the last two are Debian's
COMPILE = [
    "-std=gnu11",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-semantic-interposition",
    "-D_GNU_SOURCE",  # as Python's headers have it, whichever comes first
    "-Werror=implicit-function-declaration",  # the link would not notice: what MPI and Python define is open, too
    "-DNPY_NO_DEPRECATED_API=NPY_2_0_API_VERSION",
    "-DNPY_TARGET_VERSION=NPY_2_0_API_VERSION",
    "-DPY_ARRAY_UNIQUE_SYMBOL=polympi_array_api",
]
FAST = ["-O3", "-DNDEBUG"]
# Reports end the process, so that a test sees them; a sanitized core is loaded after libasan (LD_PRELOAD).
SANITIZE = ["-fsanitize=address,undefined"]
SANITIZED = ["-O1", "-g", "-fno-omit-frame-pointer", *SANITIZE, "-fno-sanitize-recover=all"]
COVERAGE = ["--coverage", "-fprofile-update=atomic"]  # several threads count
STRICT = ["-Wall", "-Wextra", "-Werror"]

# What most sources begin with. Parsed once for all of them, it takes a third less time to compile a core.
FIRST_HEADERS = """
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <mpi.h>
"""

# mpi.h says which ABI a wrapper compiles for. The standard's own ABI comes first: it is the same in all libraries.
ABI_QUESTION = """
#include <mpi.h>
#if defined(MPI_ABI_VERSION)
polympi_abi = abi
#elif defined(OPEN_MPI)
polympi_abi = openmpi
#elif defined(MPICH_VERSION) || defined(MPICH_NAME) || defined(I_MPI_VERSION) || defined(MVAPICH2_VERSION)
polympi_abi = mpich
#endif
"""


class BuildError(Exception):
    """The core's own sources do not compile or link."""


class PrerequisiteError(BuildError):
    """Something that compiling needs is not installed: a compiler, an MPI, Python's or NumPy's headers."""


class Target(NamedTuple):
    """The Python that a core is compiled for, by default the running interpreter.

    Attributes:
        headers: folders of its headers; none for those that are installed with it.
        suffix: what the name of its extension modules ends with.
    """

    headers: tuple[Path, ...] = ()
    suffix: str = sysconfig.get_config_var("EXT_SUFFIX")


HERE = Target()


class _Compiler(NamedTuple):
    """How sources become an extension module.

    Attributes:
        name: the compiler or the wrapper, as who has chosen it knows it.
        compiling: its command line with ``-c`` and the files to come.
        linking: that with ``-shared`` and the objects to come.
        each_by_itself: no header is parsed for all sources, so that one that includes too little does not compile, and
            gcov has the notes of the sources alone.
    """

    name: str
    compiling: list[str]
    linking: list[str]
    each_by_itself: bool


def compile_core(
    mpicc: str | Path,
    into: str | Path,
    *,
    sanitize: bool = False,
    coverage: bool = False,
    werror: bool = False,
    target: Target = HERE,
) -> Path:
    """Compile the core for a Python.

    The extension is not linked with the MPI library: :mod:`polympi.library` loads that first, whatever its file is
    called, and all cores are loaded the same way.

    Args:
        mpicc: the compiler wrapper of an MPI; a path, or a name on PATH.
        into: folder of the extension module, which replaces an older one of its name.
        sanitize: with AddressSanitizer and UndefinedBehaviorSanitizer, for tests.
        coverage: count which lines run, for gcov, whose notes are put next to the module; for tests.
        werror: warnings are errors.
        target: the Python.

    Returns:
        The extension module.

    Raises:
        PrerequisiteError: what compiling needs is missing.
        BuildError: the sources do not compile.
    """
    wrapper = _wrapper(mpicc)
    counting = COVERAGE if coverage else []
    options = [*_options(target, sanitize=sanitize, werror=werror), *counting]
    compiling, linking = _called_by(wrapper)
    linking += [*(SANITIZE if sanitize else []), *counting]
    compiler = _Compiler(wrapper, [*compiling, *options], linking, each_by_itself=werror or coverage)
    return _build(compiler, core_sources(), Path(into), f"core_{abi_of(wrapper)}", target)


def compile_serial(into: str | Path, *, sanitize: bool = False, werror: bool = False, target: Target = HERE) -> Path:
    """Compile the core of the serial backend, with ``$CC``, the C compiler that has compiled Python, or ``cc``.

    Args and exceptions are those of :func:`compile_core`.
    """
    command = _c_compiler()
    options = [f"-I{SOURCES / SERIAL_MPI}", *_options(target, sanitize=sanitize, werror=werror)]
    linking = [command, *(SANITIZE if sanitize else [])]
    compiler = _Compiler(command, [command, *options], linking, each_by_itself=werror)
    sources = [*core_sources(), *sorted((SOURCES / SERIAL_MPI).glob("*.c"))]
    return _build(compiler, sources, Path(into), f"core_{SERIAL}", target)


def core_sources() -> list[Path]:
    """The sources of a core for an MPI library."""
    return [source for source in sorted(SOURCES.rglob("*.c")) if source.parent != SOURCES / SERIAL_MPI]


def _options(target: Target = HERE, *, sanitize: bool, werror: bool) -> list[str]:
    # Where Debian's python3-numpy is installed, its older headers lie among those of Python: ours come before.
    headers = [_numpy_headers(), *(target.headers or [_python_headers()])]
    includes = [f"-I{SOURCES}", *(f"-isystem{folder}" for folder in headers)]
    return [*COMPILE, *(SANITIZED if sanitize else FAST), *(STRICT if werror else []), *includes]


def _build(compiler: _Compiler, sources: list[Path], into: Path, name: str, target: Target) -> Path:
    into.mkdir(parents=True, exist_ok=True)
    extension = into / f"{name}{target.suffix}"
    with tempfile.TemporaryDirectory(prefix="polympi-core-") as scratch:
        first = [] if compiler.each_by_itself else _parsed_once(compiler, Path(scratch))
        objects = [str(Path(scratch) / f"{number}-{source.stem}.o") for number, source in enumerate(sources)]

        def compile_one(source: Path, target: str) -> None:
            command = [*compiler.compiling, *first, f"-DCORE_NAME={name}", "-c", str(source), "-o", target]
            _run(command, source.name, compiler)

        with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
            list(pool.map(compile_one, sources, objects))
        linked = str(Path(scratch) / extension.name)
        _run([*compiler.linking, "-shared", "-pthread", *objects, "-lm", "-o", linked], "the core", compiler)
        for notes in Path(scratch).glob("*.gcno"):
            shutil.copy2(notes, into)
        _replace(linked, extension)
    return extension


def _parsed_once(compiler: _Compiler, scratch: Path) -> list[str]:
    """Options by which all sources share headers that are parsed already; none where the compiler cannot do that."""
    header = scratch / "first.h"
    header.write_text(FIRST_HEADERS)
    command = [*compiler.compiling, "-x", "c-header", str(header), "-o", f"{header}.gch"]
    done = subprocess.run(command, capture_output=True, check=False)
    return ["-include", str(header)] if done.returncode == 0 else []


def compile_all(
    into: str | Path, *, sanitize: bool = False, werror: bool = False, target: Target = HERE
) -> tuple[list[Path], list[BuildError]]:
    """Compile a core for each ABI that a compiler wrapper on PATH, or next to this Python, stands for.

    The first wrapper of an ABI counts. One that does not work is passed over. The core of the serial backend, which
    needs no MPI, is compiled in any case.

    Returns:
        The extension modules, the serial one last; and what was wrong with the wrappers that were passed over, or that
        there are none.
    """
    cores: dict[str, Path] = {}
    problems: dict[str, BuildError] = {}
    for wrapper in _wrappers():
        try:
            abi = abi_of(wrapper)
            if abi not in cores:
                cores[abi] = compile_core(wrapper, into, sanitize=sanitize, werror=werror, target=target)
        except BuildError as error:
            problems[str(error)] = error
    if not cores and not problems:
        problems[""] = PrerequisiteError("No MPI compiler wrapper (mpicc) was found on PATH or next to Python.")
    try:
        cores[SERIAL] = compile_serial(into, sanitize=sanitize, werror=werror, target=target)
    except BuildError as error:
        problems[str(error)] = error
    return list(cores.values()), list(problems.values())


def is_for_mpi(core: Path) -> bool:
    """Whether a core was compiled for an MPI library, and not for the serial backend."""
    return not core.name.startswith(f"core_{SERIAL}.")


def abi_of(mpicc: str | Path) -> str:
    """The ABI a wrapper compiles for: ``mpich``, ``openmpi``, or ``abi``, the standard's own (MPI 5.0, chapter 20).

    Raises:
        PrerequisiteError: it compiles nothing, or it is an MPI of another ABI.
    """
    command = [_wrapper(mpicc), "-E", "-P", "-x", "c", "-"]
    asked = subprocess.run(command, input=ABI_QUESTION, capture_output=True, text=True, check=False)
    if asked.returncode != 0:
        raise PrerequisiteError(
            f"{mpicc} cannot compile a C file that includes mpi.h: is a C compiler installed "
            f"(on Debian: apt install gcc libc6-dev)? It said: {_last_lines(asked.stderr)}"
        )
    for line in asked.stdout.splitlines():
        if line.startswith("polympi_abi = "):
            return line.split()[-1]
    raise PrerequisiteError(f"{mpicc} belongs to an MPI that has neither MPICH's, Open MPI's nor the standard's ABI.")


def _wrappers() -> Iterator[str]:
    folders = [*os.environ.get("PATH", "").split(os.pathsep), str(Path(sys.prefix, "bin"))]
    for folder in dict.fromkeys(filter(None, folders)):
        for name in WRAPPERS:
            if wrapper := shutil.which(name, path=folder):
                yield wrapper


def _wrapper(mpicc: str | Path) -> str:
    found = shutil.which(mpicc)
    if found is None:
        raise PrerequisiteError(
            f"There is no compiler wrapper '{mpicc}': give the path of an MPI's mpicc (--mpicc), "
            "or install an MPI that brings one (pip install mpich)."
        )
    return found


def _called_by(wrapper: str) -> tuple[list[str], list[str]]:
    """What a wrapper calls to compile, and to link without the MPI library; where it does not say, itself.

    The wrappers of MPICH are scripts, which take as long to begin as the compiler does for a small source.
    """
    compiling = _shown(wrapper, "-c", "core.c")
    if "-c" in compiling and "core.c" in compiling:
        compiling.remove("-c")
        compiling.remove("core.c")
    else:
        compiling = []
    linking = _shown(wrapper)
    linking = linking[: next((n for n, word in enumerate(linking) if word.startswith("-")), 0)]
    return compiling or [wrapper], linking or [wrapper]


def _shown(wrapper: str, *arguments: str) -> list[str]:
    """The command that a wrapper says it would run; nothing where it does not say."""
    said = subprocess.run([wrapper, "-show", *arguments], capture_output=True, text=True, check=False)
    return shlex.split(said.stdout) if said.returncode == 0 else []


def _c_compiler() -> str:
    of_python = (sysconfig.get_config_var("CC") or "cc").split()[0]
    for command in (os.environ.get("CC") or of_python, "cc", "gcc", "clang"):
        if compiler := shutil.which(command):
            return compiler
    raise PrerequisiteError("There is no C compiler: on Debian, apt install gcc libc6-dev.")


def _python_headers() -> Path:
    folder = Path(sysconfig.get_path("include"))
    if not (folder / "Python.h").is_file():
        raise PrerequisiteError(
            f"Python's C headers are missing ({folder / 'Python.h'}): on Debian, apt install python3-dev."
        )
    return folder


def _numpy_headers() -> Path:
    """NumPy's headers, found without importing it."""
    numpy = importlib.util.find_spec("numpy")
    for package in numpy.submodule_search_locations or [] if numpy else []:
        folder = Path(package) / "_core" / "include"
        if (folder / "numpy" / "arrayobject.h").is_file():
            return folder
    raise PrerequisiteError("NumPy's C headers are missing: pip install 'numpy>=2' for this Python.")


def _run(command: list[str], what: str, compiler: _Compiler) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(f"{what} did not compile with {compiler.name}: {_last_lines(done.stderr, 40)}")


def _replace(made: str, extension: Path) -> None:
    """Put a file in place in one step: processes that have mapped the old one keep it."""
    temporary = extension.with_name(f".{extension.name}.{os.getpid()}")
    shutil.copy2(made, temporary)
    temporary.replace(extension)


def _last_lines(text: str, count: int = 3) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return "\n".join(lines[-count:]) or "(nothing)"


def main() -> int:
    """The command line; the exit code is 1 where no core for an MPI is made, or one does not compile."""
    parser = argparse.ArgumentParser(prog="python -m polympi.native.build", description="Compile polympi for an MPI.")
    parser.add_argument("--mpicc", help="the compiler wrapper of an MPI [every one on PATH and next to Python]")
    parser.add_argument("--serial", action="store_true", help="only the core of the serial backend, without an MPI")
    parser.add_argument("--into", default=SOURCES, type=Path, help="folder of the core [that of polympi itself]")
    parser.add_argument("--sanitize", action="store_true", help="with AddressSanitizer, for tests")
    parser.add_argument("--coverage", action="store_true", help="with the counters of gcov, for tests (needs --mpicc)")
    parser.add_argument("--werror", action="store_true", help="warnings are errors")
    parser.add_argument("--headers", action="append", type=Path, help="folder of the headers of another Python")
    parser.add_argument("--suffix", default=HERE.suffix, help="of extension modules of that Python [%(default)s]")
    chosen = parser.parse_args()
    target = Target(tuple(chosen.headers or ()), chosen.suffix)
    options: dict[str, Any] = {"sanitize": chosen.sanitize, "werror": chosen.werror, "target": target}
    problems: list[BuildError] = []
    try:
        if chosen.serial:
            cores = [compile_serial(chosen.into, **options)]
        elif chosen.mpicc:
            cores = [compile_core(chosen.mpicc, chosen.into, coverage=chosen.coverage, **options)]
        else:
            cores, problems = compile_all(chosen.into, **options)
    except BuildError as error:
        cores, problems = [], [error]
    for core in cores:
        print(core)
    for problem in problems:
        print(problem, file=sys.stderr)
    compiled = all(isinstance(problem, PrerequisiteError) for problem in problems)
    made = chosen.serial or any(map(is_for_mpi, cores))
    return 0 if made and compiled else 1


if __name__ == "__main__":
    sys.exit(main())
