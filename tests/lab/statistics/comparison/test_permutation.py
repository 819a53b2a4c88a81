"""The test that exchanges launches, against scipy and against made-up tables."""

from math import comb

import numpy as np
import pytest
from scipy.stats import norm, permutation_test, t, ttest_ind

from polympi.lab.statistics.comparison.permutation import all_labels, permutation_p_values, statistics, winsorised


def labels_of(first: int, second: int) -> np.ndarray:
    return (np.arange(first + second) >= first)[None, :]


def shifted(random: np.random.Generator, rows: int, launches: int, row: int, by: float) -> np.ndarray:
    logs = random.normal(0, 0.05, (rows, 2 * launches))
    logs[row, launches:] += by
    return logs


@pytest.mark.parametrize(("first", "second"), [(5, 5), (6, 6), (9, 9), (30, 6)])
def test_the_statistic_is_the_deviate_of_students_t(first: int, second: int) -> None:
    random = np.random.default_rng(first)
    for by in (0.0, 0.5, 1.0, 2.0):
        logs = random.normal(size=(1, first + second))
        logs[0, first:] += by
        found = statistics(logs, labels_of(first, second))[0, 0]
        student = abs(ttest_ind(logs[0, first:], logs[0, :first]).statistic)
        expected = -norm.ppf(t.sf(student, first + second - 2))
        assert found == pytest.approx(expected, rel=0.02, abs=0.005)


def test_the_p_value_of_one_row_is_that_of_scipys_permutation_test() -> None:
    random = np.random.default_rng(1)
    for _ in range(5):
        logs = winsorised(random.gumbel(size=(1, 11)))

        def distance(a: np.ndarray, b: np.ndarray, axis: int) -> np.ndarray:
            return np.abs(a.mean(axis=axis) - b.mean(axis=axis))

        expected = permutation_test(
            (logs[0, :5], logs[0, 5:]), distance, vectorized=True, n_resamples=np.inf, alternative="greater"
        ).pvalue
        assert permutation_p_values(logs, 5, [0]).among_all[0] == pytest.approx(expected)


def test_all_ways_are_dealt_where_they_are_few_and_the_real_one_is_among_them() -> None:
    few = all_labels(3, 4, 100)
    assert few.shape == (comb(7, 4), 7)
    assert len(np.unique(few, axis=0)) == len(few)
    many = all_labels(9, 9, 500)
    assert many.shape == (500, 18)
    for labels in (few, many):
        assert set(labels.sum(axis=1)) == {labels[0].sum()}
    assert many[0].tolist() == [False] * 9 + [True] * 9


@pytest.mark.parametrize(("launches", "smallest"), [(6, 2 / 924), (9, 1e-4)])
@pytest.mark.parametrize("rows", [40, 1000])
def test_one_row_that_changed_is_found_in_a_table_of_many(launches: int, smallest: float, rows: int) -> None:
    logs = shifted(np.random.default_rng(2), rows, launches, 7, np.log(3))
    found = permutation_p_values(logs, launches, [0]).among_all
    assert found[7] == pytest.approx(smallest, rel=2)
    assert np.flatnonzero(found <= 0.025).tolist() == [7]


def test_rows_are_adjusted_in_their_group_too() -> None:
    random = np.random.default_rng(3)
    logs = shifted(random, 300, 9, 7, 0.11)
    found = permutation_p_values(logs, 9, [0, 5, 10])
    alone = permutation_p_values(logs[5:10], 9, [0])
    assert found.among_group[5:10] == pytest.approx(alone.among_all)
    assert (found.among_group <= found.among_all).all()
    assert found.among_group[7] < found.among_all[7]


def test_one_bad_launch_in_each_run_hides_no_change() -> None:
    logs = shifted(np.random.default_rng(4), 200, 9, 0, np.log(1.5))
    logs[:, 3] += np.log(3)
    logs[:, 14] += np.log(3)
    assert permutation_p_values(logs, 9, [0]).among_all[0] <= 0.025


def test_of_nine_values_one_at_either_end_is_drawn_in_and_missing_ones_stay_missing() -> None:
    row = [5.0, 1.0, 2.0, 3.0, 4.0, 9.0, 6.0, 7.0, 8.0]
    found = winsorised(np.array([[*row, np.nan], [*row[:8], np.nan, np.nan]]))
    assert found[0].tolist()[:9] == [5, 2, 2, 3, 4, 8, 6, 7, 8]
    assert np.isnan(found[0, 9])
    assert found[1].tolist()[:8] == row[:8]


def test_missing_values_are_left_out_of_the_statistic() -> None:
    logs = np.array([[1.0, 2.0, 4.0, np.nan, 7.0, 8.0, 6.0, np.nan]])
    with_gaps = statistics(logs, labels_of(4, 4))[0, 0]
    without = statistics(logs[:, [0, 1, 2, 4, 5, 6]], labels_of(3, 3))[0, 0]
    assert with_gaps == pytest.approx(without)


def test_rows_without_a_spread_or_without_values_have_not_changed() -> None:
    logs = np.vstack([np.ones(12), np.full(12, np.nan), np.random.default_rng(5).normal(size=12)])
    found = permutation_p_values(logs, 6, [0, 1, 2])
    assert found.among_all[:2].tolist() == [1.0, 1.0]
    assert not len(permutation_p_values(np.empty((0, 12)), 6, []).among_all)


def test_equal_tables_show_a_change_no_more_often_than_promised() -> None:
    """Rows of a launch move together, and every fourth value is far out."""
    random = np.random.default_rng(6)
    found = 0
    for _ in range(400):
        logs = random.normal(0, 0.05, (1, 14)) + random.normal(0, 0.05, (60, 14))
        logs += np.where(random.random((60, 14)) < 0.25, random.exponential(0.5, (60, 14)), 0)
        found += permutation_p_values(logs, 7, [0], 500).among_all.min() <= 0.05
    # 20 expected; the bound is four standard errors of the count above.
    assert 0 < found <= 20 + 4 * np.sqrt(400 * 0.05 * 0.95)
