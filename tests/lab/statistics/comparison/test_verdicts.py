"""The verdict on a change."""

from __future__ import annotations

import pytest

from polympi.lab.statistics.comparison.verdicts import exit_code_of, verdict_of_change, verdict_of_group
from polympi.lab.statistics.shifts import Shift

NARROW, WIDE = 0.02, 0.2


def change(estimate: float, reach: float) -> Shift:
    return Shift(estimate, estimate - reach, estimate + reach, 0.96)


@pytest.mark.parametrize(
    ("estimate", "reach", "floor", "found", "verdict"),
    [
        (0.3, WIDE, 0.05, True, "slower"),
        (-0.3, WIDE, 0.05, True, "faster"),
        (0.3, WIDE, 0.05, False, "unknown"),  # it may be chance
        (0.3, WIDE, 0.35, True, "unknown"),  # C against itself may have changed as much
        (0.3, WIDE, None, True, "unknown"),  # nobody knows how much C changed against itself
        (0.15, WIDE, 0.05, True, "unknown"),  # the interval includes none
        (0.09, NARROW, 0.05, True, "unknown"),  # it is below the threshold, or just above
        (0.05, NARROW, 0.01, True, "same"),  # it is there, and too small to count
        (0.05, NARROW, None, False, "same"),
        (0.0, WIDE, 0.05, False, "unknown"),  # no evidence is no evidence of none
    ],
)
def test_what_is_said_of_a_change(
    estimate: float, reach: float, floor: float | None, found: bool, verdict: str
) -> None:
    assert verdict_of_change(change(estimate, reach), floor, 0.1, found=found) == verdict


def test_without_an_interval_nothing_is_known() -> None:
    assert verdict_of_change(Shift(0.9, None, None, None), 0.0, 0.1, found=True) == "unknown"


@pytest.mark.parametrize(
    ("own", "rows", "verdict"),
    [
        ("same", ["same", "unknown"], "same"),
        ("same", ["same", "slower"], "slower"),
        ("faster", ["faster", "slower"], "slower"),
        ("slower", ["unknown", "unknown"], "slower"),
        ("same", ["same", "faster"], "faster"),
        ("unknown", ["same", "faster"], "unknown"),
        ("faster", ["unknown"], "faster"),
    ],
)
def test_one_row_makes_a_group_slower_and_cannot_make_it_known(own: str, rows: list[str], verdict: str) -> None:
    assert verdict_of_group(own, rows) == verdict


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [(["same", "faster"], 0), (["same", "unknown"], 3), (["unknown", "slower"], 1), (["same"], 0)],
)
def test_the_exit_code_tells_slower_before_unknown(verdicts: list[str], code: int) -> None:
    assert exit_code_of(verdicts) == code
