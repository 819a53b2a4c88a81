"""C that comes compiled with the laboratory, for stacks on machines without a C compiler.

A wheel of the laboratory has a folder for each kind of processor and ABI, which ``packaging/wheels.py`` makes. In it
are a folder for each prebuilt binding, named after its manifest, one each for the harness and the check of a stack, and
the file ``compiler``, which names the compiler. :func:`put` replaces :data:`RUN_PATH` in them by the folder of the MPI
library.
"""

import functools
import platform
import shlex
import shutil
import subprocess
from pathlib import Path

from polympi.lab.errors import StackError
from polympi.lab.home import PREBUILT
from polympi.lab.stacks.stack import Stack

RUN_PATH = b"/" + b"polympi-prebuilt".ljust(1023, b"-")  # longer than paths are
CHECK, HARNESS = "stack-check", "harness"  # parts that are not of a binding
COMPILER = "compiler"


def abi_name(stack: Stack) -> str:
    """The ABI of a stack, as cores are called after it: Intel MPI has MPICH's."""
    return "openmpi" if stack.family == "openmpi" else "mpich"


def lacks_compiler(stack: Stack) -> bool:
    """Whether the compiler that the stack's wrapper would call is missing; not if the wrapper does not name it."""
    words = _shown(stack)
    return bool(words) and shutil.which(words[0], path=stack.variables()["PATH"]) is None


def from_wheels() -> bool:
    """Whether this laboratory was installed from a wheel, and polympi's interface with it."""
    return PREBUILT.is_dir()


def prebuilt(stack: Stack, part: str) -> Path | None:
    """The folder of what is compiled already and has to be used on a stack: none where there is a compiler."""
    folder = _of_abi(stack) / part
    return folder if folder.is_dir() and lacks_compiler(stack) else None


def put(prebuilt: Path, stack: Stack, into: Path) -> None:
    """Copy what is compiled already, to run on the MPI library of a stack."""
    folders = ":".join(word[2:] for word in _shown(stack) if word.startswith("-L")).encode()
    if len(folders) > len(RUN_PATH):
        raise StackError(f"The path of the MPI library of stack '{stack.name}' is too long for compiled programs.")
    for source in prebuilt.iterdir():
        copy = into / source.name
        copy.write_bytes(source.read_bytes().replace(RUN_PATH, folders.ljust(len(RUN_PATH), b"\0")))
        copy.chmod(0o755)


def compiler_text(stack: Stack) -> str:
    """What has compiled C for a stack that lacks a compiler, a clause; empty where nothing is compiled already."""
    said = _of_abi(stack) / COMPILER
    return f"none here; C came compiled by {said.read_text().strip()}" if said.is_file() else ""


def _of_abi(stack: Stack) -> Path:
    return PREBUILT / f"{platform.machine()}-{abi_name(stack)}"


def _shown(stack: Stack) -> list[str]:
    """The words of the command by which the stack's wrapper compiles and links; none if it does not say."""
    return _said(stack.mpicc, tuple(sorted(stack.variables().items())))


@functools.cache
def _said(mpicc: str, variables: tuple[tuple[str, str], ...]) -> list[str]:
    try:
        said = subprocess.run([mpicc, "-show"], env=dict(variables), capture_output=True, text=True, check=False)
    except OSError:  # compiling will report it
        return []
    return shlex.split(said.stdout) if said.returncode == 0 else []
