"""Costs and times between the sizes at which they were measured."""

import numpy as np
import pytest

from polympi.lab.projection.model import Line, time_at


def test_times_between_points_are_those_of_numpy() -> None:
    points = [(0, 5.0), (8, 9.0), (1024, 40.0), (65536, 41.0)]
    sizes = [0, 1, 8, 100, 1024, 5000, 65536]
    expected = np.interp(sizes, [m for m, _ in points], [t for _, t in points])
    assert [time_at(points, m) for m in sizes] == pytest.approx(expected)
    assert time_at(points, 2 * 65536 - 1024) == pytest.approx(42.0)  # the last line goes on
    assert time_at([(0, 10.0), (10, 0.0)], 1000) == 0
    assert time_at([], 8) == 0


def test_a_cost_is_what_was_measured_where_that_is_known_and_else_a_line() -> None:
    line = Line(per_call_ns=100.0, per_byte_ns=0.5)
    assert [line.at(size) for size in (0, 10, 1000)] == [100.0, 105.0, 600.0]
    measured = Line(per_call_ns=100.0, per_byte_ns=0.5, points=[(8, 90.0), (1024, 3000.0), (2048, 3512.0)])
    assert [measured.at(size) for size in (0, 8, 516, 1024, 4096)] == [90.0, 90.0, 1545.0, 3000.0, 4536.0]
    assert Line().at(2**20) == 0


@pytest.mark.parametrize("cost", [Line(), Line(per_call_ns=100.0, per_byte_ns=0.5), Line(points=[(8, 1.0), (16, 9.0)])])
def test_the_curve_of_a_cost_is_the_cost_at_every_size(cost: Line) -> None:
    for size in (0, 8, 12, 16, 4096, 2**22):
        assert time_at(cost.curve(), size) == pytest.approx(cost.at(size))
