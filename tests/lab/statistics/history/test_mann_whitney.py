"""The test at each boundary, against scipy's."""

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from polympi.lab.statistics.history.mann_whitney import smallest_p_value


@pytest.mark.parametrize(("first", "second", "method"), [(5, 6, "exact"), (9, 40, "exact"), (30, 50, "asymptotic")])
@pytest.mark.parametrize("shift", [0.0, 0.7, 5.0])
def test_one_boundary_has_the_p_value_of_scipy(first: int, second: int, method: str, shift: float) -> None:
    random = np.random.default_rng(first)
    values = random.normal(size=first + second)
    values[first:] += shift
    expected = mannwhitneyu(values[:first], values[first:], method=method).pvalue
    assert smallest_p_value(values, [first]) == (pytest.approx(expected, rel=1e-9), first)


def test_equal_values_share_their_ranks() -> None:
    values = np.array([1.0] * 20 + [2.0] * 5 + [1.0] * 10 + [2.0] * 25)
    expected = mannwhitneyu(values[:25], values[25:], method="asymptotic").pvalue
    found, _ = smallest_p_value(values, [25])
    assert found > expected  # without a correction for ties, which makes it smaller


def test_of_several_boundaries_the_clearest_is_chosen_even_where_p_values_vanish() -> None:
    values = np.concatenate([np.zeros(3000), np.ones(3000)]) + np.random.default_rng(1).normal(0, 0.01, 6000)
    p_value, place = smallest_p_value(values, [1500, 2400, 3000, 3600])
    assert (p_value, place) == (0.0, 3000)
