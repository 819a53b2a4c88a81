import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from polympi.lab.statistics.effects import paired_effect, sign_test

TIMES = st.lists(st.tuples(st.floats(1, 1e9), st.floats(1, 1e9)), min_size=1, max_size=40)


def test_drift_that_hits_both_sides_of_a_pair_leaves_the_ratio():
    weather = np.array([1.0, 3.0, 0.5, 2.0, 10.0, 0.1, 4.0])
    effect = paired_effect(1.5 * weather, weather)
    assert effect.log_ratio == pytest.approx(np.log(1.5))
    assert effect.log_interval.low == pytest.approx(np.log(1.5))
    assert effect.log_interval.high == pytest.approx(np.log(1.5))
    assert effect.delta_ns == pytest.approx(0.5 * 2.0)
    assert (effect.delta_interval.low, effect.delta_interval.high) == pytest.approx((0.05, 5.0))
    assert effect.blocks == 7


def test_a_zero_time_has_a_difference_but_no_ratio():
    effect = paired_effect([10.0] * 6, [0.0] * 6)
    assert effect.delta_ns == 10.0
    assert effect.delta_interval.low == 10.0
    assert effect.log_ratio is effect.log_interval is effect.p_value is None


def test_few_blocks_have_an_estimate_and_no_interval():
    effect = paired_effect([2.0] * 5, [1.0] * 5)
    assert effect.delta_ns == 1.0
    assert effect.delta_interval is effect.log_interval is None
    assert effect.p_value == 2 / 2**5


@pytest.mark.parametrize(("binding", "reference"), [([], []), ([1.0], [1.0, 2.0])])
def test_unpaired_times_are_refused(binding, reference):
    with pytest.raises(ValueError, match="block"):
        paired_effect(binding, reference)


@given(TIMES)
def test_swapping_the_sides_turns_the_effect_round(pairs):
    a, b = np.array(pairs).T
    there, back = paired_effect(a, b), paired_effect(b, a)
    assert there.delta_ns == -back.delta_ns
    assert there.log_ratio == pytest.approx(-back.log_ratio, abs=1e-12)
    assert there.p_value == pytest.approx(back.p_value)


@given(st.lists(st.sampled_from([-2.0, -1.0, 0.0, 1.0, 2.0]), min_size=1, max_size=50))
def test_the_sign_test_is_the_binomial_test_without_zeros(values):
    positive, negative = sum(v > 0 for v in values), sum(v < 0 for v in values)
    expected = binomtest(positive, positive + negative, 0.5).pvalue if positive + negative else 1.0
    assert sign_test(values) == pytest.approx(expected)


@given(TIMES.filter(lambda pairs: len(pairs) >= 6))
def test_an_interval_that_excludes_zero_has_a_small_p_value(pairs):
    a, b = np.array(pairs).T
    effect = paired_effect(a, b)
    if effect.log_interval.excludes(0.0):
        assert effect.p_value <= 1 - effect.log_interval.coverage + 1e-12
