"""Run a compiler, or any command that builds something, for a stack."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from polympi.lab.errors import BuildError, system_reason
from polympi.lab.stacks.stack import Stack

_LAST_LINES = 15  # of what a build wrote that failed


def run_build(
    stack: Stack, command: Sequence[str], what: str, *, timeout_s: float, folder: Path | None = None, hint: str = ""
) -> None:
    """Run a command that builds something for a stack.

    Args:
        stack: whose variables it gets.
        command: the command.
        what: is built, the subject of a sentence.
        timeout_s: after which it is killed.
        folder: its working directory.
        hint: what to say after its output if it fails.

    Raises:
        BuildError: it does not start, does not end in time, or fails.
    """
    failed = f"{what} cannot be built for stack '{stack.name}'"
    try:
        done = subprocess.run(
            command, cwd=folder, env=stack.variables(), capture_output=True, text=True, timeout=timeout_s, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"{failed}: '{command[0]}': {system_reason(error)}.") from error
    if done.returncode != 0:
        last = "\n".join((done.stdout + done.stderr).splitlines()[-_LAST_LINES:])
        between = "\n" if "\n" in last else " "
        raise BuildError(f"{failed}:{between}{last}{hint}")
