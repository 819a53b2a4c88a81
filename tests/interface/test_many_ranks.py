"""Many more ranks than processors: all calls give what they give on two, and end in time."""

from __future__ import annotations

from pathlib import Path

import pytest

from polympi.lab.stacks.stack import Stack

pytestmark = [pytest.mark.mpi, pytest.mark.large]

PROGRAMS = Path(__file__).parent / "programs"


def run_many(run, ranks: int, stack: Stack, timeout: float) -> None:
    # An array library of one thread a rank: 64 ranks that all start one for each processor start slowly.
    env = {"OPENBLAS_NUM_THREADS": "1"}
    ended = run(PROGRAMS / "many.py", ranks, stack, timeout=timeout, env=env)
    assert ended.succeeded().count("done") == ranks, str(ended)


@pytest.mark.parametrize("ranks", [8, 16, 32, 33])
def test_every_call_on_many_ranks(run, stack: Stack, ranks: int) -> None:
    run_many(run, ranks, stack, timeout=90)


def test_every_call_on_64_ranks(run, stack: Stack) -> None:
    run_many(run, 64, stack, timeout=240)
