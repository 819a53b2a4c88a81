"""What noise explains of a change."""

from __future__ import annotations

import numpy as np
import pytest

from polympi.lab.statistics.comparison.floors import far_end, floors, pooled
from polympi.lab.statistics.comparison.values import Values
from polympi.lab.statistics.shifts import Shift
from polympi.lab.statistics.summary import RowKey


def test_the_farther_end_counts_whichever_side_it_is_on() -> None:
    assert far_end(Shift(0.0, -0.3, 0.1, 0.95)) == 0.3
    assert far_end(Shift(0.2, 0.1, 0.4, 0.95)) == 0.4
    assert far_end(Shift(0.2, None, None, None)) is None


def test_a_quiet_one_gets_the_median_of_its_neighbours_and_a_loud_one_keeps_its_own() -> None:
    ends = {"a": 0.01, "b": 0.1, "c": 0.5, "d": None, "elsewhere": 0.02, "nowhere": None}
    beside = dict.fromkeys("abcd", "here") | {"elsewhere": "there", "nowhere": "void"}
    assert pooled(ends, beside) == {"a": 0.1, "b": 0.1, "c": 0.5, "d": 0.1, "elsewhere": 0.02}


def again(launches: int, spread: dict[tuple[str, int], float]) -> Values:
    random = np.random.default_rng(1)
    keys = [RowKey("mpich", "c-again", benchmark, "standard", "bytes", size, 2) for benchmark, size in spread]
    return Values(keys, np.array([random.normal(0, s, 2 * launches) for s in spread.values()]), launches)


def test_cases_are_pooled_in_their_benchmark_and_benchmarks_in_their_stack() -> None:
    cases = {("latency", size): 0.02 for size in (8, 64, 512)} | {("bcast", size): 0.3 for size in (8, 64, 512)}
    found = floors(again(9, cases))
    latency = [floor for key, floor in found.cases.items() if key.benchmark == "latency"]
    bcast = [floor for key, floor in found.cases.items() if key.benchmark == "bcast"]
    assert max(latency) < 0.1 < min(bcast)
    assert found.groups["mpich", "latency"] < found.groups["mpich", "bcast"]
    assert found.groups["mpich", "latency"] > max(latency)  # of two benchmarks the median is half of the louder


def test_too_few_launches_tell_no_floor() -> None:
    found = floors(again(3, {("latency", 8): 0.02}))
    assert (found.groups, found.cases) == ({}, {})


@pytest.mark.parametrize("jump", [0.0, 0.5])
def test_what_outlasts_a_run_is_seen_in_c_against_itself(jump: float) -> None:
    values = again(9, {("latency", 8): 0.02})
    values.logs[:, 9:] += jump
    assert (floors(values).cases[values.keys[0]] > 0.45) == (jump > 0)
