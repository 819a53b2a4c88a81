"""The recorder: a library that a program loads before MPI's, and the variables to start a program with.

Each rank writes a file, whose layout is in ``layout.h`` and :mod:`polympi.lab.audit.layout`.
"""

import hashlib
import os
import platform
import shutil
import subprocess
from pathlib import Path

from polympi.lab.bindings.made_once import made_once
from polympi.lab.errors import BuildError, system_reason
from polympi.lab.home import PREBUILT, home

LIBRARY = "libpolympi_audit.so"
FOLDER_VARIABLE = "POLYMPI_AUDIT"  # the folder of the files, which must be there
EVENTS_VARIABLE = "POLYMPI_AUDIT_EVENTS"  # records of each thread's timeline
FORGET_VARIABLE = "POLYMPI_AUDIT_FORGET"  # set: files vanish with their ranks, as where only the cost matters
PYTHON_VARIABLE = "POLYMPI_AUDIT_PYTHON"  # 0: places in the program are those of native code only
WITHOUT_TIMELINE = 256  # records that are kept even so: the last ones say what a program did before it hung
_FLAGS = ("-O2", "-std=c11", "-shared", "-fPIC", "-fvisibility=hidden")
_LIBRARIES = ("-ldl", "-lpthread")
_TIMEOUT_S = 300.0  # it takes some five seconds
_LAST_LINES = 15  # of what a compiler wrote that failed


def recorder_library() -> Path:
    """The library, for every MPI on this kind of processor; compiled once unless it came with the laboratory.

    BuildError if there is no compiler, or it fails.
    """
    ready = PREBUILT / f"{platform.machine()}-audit" / LIBRARY
    if ready.is_file():
        return ready
    folder = home() / "builds" / f"audit-{_key()}"
    with made_once(folder) as made:
        if made:
            compile_recorder(made / LIBRARY)
    return folder / LIBRARY


def recorder_variables(
    folder: Path, *, events: int | None = None, python: bool = True, keep: bool = True
) -> dict[str, str]:
    """What to add to a program's environment so that each of its ranks writes a file into the folder.

    ``events`` is how many records of a timeline each thread keeps, or 0 for none; by default 262144, of 56 bytes each.
    Without ``python``, a place in the program is where native code calls MPI, also in a Python program. Files that are
    not to be kept vanish with their ranks.
    """
    before = os.environ.get("LD_PRELOAD", "")
    variables = {
        "LD_PRELOAD": f"{recorder_library()}:{before}" if before else str(recorder_library()),
        FOLDER_VARIABLE: str(folder.absolute()),
    }
    if events is not None:
        variables[EVENTS_VARIABLE] = str(max(events, WITHOUT_TIMELINE))
    if not python:
        variables[PYTHON_VARIABLE] = "0"
    if not keep:
        variables[FORGET_VARIABLE] = "1"
    return variables


def compile_recorder(into: Path) -> None:
    """Compile the library, by the compiler that ``CC`` names, else by ``cc``."""
    command = [*_compiler(), *_FLAGS, *map(str, _sources("*.c")), "-o", str(into), *_LIBRARIES]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"The audit's recorder can't be built: '{command[0]}': {system_reason(error)}.") from error
    if done.returncode != 0:
        last = "\n".join((done.stdout + done.stderr).splitlines()[-_LAST_LINES:])
        raise BuildError(f"The audit's recorder can't be built:\n{last}")


def _compiler() -> list[str]:
    if chosen := os.environ.get("CC"):
        return chosen.split()
    if shutil.which("cc") is None and shutil.which("zig"):
        return ["zig", "cc"]
    return ["cc"]


def _sources(pattern: str) -> list[Path]:
    return sorted(Path(__file__).parent.glob(pattern))


def _key() -> str:
    key = hashlib.sha256("\0".join((*_FLAGS, *_compiler(), platform.machine())).encode())
    for source in _sources("*.[ch]"):
        key.update(source.read_bytes() + b"\0")
    return key.hexdigest()[:12]
