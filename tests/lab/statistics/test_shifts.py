from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from polympi.lab.statistics.shifts import MOST_EXACT, hodges_lehmann, shift, u_distribution

VALUES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=15)


@pytest.mark.parametrize(("first", "second"), [(1, 1), (2, 3), (4, 4), (5, 3)])
def test_the_distribution_of_u_is_that_of_all_arrangements(first, second):
    counts = np.zeros(first * second + 1)
    for places in combinations(range(first + second), first):
        counts[sum(place - i for i, place in enumerate(places))] += 1
    assert u_distribution(first, second) == pytest.approx(counts / comb(first + second, first))


@pytest.mark.parametrize(
    # Ranks of the Mann-Whitney table at 0.05, two-sided: the largest U that is still significant, plus one.
    ("count", "critical"),
    [(4, 0), (5, 2), (6, 5), (8, 13), (10, 23), (20, 127)],
)
def test_the_interval_begins_where_the_table_says(count, critical):
    random = np.random.default_rng(count)
    a, b = random.normal(size=count), random.normal(size=count)
    differences = np.sort(np.subtract.outer(b, a), axis=None)
    found = shift(a, b)
    assert (found.low, found.high) == (differences[critical], differences[-critical - 1])


def test_three_values_each_have_no_interval():
    found = shift([1, 2, 3], [4, 5, 6])
    assert found.low is found.high is found.coverage is None
    assert found.estimate == 3


@pytest.mark.parametrize(("first", "second"), [([], [1.0]), ([1.0], []), ([1.0, np.inf], [1.0])])
def test_what_cannot_be_compared_is_refused(first, second):
    with pytest.raises(ValueError, match="finite"):
        shift(first, second)


@given(VALUES, VALUES)
def test_swapping_turns_the_shift_round(a, b):
    there, back = shift(a, b), shift(b, a)
    assert there.estimate == back.estimate * -1
    assert there.estimate == hodges_lehmann(a, b)
    if there.low is not None:
        assert (there.low, there.high) == (-back.high, -back.low)
        assert there.low <= there.estimate <= there.high


def test_the_interval_excludes_zero_where_the_test_of_mann_and_whitney_does():
    random = np.random.default_rng(7)
    for _ in range(500):
        samples = random.normal(size=7), random.normal(1.2, 1, size=9)
        found = shift(*samples)
        assert (found.low > 0 or found.high < 0) == (mannwhitneyu(*samples, method="exact").pvalue <= 0.05)


@pytest.mark.parametrize(("fewer", "more"), [(101, 100), (30, 400)])
def test_large_samples_have_nearly_the_interval_of_the_exact_distribution(fewer: int, more: int) -> None:
    assert fewer * more > MOST_EXACT
    random = np.random.default_rng(1)
    first, second = random.normal(size=fewer), random.normal(size=more)
    found = shift(first, second)
    below = np.cumsum(u_distribution(fewer, more))
    rank = int((1 - 2 * below[: fewer * more // 2] >= 0.95).sum())
    differences = np.sort(np.subtract.outer(second, first), axis=None)
    assert found.low == pytest.approx(differences[rank - 1], abs=3e-3)
    assert found.high == pytest.approx(differences[-rank], abs=3e-3)
    assert found.coverage == pytest.approx(0.95, abs=2e-3)
