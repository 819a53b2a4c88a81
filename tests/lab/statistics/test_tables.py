"""The small statistics of a table: false discovery rate, outliers, percentiles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polympi.lab.statistics.multiplicity import adjusted
from polympi.lab.statistics.outliers import count_outliers
from polympi.lab.statistics.percentiles import PERCENTILES, percentiles

P_VALUES = st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=40)


def benjamini_hochberg(p_values):
    """As in the paper of 1995: the smallest rate at which the procedure would reject each."""
    m = len(p_values)
    ranked = sorted(p_values)
    return [min(min(1, ranked[k] * m / (k + 1)) for k in range(m) if ranked[k] >= p) for p in p_values]


@given(P_VALUES)
def test_q_values_are_those_of_the_paper_and_skip_rows_without_a_p_value(p_values):
    q_values = adjusted(p_values)
    assert [q is None for q in q_values] == [p is None for p in p_values]
    expected = benjamini_hochberg([p for p in p_values if p is not None])
    assert [q for q in q_values if q is not None] == pytest.approx(expected)


def test_the_example_of_the_paper():
    # Benjamini & Hochberg 1995 show fifteen p-values, of which four are discoveries at 0.05.
    p = [
        0.0001,
        0.0004,
        0.0019,
        0.0095,
        0.0201,
        0.0278,
        0.0298,
        0.0344,
        0.0459,
        0.324,
        0.4262,
        0.5719,
        0.6528,
        0.759,
        1,
    ]
    assert sum(q <= 0.05 for q in adjusted(p)) == 4


def test_values_beyond_the_fences_are_counted():
    # Quartiles 2.25 and 6.75: fences at -4.5 and 13.5.
    assert count_outliers([*range(10), 13.4]) == 0
    assert count_outliers([*range(10), 100.0]) == 1
    assert count_outliers([-100.0, *range(10), 100.0]) == 2


def test_few_or_equal_values_have_no_outliers():
    assert count_outliers([]) == 0
    assert count_outliers([3.0]) == 0
    assert count_outliers([3.0] * 20) == 0


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
