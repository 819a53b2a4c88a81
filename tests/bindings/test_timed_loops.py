"""Loops that time each iteration are made from the loops of a binding, with the same statements."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bindings" / "harness" / "python"))

from timed_loops import one_by_one


def exchange(call: Callable[[str], int], iterations: int) -> int:
    received = 0
    for _ in range(iterations):
        call("send")
        received = call("receive")
    return received


def test_a_loop_that_times_each_iteration_runs_its_statements_between_two_readings() -> None:
    events: list[str] = []

    def call(name: str) -> int:
        events.append(name)
        return len(events)

    times = array("q", bytes(8 * 2))
    assert one_by_one(exchange)(call, lambda: call("clock"), times) == 7
    assert events == 2 * ["clock", "send", "receive", "clock"]
    assert list(times) == [3, 3]


def test_all_cases_share_the_loop_to_which_the_interpreter_has_adapted() -> None:
    assert one_by_one(exchange) is one_by_one(exchange)


def test_what_is_not_a_loop_has_no_iterations_to_time() -> None:
    with pytest.raises(ValueError, match="one_by_one is not a loop"):
        one_by_one(one_by_one)
