"""Offset and drift of a clock, with bounds that hold."""

import math
import random

import numpy as np
import pytest
from scipy import stats

from polympi.lab.survey.clocks import Exchange, Offset, best_offset, fit

S = 10**9


def exchanges(at: int, ahead: int, drift: float, rng: random.Random, trips: int = 20) -> list[Exchange]:
    """Round trips to a clock that is ahead and drifts; each way takes what it takes, the host reads in between."""
    made = []
    for _ in range(trips):
        there, back = 20_000 + round(rng.expovariate(1 / 30_000)), 20_000 + round(rng.expovariate(1 / 30_000))
        read = at + there
        shown = read + ahead + round(drift * read)
        made.append(Exchange(at, at + there + back, shown, shown + 7 * S))
        at += there + back + 1000
    return made


@pytest.mark.parametrize("drift", [0.0, 3e-5, -2e-4])
@pytest.mark.parametrize("ahead", [0, 12_345 * S, -(10**16)])
def test_a_planted_clock_is_found_within_the_error_that_is_stated(ahead: int, drift: float) -> None:
    rng = random.Random(f"{ahead} {drift}")
    moments = [k * S // 2 for k in range(9)]
    line = fit([best_offset(exchanges(at, ahead, drift, rng)) for at in moments])
    assert abs(line.drift - drift) <= line.drift_error < 4e-5
    for when in (0, 2 * S, 10 * S):  # between the comparisons, and beyond
        truth = ahead + drift * when
        rounding = 2 + abs(ahead) * 2**-52
        assert abs(line.at(when) - truth) <= line.error_at(when) + rounding
    assert line.error_at(2 * S) < 40_000 < line.error_at(100 * S)


def test_the_line_is_that_of_least_squares_where_all_errors_are_equal() -> None:
    rng = np.random.default_rng(1)
    when = np.sort(rng.integers(0, 10 * S, 12))
    ns = np.round(5e5 + 2e-5 * when + rng.normal(0, 2e3, 12)).astype(int)
    line = fit([Offset(int(t), int(n), 9_000) for t, n in zip(when, ns, strict=True)])
    wanted = stats.linregress(when, ns)
    assert line.drift == pytest.approx(wanted.slope, rel=1e-9)
    assert line.at(0) == pytest.approx(wanted.intercept, rel=1e-9)


def test_an_offset_that_is_known_better_counts_more() -> None:
    good, bad = Offset(0, 100, 10), Offset(S, 5_000, 10_000)
    assert abs(fit([good, bad, good]).ns - 100) < 1


def test_one_comparison_gives_the_offset_and_not_the_drift() -> None:
    line = fit([Offset(5, 100, 7)])
    assert (line.ns, line.drift, line.error_at(5)) == (100, 0, 7)
    assert math.isinf(line.drift_error)


def test_the_shortest_round_trip_counts_and_both_clocks_are_known() -> None:
    trips = [Exchange(0, 1000, 90_000, 7), Exchange(10_000, 10_011, 110_000, 300_000)]
    assert best_offset(trips) == Offset(10_005, 99_995, 6)
    assert best_offset(trips, of_day=True).ns == 289_995
