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
    """Run a command that builds `what`, the subject of a sentence, with the variables of a stack.

    BuildError if it does not start, does not end in time, or fails; then it has the hint after its output.
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
