"""Which tests are tried again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
OF_THE_INTERFACE = "tests/interface/test_names.py"
OF_THE_LABORATORY = "tests/lab/audit/test_watcher.py"


def second_try(path: str) -> int:
    """The exit code of the second try of a file's tests, all of which pass."""
    command = [sys.executable, "-m", "pytest", "-q", "--second-try", "-p", "no:cacheprovider", "-m", "not mpi", path]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, timeout=120, check=False).returncode


def test_those_of_the_interface_are_not() -> None:
    assert second_try(OF_THE_LABORATORY) == 0
    assert second_try(OF_THE_INTERFACE) == 1
