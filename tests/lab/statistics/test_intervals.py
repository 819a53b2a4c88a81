import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from polympi.lab.statistics.intervals import MINIMUM_LAUNCHES, interval_ranks, median_interval

VALUES = st.lists(st.floats(-1e12, 1e12), min_size=6, max_size=60)


@pytest.mark.parametrize("count", range(MINIMUM_LAUNCHES))
def test_fewer_than_six_values_have_no_interval(count):
    assert median_interval(list(range(count))) is None


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_it_is_the_narrowest_pair_that_reaches_the_level(level):
    for count in range(1, 80):
        found = interval_ranks(count, level)
        reaching = [r for r in range(1, count // 2 + 1) if 1 - 2 * stats.binom.cdf(r - 1, count, 0.5) >= level]
        if not reaching:
            assert found is None
            continue
        lower, upper, coverage = found
        assert (lower, upper) == (max(reaching), count + 1 - max(reaching))
        assert coverage == pytest.approx(
            stats.binom.cdf(upper - 1, count, 0.5) - stats.binom.cdf(lower - 1, count, 0.5)
        )


@pytest.mark.parametrize("count", [6, 7, 10, 17, 30])
def test_it_agrees_with_scipy(count):
    values = np.random.default_rng(count).normal(size=count)
    interval = median_interval(values)
    scipys = stats.quantile_test(values, p=0.5, q=0).confidence_interval(0.95)
    assert (interval.low, interval.high) == pytest.approx((scipys.low, scipys.high))


@given(VALUES, st.randoms())
def test_order_does_not_matter(values, random):
    shuffled = values.copy()
    random.shuffle(shuffled)
    assert median_interval(shuffled) == median_interval(values)


def test_values_that_are_no_numbers_are_refused():
    with pytest.raises(ValueError, match="finite"):
        median_interval([1, 2, 3, 4, 5, float("nan")])


def test_an_end_is_inside():
    interval = median_interval([1, 2, 3, 4, 5, 6])
    assert not interval.excludes(1)
    assert interval.excludes(0.999)
    assert interval.excludes(6.001)
