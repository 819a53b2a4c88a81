"""Operations that are repeated leave nothing behind; what is repeated and counted is in programs/leaks.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from polympi.lab.stacks.stack import Stack
from polympi.native import build

pytestmark = pytest.mark.mpi

PROGRAMS = Path(__file__).parent / "programs"


def test_nothing_grows_with_the_number_of_calls(run, stack: Stack) -> None:
    paths = f"{build.SOURCES.parents[1]}:{PROGRAMS}"
    run((PROGRAMS / "leaks.py").read_text(), 2, stack, env={"PYTHONPATH": paths}).succeeded()
