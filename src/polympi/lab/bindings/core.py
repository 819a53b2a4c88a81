"""The core of polympi's interface, once for each stack, for all bindings that measure polympi.

It is compiled for the stack, unless polympi was installed from wheels, whose cores are what its users have. In a
command of a manifest, ``{core}`` is the folder of the extension module.
"""

import hashlib
import shutil
import sys
from pathlib import Path

from polympi.lab.bindings.compiling import run_build
from polympi.lab.bindings.made_once import made_once
from polympi.lab.bindings.sources import INTERFACE
from polympi.lab.home import home
from polympi.lab.stacks.prebuilt import abi_name, from_wheels, lacks_compiler
from polympi.lab.stacks.stack import Stack

_NATIVE = INTERFACE / "native"
_TIMEOUT_S = 600.0  # it takes some 8 seconds on two processors


def core_folder(stack: Stack) -> Path:
    """Where the core of a stack is or will be; other sources, another interpreter or MPI have another folder."""
    interpreter = str(Path(stack.python).resolve())  # names the version, for which an extension module is compiled
    key = hashlib.sha256("\0".join((stack.mpicc, stack.library, interpreter)).encode())
    for source in (_NATIVE / "build.py", *sorted(_NATIVE.rglob("*.[ch]"))):
        key.update(str(source.relative_to(_NATIVE)).encode() + b"\0" + source.read_bytes() + b"\0")
    for core in _installed(stack):
        key.update(core.read_bytes())
    return home() / "builds" / stack.name / f"core-{key.hexdigest()[:12]}"


def build_core(stack: Stack) -> Path:
    """The folder with the core of a stack; it is compiled unless it is there."""
    folder = core_folder(stack)
    with made_once(folder) as made:
        if made and (cores := _installed(stack)):
            for core in cores:
                shutil.copy(core, made)
        elif made:
            command = [stack.python, str(_NATIVE / "build.py"), "--mpicc", stack.mpicc, "--into", str(made)]
            run_build(stack, command, "The core of polympi", timeout_s=_TIMEOUT_S)
    return folder


def _installed(stack: Stack) -> list[Path]:
    """The cores that are installed with polympi, where a stack has this Python and they are to be measured.

    They are where they come from a wheel, and where none can be compiled.
    """
    same_python = Path(stack.python).resolve() == Path(sys.executable).resolve()
    measured = (from_wheels() and same_python) or lacks_compiler(stack)
    return sorted(_NATIVE.glob(f"core_{abi_name(stack)}.*")) if measured else []
