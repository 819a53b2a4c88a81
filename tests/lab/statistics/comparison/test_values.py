"""What two runs are compared by."""

import numpy as np
import polars as pl
import pytest
from launch_medians import launch_medians

from polympi.lab.statistics.comparison.values import groups_of, judged_logs, meet, reference_logs, typical
from polympi.lab.statistics.summary import RowKey


def medians(times: dict[tuple[str, str, int], list[float | None]]) -> pl.DataFrame:
    """Launch medians of {(binding, benchmark, size): time in each block}."""
    return pl.concat(launch_medians(t, name, benchmark=b, size_bytes=size) for (name, b, size), t in times.items())


def key(binding: str, benchmark: str, size: int) -> RowKey:
    return RowKey("mpich", binding, benchmark, "standard", "bytes", size, 2)


def test_ratios_are_to_both_launches_of_c_and_times_to_nothing() -> None:
    run = medians({("c", "latency", 8): [100.0], ("c-again", "latency", 8): [400.0], ("polympi", "latency", 8): [50.0]})
    ratios = judged_logs(run, absolute=False)
    assert ratios["binding"].to_list() == ["polympi"]
    assert np.exp(ratios["log"].to_list()) == pytest.approx([0.25])
    times = judged_logs(run, absolute=True)
    assert dict(zip(times["binding"], np.exp(times["log"]).round(6), strict=True)) == {"c": 100.0, "polympi": 50.0}
    assert reference_logs(run)["binding"].to_list() == ["c"]


def test_rows_of_both_runs_meet_in_order_and_gaps_are_gaps() -> None:
    before = medians(
        {
            ("b", "bcast", 8): [10.0, 20.0],
            ("b", "latency", 64): [1.0, None],
            ("b", "latency", 8): [2.0, 4.0],
            ("a", "latency", 8): [3.0, 3.0],
        }
    )
    after = medians({("b", "bcast", 8): [40.0], ("b", "latency", 64): [8.0], ("b", "latency", 8): [16.0]})
    values = meet(judged_logs(before, absolute=True), judged_logs(after, absolute=True))
    assert values.keys == [key("b", "latency", 8), key("b", "latency", 64), key("b", "bcast", 8)]
    assert np.exp(values.logs[[0, 2]]).tolist() == pytest.approx(np.array([[2, 4, 16], [10, 20, 40]]))
    assert np.isnan(values.logs[1]).tolist() == [False, True, False]
    assert [len(side) for side in values.sides(1)] == [1, 1]
    assert [(g.benchmark, g.rows) for g in groups_of(values)] == [("latency", range(2)), ("bcast", range(2, 3))]


def test_the_typical_row_moves_with_most_rows_and_not_with_one() -> None:
    level = {8: 100.0, 64: 1000.0, 512: 1e4}
    before = medians({("a", "latency", size): [ns, ns * 1.02] for size, ns in level.items()})
    most = medians({("a", "latency", size): [ns * (2 if size < 512 else 1)] * 2 for size, ns in level.items()})
    one = medians({("a", "latency", size): [ns * (2 if size == 8 else 1)] * 2 for size, ns in level.items()})
    for after, factor in ((most, 2.0), (one, 1.0)):
        values = meet(judged_logs(before, absolute=True), judged_logs(after, absolute=True))
        found = typical(values, groups_of(values))
        assert found.logs.shape == (1, 4)
        first, second = found.sides(0)
        assert np.exp(second.mean() - first.mean()) == pytest.approx(factor, rel=0.03)


def test_runs_without_a_common_row_have_no_values() -> None:
    runs = [judged_logs(medians({(name, "latency", 8): [1.0]}), absolute=True) for name in ("a", "b")]
    assert meet(*runs).keys == []
    assert groups_of(meet(*runs)) == []
