"""The budget of the hot path: instructions per call, as docs/core.md has them."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import hot_path

from polympi.lab.stacks.stack import Stack

BUDGET = {("send", "mpich"): 200, ("send", "openmpi"): 100, ("barrier", "mpich"): 50, ("barrier", "openmpi"): 60}
PROFILE = """\
ob=/folder/core_mpich.so
fn=communicator_send
12 100
cob=/folder/libmpi.so
cfn=MPI_Isend
calls=1 0
13 4000
14 20
ob=/folder/libmpi.so
fn=MPI_Isend
90 4000
"""


def test_only_instructions_of_the_core_itself_are_counted() -> None:
    assert hot_path.of_core(PROFILE.splitlines()) == 120


def test_a_renewed_table_has_the_counts_and_the_compiler() -> None:
    text = hot_path.renewed(hot_path.DOCUMENT.read_text(), BUDGET, "gcc 99")
    assert hot_path.documented(text) == BUDGET
    assert "gcc 99" in text
    assert hot_path.renewed(text, BUDGET, "gcc 99") == text


def test_a_call_that_becomes_longer_is_named_and_a_repeated_count_is_not() -> None:
    assert hot_path.exceeded({key: round(count * 1.02) for key, count in BUDGET.items()}, BUDGET) == []
    (said,) = hot_path.exceeded(BUDGET | {("send", "mpich"): 210}, BUDGET)
    assert said == "send on mpich takes 210 instructions, and 200 in docs/core.md"


def test_a_call_without_a_row_in_the_table_is_named() -> None:
    (said,) = hot_path.exceeded(BUDGET | {("recv", "mpich"): 10}, BUDGET)
    assert said == "recv on mpich takes 10 instructions, and none in docs/core.md"


def test_no_call_takes_more_instructions_than_its_budget(stack: Stack) -> None:
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed: apt install valgrind")
    text = hot_path.DOCUMENT.read_text()
    if hot_path.compiler() not in text:
        pytest.skip(f"the table was not made with {hot_path.compiler()}")
    assert hot_path.exceeded(hot_path.counted(stack), hot_path.documented(text)) == []
