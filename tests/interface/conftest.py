"""Running Python programs on several ranks, on real MPI libraries, with this checkout's polympi."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import textwrap
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

from polympi.lab.launch.command import mpiexec_command
from polympi.lab.launch.process import run_tree
from polympi.lab.stacks.home import home
from polympi.lab.stacks.stack import Stack
from polympi.native import build

SANITIZE = bool(os.environ.get("POLYMPI_TEST_SANITIZE"))
PROCESSORS = len(os.sched_getaffinity(0))
KEPT_S = 24 * 3600.0  # a core that no session can be using any more


_uncompilable: dict[Path, str] = {}  # what was said when a core did not compile, lest every test tries again


@dataclass(frozen=True)
class Outcome:
    """How a program ended: the launcher's exit code (None when it was killed for time), and what all ranks wrote."""

    exit_code: int | None
    stdout: str
    stderr: str

    def __str__(self) -> str:
        return f"exit code {self.exit_code}\n--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}"

    def succeeded(self) -> str:
        """Standard output of a program that must have ended with code 0."""
        assert self.exit_code == 0, str(self)
        return self.stdout


class Run(Protocol):
    """Starts a Python program (its text, dedented) and waits for its end; no process of it outlives the call."""

    def __call__(
        self,
        script: str,
        ranks: int | None,
        stack: Stack,
        *,
        timeout: float = 60,
        env: Mapping[str, str] = ...,
        launched_by: Stack | None = None,
        arguments: Sequence[str] = (),
    ) -> Outcome:
        """Run the script.

        Args:
            script: text of the program.
            ranks: how many; None starts it without a launcher.
            stack: on which MPI, in whose environment.
            timeout: seconds after which it is killed.
            env: further variables of its environment.
            launched_by: the stack of the launcher, if it shall be another one.
            arguments: of the program.
        """


def core_folder(stack: Stack) -> Path:
    """The folder with the core compiled for a stack; compiled once for each state of the sources."""
    state = hashlib.sha256(repr((stack.mpicc, stack.library, stack.python, SANITIZE)).encode())
    for source in sorted([*build.SOURCES.glob("*.[ch]"), build.SOURCES / "build.py"]):
        state.update(source.name.encode() + source.read_bytes())
    folder = home() / "cores" / f"{stack.name}-{state.hexdigest()[:16]}"
    if folder in _uncompilable:
        pytest.fail(_uncompilable[folder], pytrace=False)
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        for outdated in folder.parent.iterdir():
            if outdated.stat().st_mtime < time.time() - KEPT_S:
                shutil.rmtree(outdated, ignore_errors=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            made = Path(scratch) / "core"
            command = [stack.python, str(build.SOURCES / "build.py"), "--mpicc", stack.mpicc, "--into", str(made)]
            command += ["--sanitize"] if SANITIZE else []
            done = subprocess.run(command, env=stack.variables(), capture_output=True, text=True, check=False)
            if done.returncode != 0:
                _uncompilable[folder] = done.stderr
                pytest.fail(done.stderr, pytrace=False)
            if not folder.exists():
                made.rename(folder)
    return folder


@pytest.fixture(scope="session")
def sanitizers() -> dict[str, str]:
    """Variables that let an interpreter, which is not sanitized itself, load a core that is.

    Python frees little at its end, so leaks are not looked for; its allocator would hide overruns of objects.
    """
    libraries = []
    for name in ("libasan.so", "libubsan.so"):
        said = subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True)
        libraries.append(str(Path(said.stdout.strip()).resolve()))
    return {
        "LD_PRELOAD": " ".join(libraries),
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:exitcode=99:use_sigaltstack=0",
        "UBSAN_OPTIONS": "print_stacktrace=1:exitcode=99",
        "PYTHONMALLOC": "malloc",
    }


@pytest.fixture
def run(tmp_path: Path, request: pytest.FixtureRequest) -> Run:
    """Runs a script on ranks of a stack; see :class:`Run`."""

    def start(
        script: str,
        ranks: int | None,
        stack: Stack,
        *,
        timeout: float = 60,
        env: Mapping[str, str] = {},
        launched_by: Stack | None = None,
        arguments: Sequence[str] = (),
    ) -> Outcome:
        program = tmp_path / "program.py"
        program.write_text(textwrap.dedent(script))
        python = [stack.python, str(program), *arguments]
        if SANITIZE:  # for the ranks alone: launchers are not what is examined
            variables: dict[str, str] = request.getfixturevalue("sanitizers")
            python = ["env", *(f"{name}={value}" for name, value in variables.items()), *python]
        launcher = launched_by or stack
        command = python if ranks is None else mpiexec_command(launcher, ranks, python, processors=PROCESSORS)
        output, errors = tmp_path / "stdout.txt", tmp_path / "stderr.txt"
        ended = run_tree(
            ["sh", "-c", 'exec "$@" 2>"$0"', str(errors), *command],
            environment={
                **launcher.variables(),
                "PYTHONPATH": str(build.SOURCES.parents[1]),
                "PYTHONUNBUFFERED": "",  # would let lines of several ranks run into one another
                "POLYMPI_CORE_FOLDER": str(core_folder(stack)),
                **env,
            },
            timeout_s=timeout * (10 if SANITIZE else 1),
            output=output,
            folder=tmp_path,
        )
        return Outcome(ended.exit_code, output.read_text(errors="replace"), errors.read_text(errors="replace"))

    return start
