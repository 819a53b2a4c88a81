"""How many launches would tell: does it come true?"""

from __future__ import annotations

import numpy as np
import pytest

from polympi.lab.statistics.comparison.launches import MOST_LAUNCHES, launches_needed
from polympi.lab.statistics.shifts import Shift, shift

LIMIT = float(np.log(1.1))


def change(estimate: float, reach: float) -> Shift:
    return Shift(estimate, estimate - reach, estimate + reach, 0.96)


@pytest.mark.parametrize("spread", [0.08, 0.12, 0.16])
def test_so_many_launches_mostly_tell_that_nothing_changed(spread: float) -> None:
    random = np.random.default_rng(round(1000 * spread))
    typical = shift(*_quantiles(9, spread))
    needed = launches_needed(typical, 0.0, LIMIT, 9, 9)
    assert needed is not None
    assert 9 < needed <= MOST_LAUNCHES
    told = 0
    for _ in range(200):
        found = shift(random.normal(0, spread, needed), random.normal(0, spread, needed))
        told += found.low > -LIMIT and found.high < LIMIT
    assert 0.7 <= told / 200 <= 0.97  # "probably" is four of five


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


def test_a_change_at_the_threshold_cannot_be_told() -> None:
    assert launches_needed(change(LIMIT - 1e-4, 0.05), 0.0, LIMIT, 9, 9) is None
