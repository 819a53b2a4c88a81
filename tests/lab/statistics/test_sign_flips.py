"""How many rows would look as clear by chance: counted in the measured table with the signs of its blocks flipped."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from polympi.lab.statistics.intervals import median_interval
from polympi.lab.statistics.sign_flips import SMALLEST_SCALE, TABLES, clearness, flip_q_values

Table = NDArray[np.float64]


def table(seed: int, rows: int, blocks: int, holes: float = 0.0) -> Table:
    """Log-ratios of rows that share the noise of their blocks, the first third of them with an effect."""
    random = np.random.default_rng(seed)
    made = random.normal(0, 0.03, blocks) + random.normal(0, 0.05, (rows, blocks))
    made[: rows // 3] += 0.2
    made[random.random(made.shape) < holes] = np.nan
    return made


def clear_one_by_one(row: Table) -> float:
    interval = median_interval(row)
    assert interval is not None
    return abs(float(np.median(row))) / ((interval.high - interval.low) / 2 + SMALLEST_SCALE)


def q_by_the_book(log_ratios: Table) -> list[float | None]:
    """As the papers say it, flip by flip, row by row and threshold by threshold."""
    rows = [row for row in log_ratios if np.isfinite(row).sum() >= 6]
    if not rows:
        return [None] * len(log_ratios)
    found = [clear_one_by_one(row[np.isfinite(row)]) for row in rows]
    flipped = [
        clear_one_by_one((row * signs)[np.isfinite(row)])
        for signs in product([1.0, -1.0], repeat=log_ratios.shape[1])
        for row in rows
    ]
    share = {
        t: sum(d >= t for d in flipped) / 2 ** log_ratios.shape[1] / sum(d >= t for d in found) for t in set(found)
    }
    q_values = iter([min(1.0, *(share[t] for t in share if t <= d), share[d]) for d in found])
    return [next(q_values) if np.isfinite(row).sum() >= 6 else None for row in log_ratios]


@given(st.integers(0, 1000), st.integers(1, 6), st.integers(6, 7), st.sampled_from([0.0, 0.1]))
def test_q_values_are_those_of_the_papers(seed: int, rows: int, blocks: int, holes: float) -> None:
    log_ratios = table(seed, rows, blocks, holes)
    expected, found = q_by_the_book(log_ratios), flip_q_values(log_ratios)
    assert [q is None for q in found] == [q is None for q in expected]
    assert [q for q in found if q is not None] == pytest.approx([q for q in expected if q is not None])


@given(st.lists(st.floats(-1, 1), min_size=6, max_size=15))
def test_clearness_is_the_effect_in_units_of_its_interval(values: list[float]) -> None:
    row = np.array(values)
    assert clearness(row) == pytest.approx(clear_one_by_one(row))
    assert clearness(row) == pytest.approx(clearness(-row))


@pytest.mark.parametrize("blocks", [9, 11, 12, 30])
def test_the_measured_table_is_one_of_those_that_chance_could_have_made(blocks: int) -> None:
    for q in flip_q_values(table(1, 12, blocks) + 0.5):
        assert q is not None
        assert q >= max(2 / 2**blocks, 1 / TABLES)


def test_rows_of_too_few_launches_have_no_q_and_do_not_count() -> None:
    log_ratios = table(3, 30, 9)
    few = np.full((5, 9), np.nan)
    few[:, :5] = 0.7
    assert flip_q_values(np.vstack([few, log_ratios])) == [None] * 5 + flip_q_values(log_ratios)
    assert flip_q_values(few) == [None] * 5
    assert flip_q_values(np.empty((0, 0))) == []


@pytest.mark.parametrize("blocks", [9, 20])
def test_the_same_table_gives_the_same_q_values(blocks: int) -> None:
    log_ratios = table(4, 50, blocks, holes=0.05)
    assert flip_q_values(log_ratios) == flip_q_values(log_ratios.copy())


def test_rows_that_move_together_are_chance_together() -> None:
    """Fifty copies of one noisy row are one observation, and not fifty that agree."""
    noise = np.array([0.02, 0.03, 0.05, 0.01, 0.04, 0.03, 0.02, 0.06, -0.01])
    (alone,) = flip_q_values(noise[None, :])
    assert flip_q_values(np.tile(noise, (50, 1))) == pytest.approx([alone] * 50)


def test_a_row_without_an_interval_is_not_asked_how_clear_it_is() -> None:
    with pytest.raises(ValueError, match="without an interval"):
        clearness(np.zeros(5))
