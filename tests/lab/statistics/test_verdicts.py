import pytest

from polympi.lab.statistics.effects import paired_effect
from polympi.lab.statistics.verdicts import family_q_values, is_separated, verdict

SLOWER_BY_A_TENTH = paired_effect([1.1, 1.09, 1.11, 1.1, 1.12, 1.08], [1.0] * 6)
FASTER_BY_A_TENTH = paired_effect([1.0] * 6, [1.1, 1.09, 1.11, 1.1, 1.12, 1.08])
MIXED = paired_effect([1.1, 1.1, 1.1, 1.1, 1.1, 0.99], [1.0] * 6)
TOO_SHORT = paired_effect([1.1] * 5, [1.0] * 5)
RATIO_LESS = paired_effect([5.0] * 6, [0.0] * 6)


@pytest.mark.parametrize(
    ("effect", "floor", "q_value", "expected"),
    [
        (SLOWER_BY_A_TENTH, 0.01, 0.05, "slower"),
        (FASTER_BY_A_TENTH, 0.01, 0.05, "faster"),
        (SLOWER_BY_A_TENTH, 0.01, 0.051, "ambiguous"),
        (SLOWER_BY_A_TENTH, 0.2, 0.01, "not separated"),
        (FASTER_BY_A_TENTH, 0.2, 0.01, "not separated"),
        (MIXED, 0.0, 0.01, "not separated"),
        (SLOWER_BY_A_TENTH, None, 0.01, "ambiguous"),
        (MIXED, None, 0.01, "not separated"),
        (TOO_SHORT, 0.0, None, "too few launches"),
        (RATIO_LESS, 0.0, None, "no counterpart"),
        (None, None, None, "no counterpart"),
    ],
)
def test_the_rules(effect, floor, q_value, expected):
    assert verdict(effect, floor, q_value) == expected


def test_an_effect_as_large_as_the_floor_is_not_separated():
    assert not is_separated(SLOWER_BY_A_TENTH, SLOWER_BY_A_TENTH.log_ratio)
    assert is_separated(SLOWER_BY_A_TENTH, SLOWER_BY_A_TENTH.log_ratio - 1e-9)


def test_true_effects_do_not_make_noise_of_the_again_arm_significant():
    p_values = [0.03125, 1.0, 1.0, *[0.03125] * 30]
    is_again = [True, True, True, *[False] * 30]
    q_values = family_q_values(p_values, is_again)
    assert q_values[0] == pytest.approx(3 * 0.03125)
    assert q_values[3:] == pytest.approx([0.03125] * 30)


def test_rows_without_a_p_value_stay_without_a_q_value():
    assert family_q_values([None, 0.5], [False, False]) == [None, 0.5]
