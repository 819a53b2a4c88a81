"""What tests compile of the core: made once for each state of its sources, and kept for later sessions."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from sharing import only_one_makes

from polympi.lab.bindings import core as of_bindings
from polympi.lab.errors import BuildError
from polympi.lab.home import home
from polympi.lab.stacks.stack import Stack
from polympi.native import build

SANITIZE = bool(os.environ.get("POLYMPI_TEST_SANITIZE"))
COVERAGE = os.environ.get("POLYMPI_TEST_COVERAGE")  # a folder, for cores that count for gcov and what they counted
KEPT_S = 24 * 3600.0  # a core that no session can be using any more

_uncompilable: dict[Path, str] = {}  # what the compiler reported, so that not every test tries again


class DoesNotCompileError(Exception):
    """With what the compiler said."""


def compiled(name: str, made_with: object, compile_into: Callable[[Path], None], *further: Path) -> Path:
    """The folder with something compiled of the sources of the core.

    Args:
        name: of the folder, before the mark of its content.
        made_with: whose text names compilers and options.
        compile_into: compiles into a folder, or raises :class:`DoesNotCompileError`.
        further: sources beside those of the core.
    """
    state = hashlib.sha256(repr((made_with, SANITIZE)).encode())
    for source in sorted([*build.SOURCES.rglob("*.[ch]"), build.SOURCES / "build.py", *further]):
        state.update(source.name.encode() + source.read_bytes())
    folder = (Path(COVERAGE) if COVERAGE else home() / "cores") / f"{name}-{state.hexdigest()[:16]}"
    if folder in _uncompilable:
        pytest.fail(_uncompilable[folder], pytrace=False)
    if not folder.is_dir():
        with only_one_makes():
            if not folder.is_dir():
                _compile(folder, compile_into)
    return folder


def _compile(folder: Path, compile_into: Callable[[Path], None]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    for outdated in folder.parent.iterdir():
        if outdated.stat().st_mtime < time.time() - KEPT_S:
            shutil.rmtree(outdated, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        made = Path(scratch) / "core"
        made.mkdir()
        try:
            compile_into(made)
        except DoesNotCompileError as error:
            _uncompilable[folder] = str(error)
            pytest.fail(str(error), pytrace=False)
        made.rename(folder)


def core_folder(stack: Stack) -> Path:
    """The folder with the core compiled for a stack: that which bindings have, or one for what is looked for here."""
    if not (SANITIZE or COVERAGE):
        return _of_bindings(stack)
    command = [stack.python, str(build.SOURCES / "build.py"), "--mpicc", stack.mpicc]
    command += [*(["--sanitize"] if SANITIZE else []), *(["--coverage"] if COVERAGE else [])]

    def compile_into(folder: Path) -> None:
        whole = [*command, "--into", str(folder)]
        done = subprocess.run(whole, env=stack.variables(), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise DoesNotCompileError(done.stderr)

    return compiled(stack.name, (stack.mpicc, stack.library, stack.python), compile_into)


def _of_bindings(stack: Stack) -> Path:
    folder = of_bindings.core_folder(stack)
    if folder in _uncompilable:
        pytest.fail(_uncompilable[folder], pytrace=False)
    try:
        with contextlib.nullcontext() if folder.is_dir() else only_one_makes():
            return of_bindings.build_core(stack)
    except BuildError as error:
        _uncompilable[folder] = str(error)
        pytest.fail(str(error), pytrace=False)
