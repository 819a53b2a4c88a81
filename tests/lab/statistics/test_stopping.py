import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from launch_medians import a_run

from polympi.lab.records import Outcome, RowStop
from polympi.lab.statistics.keys import RowKey
from polympi.lab.statistics.stopping import StopRule, Stops, is_precise

WIDE = [0.0, 0.5, 1.0, -0.5, 0.2, -0.2]
WIDE_NS = [1000 * v for v in WIDE]


def test_a_fixed_number_of_blocks():
    rule = StopRule(6, 6)
    assert rule.check([0.0] * 5, [0.0] * 5) is None
    assert rule.check(WIDE_NS, WIDE) == "fixed"


def test_a_narrow_ratio_or_a_narrow_difference_is_precise():
    rule = StopRule(6, 30)
    centre = math.log(1.5)
    narrow = [centre + d for d in (-0.0099, -0.005, 0.0, 0.0, 0.005, 0.0099)]
    assert rule.check(WIDE_NS, narrow) == "precision"
    assert rule.check([500.0 + d for d in (-20, -10, 0, 0, 10, 20)], WIDE) == "precision"
    assert rule.check(WIDE_NS, WIDE) is None


@pytest.mark.parametrize("sign", [-1, 1])
def test_one_per_cent_and_twenty_ns_are_measured_from_the_centre_to_each_end(sign):
    assert not is_precise(WIDE_NS, [0.0102 * sign, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert not is_precise([20.1 * sign, 0.0, 0.0, 0.0, 0.0, 0.0], WIDE)


def test_the_minimum_is_kept_however_precise_a_row_is():
    assert StopRule(10, 30).check([0.0] * 9, [0.0] * 9) is None
    assert StopRule(10, 30).check([0.0] * 10, [0.0] * 10) == "precision"


def test_the_last_block_ends_a_row_that_is_not_precise():
    assert StopRule(6, 12).check(WIDE_NS * 2, WIDE * 2) == "max-blocks"


def test_rows_without_pairs_end_with_the_blocks():
    assert StopRule(6, 30).check([], [], blocks=29) is None
    assert StopRule(6, 30).check([], [], blocks=30) == "max-blocks"
    assert StopRule(6, 6).check([], [], blocks=6) == "fixed"


def test_a_row_without_ratios_is_judged_by_its_differences():
    assert StopRule(6, 30).check([5e7 + d for d in range(6)], []) == "precision"


@given(st.lists(st.integers(-20, 20), min_size=6, max_size=30), st.integers(-5, 5))
def test_the_size_of_the_effect_never_decides(steps, effect):
    log_ratios = [step / 1024 for step in steps]  # exact in binary, so that shifting them rounds nothing
    assert is_precise([], [v + effect for v in log_ratios]) == is_precise([], log_ratios)


ROW = RowKey("mpich", "mpi4py", "latency", "standard", "bytes", 8, 2)


def stops_of(bounds, outcome):
    return Stops(a_run(minimum_blocks=bounds[0], maximum_blocks=bounds[1]), outcome)


def outcome_of(ended, blocks, *stops):
    return Outcome(ended=ended, finished="", blocks={"mpich": blocks}, stops=list(stops))


def test_what_the_run_recorded_goes_first():
    where = {name: value for name, value in vars(ROW).items() if name != "ranks"}
    stop = RowStop(**where, stopped_by="max-blocks", blocks=30)
    assert (
        Stops(a_run(minimum_blocks=6, maximum_blocks=30), outcome_of("complete", 30, stop)).of(
            ROW, [0.0] * 30, [0.0] * 30
        )
        == "max-blocks"
    )


@pytest.mark.parametrize(
    ("bounds", "outcome", "values", "expected"),
    [
        ((6, 6), outcome_of("complete", 6), WIDE, "fixed"),
        ((6, 6), outcome_of("complete", 6), WIDE[:5], "fixed"),
        ((6, 6), outcome_of("interrupted", 3), WIDE[:3], "interrupted"),
        ((6, 6), None, WIDE[:3], "interrupted"),
        ((6, 30), outcome_of("time limit", 6), WIDE, "time-limit"),
        ((6, 30), outcome_of("time limit", 6), [0.0] * 6, "precision"),
        ((6, 30), outcome_of("complete", 30), WIDE, "max-blocks"),
        ((6, 30), outcome_of("complete", 6), WIDE, None),
    ],
)
def test_what_follows_from_the_end_of_the_run(bounds, outcome, values, expected):
    assert stops_of(bounds, outcome).of(ROW, [1000 * v for v in values], values) == expected
