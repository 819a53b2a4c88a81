"""The budget of the hot path: instructions per call, as docs/core.md has them."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import hot_path

from polympi.lab.stacks.stack import Stack

COUNTS = {("send", "mpich", 8): 200, ("send", "openmpi", 8): 100, ("barrier", "mpich", 0): 50}
COUNTS |= {("barrier", "openmpi", 0): 60, ("send", "mpich", 65536): 900, ("send", "openmpi", 65536): 1000}


def test_a_renewed_table_has_the_counts_and_what_they_were_made_with() -> None:
    text = hot_path.renewed(hot_path.DOCUMENT.read_text(), COUNTS, "gcc 99 and CPython 3.99")
    assert hot_path.documented(text) == COUNTS
    assert "gcc 99 and CPython 3.99" in text
    assert hot_path.renewed(text, COUNTS, "gcc 99 and CPython 3.99") == text


def test_a_call_that_becomes_longer_or_shorter_is_named_and_a_repeated_count_is_not() -> None:
    within = {key: round(count * 1.02) for key, count in COUNTS.items()}
    assert hot_path.differences(within, COUNTS) == []
    for share in 0.95, 1.05:
        changed = COUNTS | {("send", "mpich", 8): round(200 * share)}
        (said,) = hot_path.differences(changed, COUNTS)
        assert said == f"send of 8 B on mpich takes {round(200 * share)} instructions, and 200 in docs/core.md"


def test_a_call_of_the_table_that_is_no_longer_counted_is_named() -> None:
    (said,) = hot_path.differences({key: COUNTS[key] for key in list(COUNTS)[1:]}, COUNTS)
    assert said == "('send', 'mpich', 8) is in one of them only"


def test_no_call_takes_more_instructions_than_its_budget(mpich: Stack, openmpi: Stack) -> None:
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed: apt install valgrind")
    text = hot_path.DOCUMENT.read_text()
    if hot_path.made_with() not in text:
        pytest.skip(f"the table was not made with {hot_path.made_with()}")
    assert hot_path.differences(hot_path.counted(mpich) | hot_path.counted(openmpi), hot_path.documented(text)) == []
