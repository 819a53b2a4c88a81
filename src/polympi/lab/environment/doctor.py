"""Checks before anything is measured: what would not work on this machine, and what would distort figures."""

import importlib.util
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from polympi.lab.catalogue import WINDOW
from polympi.lab.environment.findings import environment_findings
from polympi.lab.environment.record import record_environment
from polympi.lab.errors import system_reason
from polympi.lab.home import PREBUILT, home
from polympi.lab.session_folders import left_behind
from polympi.lab.units import format_bytes

OLDEST_PYTHON = (3, 10)  # requires-python of the package
STACK_BYTES = 500 * 10**6  # the largest stack, Intel MPI's wheel with mpi4py and NumPy, takes 0.4 GB on disk
LARGEST_MESSAGE = 2**22  # 4 MiB, the largest size measured by default

_COMPILERS = ("cc", "gcc", "clang")
_COMPILE_TIME_LIMIT_S = 30.0  # for one line of C; a compiler that takes longer is broken

_STYLES = {
    "ok": ("✓", "+", "green"),
    "note": ("·", "*", "cyan"),
    "warning": ("!", "!", "yellow"),
    "problem": ("✗", "x", "red"),
}
_WORSE = ("ok", "note", "warning", "problem")


@dataclass(frozen=True)
class Check:
    """The outcome of one check."""

    name: str  # what was looked at
    # `ok`, `note` (good to know), `warning` (figures suffer, or something optional is missing) or `problem` (measuring
    # will not work).
    status: str
    text: str  # what was found, in one sentence
    advice: str = ""  # what to try; empty when there is nothing to do
    hosts: tuple[str, ...] = ()  # of several hosts, those that it is about; empty for all, or for this machine


def diagnose(
    extra: Iterable[Check] = (),
    *,
    environment: Mapping[str, Any] | None = None,
    ranks: int = 2,
    stacks_folder: Path | None = None,
) -> list[Check]:
    """Check the tools, the room and the machine, for a run with this many ranks.

    Further checks are appended; they may be made on the way, after the default record of the machine.
    """
    environment = record_environment() if environment is None else environment
    return [
        *check_tools(stacks_folder),
        _check_memory(environment, ranks),
        *(Check(f.title, f.level, f.text, f.advice) for f in environment_findings(environment, ranks)),
        *_check_session_folders(),
        *extra,
    ]


def check_tools(stacks_folder: Path | None = None) -> list[Check]:
    """Check what is needed where stacks are installed and programs are built: tools, and room on the disk."""
    return [
        _check_python(sys.version_info[:3]),
        _check_venv(),
        _check_compiler(),
        _check_make(),
        _check_disk(home() if stacks_folder is None else stacks_folder),
    ]


def print_checks(checks: Iterable[Check], console: Console) -> None:
    """Print one line a check, with the advice below it where there is one."""
    for check in checks:
        sign, plain_sign, colour = _STYLES[check.status]
        line = Text(f"{plain_sign if console.options.ascii_only else sign} ", style=colour)
        line.append(check.name, style="bold").append(f"  {check.text}")
        console.print(line, soft_wrap=True)
        if check.advice:
            console.print(Text(f"  {check.advice}", style="dim"), soft_wrap=True)


def checks_json(checks: Iterable[Check], **more: Any) -> str:
    """The checks as JSON: ``status`` (the worst of all), ``checks``, and whatever else is given."""
    listed = list(checks)
    worst = max((check.status for check in listed), key=_WORSE.index, default="ok")
    return json.dumps({"status": worst, "checks": [asdict(check) for check in listed], **more}, indent=2)


def _check_python(version: tuple[int, ...]) -> Check:
    found = ".".join(map(str, version))
    if version[:2] >= OLDEST_PYTHON:
        return Check("python", "ok", f"Python {found}.")
    oldest = ".".join(map(str, OLDEST_PYTHON))
    return Check("python", "problem", f"Python {found} is too old.", f"Install Python {oldest} or newer.")


def _check_venv() -> Check:
    """Whether stacks can get their own environments; Debian has ``ensurepip`` in a separate package."""
    missing = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
    if missing:
        return Check(
            "venv",
            "problem",
            f"Python's module {missing[0]} is missing: stacks cannot get their own environments.",
            "On Debian and Ubuntu: sudo apt install python3-venv.",
        )
    return Check("venv", "ok", "Python can make environments for stacks.")


def _check_compiler() -> Check:
    """Whether a C program can be built and run (a compiler without headers or linker is none)."""
    names = [shlex.split(os.environ["CC"])[0]] if os.environ.get("CC", "").strip() else list(_COMPILERS)
    compiler = next((path for name in names if (path := shutil.which(name))), None)
    if compiler is None and PREBUILT.is_dir():
        return Check(
            "C compiler",
            "note",
            f"None of {', '.join(names)} is on the PATH: C is measured by prebuilt programs.",
            "To have it compiled for this processor, on Debian and Ubuntu: sudo apt install gcc libc6-dev.",
        )
    if compiler is None:
        return Check(
            "C compiler",
            "problem",
            f"None of {', '.join(names)} is on the PATH: the C reference cannot be built.",
            "On Debian and Ubuntu: sudo apt install gcc libc6-dev; without root: pip install ziglang.",
        )
    error = _compile(compiler)
    if error:
        return Check(
            "C compiler",
            "problem",
            f"{compiler} cannot build a program: {error}",
            "On Debian and Ubuntu: sudo apt install gcc libc6-dev.",
        )
    return Check("C compiler", "ok", f"{compiler} builds programs that run.")


def _compile(compiler: str) -> str | None:
    """Build and run the smallest useful program; the first line of what went wrong, or None."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "smallest.c"), Path(folder, "smallest")
        source.write_text('#include <stdio.h>\nint main(void) { return puts("") < 0; }\n')
        try:
            for command in ([compiler, "-o", str(program), str(source)], [str(program)]):
                done = subprocess.run(
                    command, capture_output=True, text=True, timeout=_COMPILE_TIME_LIMIT_S, check=False
                )
                if done.returncode != 0:
                    lines = [line for line in done.stderr.splitlines() if line.strip()]
                    return lines[0] if lines else f"it exited with code {done.returncode}"
        except subprocess.TimeoutExpired:
            return f"it did not end within {_COMPILE_TIME_LIMIT_S:.0f} s"
        except OSError as error:
            return system_reason(error)
    return None


def _check_make() -> Check:
    make = shutil.which("make")
    if make is None:
        return Check(
            "make",
            "warning",
            "make is not on the PATH: 'make compare' and 'make test' do not work, the polympi command does.",
            "On Debian and Ubuntu: sudo apt install make.",
        )
    return Check("make", "ok", f"{make} is there.")


def _check_disk(folder: Path) -> Check:
    existing = next((p for p in (folder, *folder.parents) if p.is_dir()), Path("/"))
    free = shutil.disk_usage(existing).free
    if free < STACK_BYTES:
        return Check(
            "disk",
            "problem",
            f"{format_bytes(free)} are free in {existing}; a stack takes up to {format_bytes(STACK_BYTES)}.",
            "Make room, or choose another place with POLYMPI_HOME.",
        )
    return Check("disk", "ok", f"{format_bytes(free)} are free in {existing} for stacks.")


def _check_memory(environment: Mapping[str, Any], ranks: int) -> Check:
    """Whether the buffers of the largest case fit: a rank sends from one and receives into one a message in flight."""
    needed = ranks * 2 * WINDOW * LARGEST_MESSAGE
    memory, limits = environment.get("memory") or {}, environment.get("limits") or {}
    amounts = [a for a in (memory.get("available_bytes"), limits.get("memory_bytes")) if a is not None]
    if not amounts:
        return Check("memory", "warning", "The system does not report how much memory is free.", "")
    free = min(amounts)
    if free < needed:
        return Check(
            "memory",
            "warning",
            f"{format_bytes(free)} are free; the buffers of {ranks} ranks take up to {format_bytes(needed)}.",
            "Stop other programs, raise the container's limit, or measure smaller messages (--sizes 1:64KiB).",
        )
    return Check("memory", "ok", f"{format_bytes(free)} are free; buffers take up to {format_bytes(needed)}.")


def _check_session_folders() -> Iterator[Check]:
    """What launchers of Open MPI that were killed have left: it keeps others from starting."""
    if left := [str(folder) for folder in left_behind(os.environ)]:
        yield Check(
            "killed launchers",
            "warning",
            f"Launchers or daemons of Open MPI that were killed have left folders ({len(left)}, the first is "
            f"{left[0]}): one that gets the same process id cannot start, and ends with code 213.",
            f"Remove those that are yours: rm -r {' '.join(left[:3])}{' ...' * (len(left) > 3)}",
        )
