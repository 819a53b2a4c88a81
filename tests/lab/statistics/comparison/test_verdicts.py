"""Verdicts on changes, and the launches that they need."""

import numpy as np
import pytest

from polympi.lab.statistics.comparison.verdicts import (
    MOST_LAUNCHES,
    exit_code_of,
    launches_needed,
    verdict_of_change,
    verdict_of_group,
)
from polympi.lab.statistics.shifts import Shift, shift

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
    ("verdicts", "code"), [(["same", "faster"], 0), (["same", "unknown"], 3), (["unknown", "slower"], 1), (["same"], 0)]
)
def test_the_exit_code_is_that_of_slower_before_unknown(verdicts: list[str], code: int) -> None:
    assert exit_code_of(verdicts) == code


LIMIT = float(np.log(1.1))


@pytest.mark.parametrize("spread", [0.08, 0.12, 0.16])
def test_that_many_launches_mostly_show_that_nothing_changed(spread: float) -> None:
    random = np.random.default_rng(round(1000 * spread))
    typical = shift(*_quantiles(9, spread))
    needed = launches_needed(typical, 0.0, LIMIT, 9, 9)
    assert needed is not None
    assert 9 < needed <= MOST_LAUNCHES
    found_same = 0
    for _ in range(200):
        found = shift(random.normal(0, spread, needed), random.normal(0, spread, needed))
        found_same += found.low > -LIMIT and found.high < LIMIT
    assert 0.7 <= found_same / 200 <= 0.97  # "probably" is four of five


def _quantiles(count: int, spread: float) -> tuple[np.ndarray, np.ndarray]:
    """Two equal samples that are as wide as normal ones typically are."""
    from scipy.stats import norm

    values = norm.ppf((np.arange(count) + 0.5) / count) * spread
    return values, values + 1e-9


def test_a_wider_interval_needs_more_and_too_wide_a_one_more_than_can_be_made() -> None:
    needed = [launches_needed(change(0.0, reach), 0.0, LIMIT, 9, 9) for reach in (0.08, 0.1, 0.15, 0.5)]
    assert needed[:3] == sorted(needed[:3])
    assert needed[3] is None


def test_a_change_that_is_there_needs_only_to_be_found() -> None:
    near = launches_needed(change(0.3, 0.2), 0.05, LIMIT, 9, 9)
    far = launches_needed(change(0.3, 0.25), 0.05, LIMIT, 9, 9)
    assert near is not None
    assert far is not None
    assert 9 < near < far < 60


def test_it_is_always_more_than_there_were() -> None:
    assert launches_needed(change(0.05, 0.01), 0.0, LIMIT, 9, 12) == 13


def test_without_an_interval_it_is_the_fewest_that_have_one_in_a_report() -> None:
    assert launches_needed(Shift(0.1, None, None, None), None, LIMIT, 2, 3) == 6


def test_a_change_at_the_threshold_cannot_be_found_same() -> None:
    assert launches_needed(change(LIMIT - 1e-4, 0.05), 0.0, LIMIT, 9, 9) is None
