"""What tests of facades share: `python -m polympi ...` on ranks of a stack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import pytest

from polympi.lab.stacks.stack import Stack

PROGRAM = """
import runpy
runpy.run_module("polympi", run_name="__main__")  # as `python -m polympi` does; the script may replace sys.argv
"""


class Ended(Protocol):
    """How it ended: the launcher's exit code, and what all ranks wrote."""

    exit_code: int | None
    stdout: str
    stderr: str

    def succeeded(self) -> str:
        """Standard output of a program that must have ended with code 0."""


class RunAs(Protocol):
    """Starts `python -m polympi` with arguments, and waits for its end."""

    def __call__(
        self,
        arguments: Sequence[str],
        ranks: int | None,
        stack: Stack,
        *,
        timeout: float = 150,
        env: Mapping[str, str] = ...,
    ) -> Ended:
        """Run it; None ranks: without a launcher."""


@pytest.fixture
def run_as(run) -> RunAs:
    """Runs `python -m polympi --as pypar script.py` and the like; see :class:`RunAs`."""

    def start(
        arguments: Sequence[str],
        ranks: int | None,
        stack: Stack,
        *,
        timeout: float = 150,
        env: Mapping[str, str] = {},
    ) -> Ended:
        return run(PROGRAM, ranks, stack, timeout=timeout, env=env, arguments=arguments)

    return start
