"""The small statistics of a table: outliers and percentiles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polympi.lab.statistics.spread import PERCENTILES, count_outliers, percentiles


def test_values_beyond_the_fences_are_counted():
    # Quartiles 2.25 and 6.75: fences at -4.5 and 13.5.
    assert count_outliers([*range(10), 13.4]) == 0
    assert count_outliers([*range(10), 100.0]) == 1
    assert count_outliers([-100.0, *range(10), 100.0]) == 2
    for few_or_equal in ([], [3.0], [3.0] * 20):
        assert count_outliers(few_or_equal) == 0


def test_of_normal_values_seven_in_a_thousand_are_outside():
    assert count_outliers(np.random.default_rng(1).normal(size=100_000)) == pytest.approx(698, abs=120)


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=200))
def test_a_percentile_is_the_least_event_that_the_share_does_not_exceed(events):
    for (_, share), found in zip(PERCENTILES.items(), percentiles(events).values(), strict=True):
        assert found in events
        assert np.mean(np.array(events) <= found) >= share - 1e-12
        assert np.mean(np.array(events) < found) < share


def test_no_events_have_no_percentiles():
    assert percentiles([]) == dict.fromkeys(("p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns"))
