"""Where a series is divided."""

import numpy as np
import pytest

from polympi.lab.statistics.history.segments import divide, looks


def runs(*levels: float, launches: int = 9, seed: int = 1) -> list[np.ndarray]:
    random = np.random.default_rng(seed)
    return [random.normal(level, 0.03, launches) for level in levels]


@pytest.mark.parametrize(
    ("levels", "begins"),
    [
        ([0.0] * 12, []),
        ([0.0] * 6 + [0.2] * 6, [6]),
        ([0.0] * 11 + [0.2], [11]),
        ([0.2] + [0.0] * 11, [1]),
        ([0.0] * 5 + [0.2] + [0.0] * 5, [5, 6]),
        ([0.0] * 4 + [0.2] * 4 + [0.4] * 4, [4, 8]),
        ([0.0], []),
        ([0.0, 0.3], [1]),
    ],
)
def test_a_segment_begins_where_the_level_changes(levels: list[float], begins: list[int]) -> None:
    found = divide(runs(*levels), 1e-3)
    assert list(found) == begins
    assert all(p_value <= 1e-3 for p_value in found.values())


def test_too_few_launches_are_no_look() -> None:
    few = [*runs(0.0, 0.0), *runs(9.0, launches=4)]
    assert divide(few, 0.05) == {}
    assert list(divide([*few, *runs(9.0, launches=4)], 0.05)) == [2]


def test_equal_runs_are_divided_as_seldom_as_the_level_says() -> None:
    divided = sum(bool(divide(runs(*[0.0] * 10, launches=6, seed=seed), 0.05 / looks(10))) for seed in range(600))
    assert divided <= 0.05 * 600
    assert divided > 0  # or it could not find anything


def test_looks_are_those_of_all_windows() -> None:
    assert [looks(runs) for runs in (0, 1, 2, 4, 5)] == [0, 0, 1, 3, 4 + 2 * 3]
    assert looks(9) == 8 + 6 * 3 + 7
