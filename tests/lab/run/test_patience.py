"""How long launches may take, in seconds."""

from polympi.lab.plan.profiles import LONGEST_LAUNCH_S
from polympi.lab.run.patience import launch_seconds, needed_after_time_out, too_long


def test_a_launch_gets_more_time_where_c_needs_it_or_was_ended() -> None:
    assert launch_seconds(60.0, 1.0) == 60.0
    assert launch_seconds(60.0, 30.0) == 120.0
    assert launch_seconds(60.0, needed_after_time_out(60.0)) == 120.0
    assert launch_seconds(60.0, 1e6) == LONGEST_LAUNCH_S


def test_the_longest_cases_are_left_out_until_the_others_fit() -> None:
    assert too_long({0: 1.0, 1: 50.0, 2: 100.0}, 120.0) == [2]
    assert too_long({0: 100.0}, 60.0) == [0]
    assert too_long({}, 60.0) == []
