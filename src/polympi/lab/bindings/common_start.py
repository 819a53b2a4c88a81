"""The common start of collective calls as a shared library, which programs in any language load.

It is compiled for each stack, once, from ``common_start/`` beside the bindings. Every plan names it.
"""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from pathlib import Path

from polympi.lab.bindings.manifest import shipped_folder
from polympi.lab.errors import BuildError
from polympi.lab.stacks.home import home
from polympi.lab.stacks.stack import Stack

_FLAGS = ("-O2", "-std=c11", "-shared", "-fPIC")
_TIMEOUT_S = 60.0  # it takes a fraction of a second


def common_start_library(stack: Stack) -> Path:
    """The library of a stack; compiled unless it is there.

    Raises:
        BuildError: it does not compile.
    """
    sources = shipped_folder() / "common_start"
    key = hashlib.sha256("\0".join((*_FLAGS, stack.mpicc, stack.library)).encode())
    for source in sorted(sources.glob("*.[ch]")):
        key.update(source.read_bytes())
    library = home() / "builds" / stack.name / f"common_start-{key.hexdigest()[:12]}.so"
    if not library.is_file():
        library.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=library.parent, prefix="common_start-") as scratch:
            made = Path(scratch) / library.name
            _compile(stack, [*_FLAGS, str(sources / "common_start.c"), "-o", str(made)])
            made.rename(library)
    return library


def _compile(stack: Stack, arguments: list[str]) -> None:
    try:
        done = subprocess.run(
            [stack.mpicc, *arguments],
            env=stack.variables(),
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"The compiler of stack '{stack.name}' does not work: '{stack.mpicc}': {error}.") from error
    if done.returncode != 0:
        last = "\n".join((done.stdout + done.stderr).splitlines()[-15:])
        raise BuildError(f"The common start cannot be compiled for stack '{stack.name}':\n{last}")
