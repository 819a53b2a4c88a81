import numpy as np
import pytest

from polympi.lab.statistics.effects import paired_effect
from polympi.lab.statistics.keys import RowKey
from polympi.lab.statistics.pairs import Pairs
from polympi.lab.statistics.sign_flips import flip_q_values
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


def key(binding, size, stack="mpich"):
    return RowKey(stack, binding, "latency", "standard", "bytes", size, 2)


def pairs(log_ratios, blocks=range(9)):
    return Pairs(np.array(blocks), np.exp(log_ratios), np.ones(len(log_ratios)))


def test_the_again_arm_and_every_stack_are_separate_families():
    random = np.random.default_rng(1)
    again = {key("c-again", size): pairs(random.normal(0, 0.03, 9)) for size in range(20)}
    slow = {key("slow", size): pairs(random.normal(1, 0.03, 9)) for size in range(200)}
    elsewhere = {key("slow", size, "openmpi"): pairs(random.normal(0, 0.03, 9)) for size in range(20)}
    q_values = family_q_values(again | slow | elsewhere)
    assert {k: q_values[k] for k in again} == family_q_values(again)
    assert {k: q_values[k] for k in elsewhere} == family_q_values(elsewhere)
    assert max(q_values[k] for k in slow) <= 0.05


def test_blocks_are_matched_by_their_numbers():
    """Rows that miss a block, each another one, are flipped with their fellows of the same block."""
    blocks = [[b for b in range(9) if b != missing] for missing in range(9)]
    values = np.random.default_rng(2).normal(0.02, 0.03, 9)
    rows = {key("x", m): pairs([values[b] for b in kept], kept) for m, kept in enumerate(blocks)}
    table = np.full((9, 9), np.nan)
    for missing, kept in enumerate(blocks):
        table[missing, kept] = values[kept]
    assert list(family_q_values(rows).values()) == flip_q_values(table)


def test_rows_without_a_ratio_or_of_too_few_launches_have_no_q_value():
    few, timeless = pairs([0.5] * 5, range(5)), Pairs(np.arange(9), np.ones(9), np.zeros(9))
    q_values = family_q_values({key("x", 1): few, key("x", 2): timeless, key("x", 3): pairs([0.5] * 6, range(6))})
    assert q_values[key("x", 1)] is q_values[key("x", 2)] is None
    assert q_values[key("x", 3)] == 2 / 2**6
