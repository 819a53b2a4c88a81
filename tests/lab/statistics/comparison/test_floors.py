"""What noise explains of a change."""

import numpy as np
import pytest

from polympi.lab.statistics.comparison.floors import far_end, floors
from polympi.lab.statistics.comparison.values import Values
from polympi.lab.statistics.keys import RowKey
from polympi.lab.statistics.shifts import Shift


def test_the_farther_end_counts_whichever_side_it_is_on() -> None:
    assert far_end(Shift(0.0, -0.3, 0.1, 0.95)) == 0.3
    assert far_end(Shift(0.2, 0.1, 0.4, 0.95)) == 0.4
    assert far_end(Shift(0.2, None, None, None)) is None


def again(launches: int, spread: dict[tuple[str, int], float]) -> Values:
    random = np.random.default_rng(1)
    keys = [RowKey("mpich", "c-again", benchmark, "standard", "bytes", size, 2) for benchmark, size in spread]
    return Values(keys, np.array([random.normal(0, s, 2 * launches) for s in spread.values()]), launches)


def test_cases_are_pooled_in_their_benchmark_and_benchmarks_in_their_stack() -> None:
    cases = {("latency", size): 0.02 for size in (8, 64, 512, 4096)} | {
        ("bcast", size): 0.3 for size in (8, 64, 512, 4096)
    }
    found = floors(again(9, cases))
    latency = [floor for key, floor in found.cases.items() if key.benchmark == "latency"]
    bcast = [floor for key, floor in found.cases.items() if key.benchmark == "bcast"]
    assert max(latency) < 0.1 < min(bcast)
    assert found.groups["mpich", "latency"] < found.groups["mpich", "bcast"]
    assert found.groups["mpich", "latency"] > max(latency)  # of two benchmarks the median is half of the louder


def test_a_quiet_one_gets_the_median_of_its_neighbours_and_a_loud_one_keeps_its_own() -> None:
    spread = {("latency", 8 << k): 0.2 for k in range(7)} | {("latency", 2**18 << k): 0.01 for k in range(7)}
    values = again(9, spread | {("latency", 8): 0.0001, ("latency", 2**18): 1.0})
    found = {key.size_bytes: floor for key, floor in floors(values).cases.items()}
    assert found[8] > 0.05  # as its neighbours, however quiet
    assert found[2**18] > 0.3
    assert max(found[2**18 << k] for k in range(1, 7)) < 0.05  # small messages say nothing of large ones


def test_too_few_launches_give_no_floor() -> None:
    found = floors(again(3, {("latency", 8): 0.02}))
    assert (found.groups, found.cases) == ({}, {})


@pytest.mark.parametrize("jump", [0.0, 0.5])
def test_what_outlasts_a_run_is_seen_in_c_against_itself(jump: float) -> None:
    values = again(9, {("latency", 8): 0.02})
    values.logs[:, 9:] += jump
    assert (floors(values).cases[values.keys[0]] > 0.45) == (jump > 0)
