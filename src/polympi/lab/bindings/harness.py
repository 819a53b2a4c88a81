"""The harness in C, compiled once for each stack: a static library to link programs with, and a shared one to load.

The shared library is also what every plan names for the common start of collective calls. The sources and the header
are in ``harness/c`` next to the bindings.
"""

import hashlib
import tempfile
from pathlib import Path

from polympi.lab.bindings.compiling import run_build
from polympi.lab.bindings.made_once import made_once
from polympi.lab.bindings.manifest import shipped_folder
from polympi.lab.home import home
from polympi.lab.stacks.prebuilt import HARNESS, prebuilt, put
from polympi.lab.stacks.stack import Stack

STATIC = "libpolympi_harness.a"
SHARED = "libpolympi_harness.so"
_FLAGS = ("-O2", "-std=c11", "-fPIC", "-fvisibility=hidden")
_TIMEOUT_S = 120.0  # it takes a few seconds


def harness_folder(stack: Stack) -> Path:
    """Where the libraries of a stack are or will be; other sources have another folder."""
    key = hashlib.sha256("\0".join((*_FLAGS, stack.mpicc, stack.library)).encode())
    if prebuilt(stack, HARNESS):
        key.update(b"prebuilt")
    for source in sorted(_sources().glob("*.[ch]")):
        key.update(source.read_bytes() + b"\0")
    return home() / "builds" / stack.name / f"harness-{key.hexdigest()[:12]}"


def build_harness(stack: Stack) -> Path:
    """The folder with the libraries of a stack; they are compiled unless they are there."""
    folder = harness_folder(stack)
    with made_once(folder) as made:
        if made and (ready := prebuilt(stack, HARNESS)):
            put(ready, stack, made)
        elif made:
            _compile(stack, made)
    return folder


def start_library(stack: Stack) -> Path:
    """The library that holds the common start of collective calls."""
    return build_harness(stack) / SHARED


def _sources() -> Path:
    return shipped_folder() / "harness" / "c"


def _compile(stack: Stack, into: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        objects = Path(scratch)
        sources = sorted(str(source) for source in _sources().glob("*.c"))
        _run(stack, [stack.mpicc, *_FLAGS, "-c", *sources], objects)
        compiled = sorted(str(part) for part in objects.glob("*.o"))
        _run(stack, ["ar", "rcs", str(into / STATIC), *compiled], objects)
        _run(stack, [stack.mpicc, "-shared", *compiled, "-lm", "-o", str(into / SHARED)], objects)


def _run(stack: Stack, command: list[str], folder: Path) -> None:
    run_build(stack, command, "The harness", timeout_s=_TIMEOUT_S, folder=folder)
