"""What the benchmark of the other barrier selects, counts and says."""

import sys
from pathlib import Path

import pytest
from synthetic import make_run

from polympi.lab.statistics.analysis import analyse

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import another_barrier

NOTHING = (0.0, 0.0, 1.0)
CASES = [
    *[("latency", "standard", "bytes", size) for size in (8, 1024)],
    ("barrier", "standard", "none", 0),
    *[
        (name, "standard", "float64", size)
        for name in another_barrier.COLLECTIVES
        if name != "barrier"
        for size in (8, 1024)
    ],
]


def rows(path, polling, cases=CASES):
    effects = {"c": NOTHING, "c-again": NOTHING, "c-polling": polling}
    directory = make_run(path, cases=cases, effects=effects, blocks=20, noise=0.01, drift=0.02, events=1)
    return another_barrier.collective_rows(analyse(directory).summary)


def test_an_arm_without_an_effect_is_not_separated(tmp_path):
    found = rows(tmp_path / "run", NOTHING)
    assert another_barrier.is_met(found)
    assert set(found["binding"]) == {"c-polling", "c-again"}
    assert set(found["benchmark"]) == set(another_barrier.COLLECTIVES)
    assert f"0 of {len(found) // 2} rows" in another_barrier.conclusion(found, "mpich", 20)
    assert "the target is met" in another_barrier.conclusion(found, "mpich", 20)


def test_an_effect_of_a_few_per_cent_is_one_too_many(tmp_path):
    found = rows(tmp_path / "run", (0.0, 0.0, 0.95))
    assert not another_barrier.is_met(found)
    assert set(another_barrier.separated(found)["verdict"]) == {"faster"}
    assert "MISSED" in another_barrier.conclusion(found, "mpich", 20)


def test_a_collective_that_is_missing_is_not_met(tmp_path):
    found = rows(tmp_path / "run", NOTHING, [case for case in CASES if case[0] != "gather"])
    assert another_barrier.separated(found).is_empty()
    assert not another_barrier.is_met(found)


def test_rows_are_counted_by_benchmark_and_arm(tmp_path):
    found = another_barrier.found_in(rows(tmp_path / "run", (0.0, 0.0, 0.5)))
    bcast = {f.arm: f for f in found if f.benchmark == "bcast"}
    assert (bcast["c-polling"].rows, bcast["c-polling"].separated) == (2, 2)
    assert bcast["c-again"].separated == 0
    assert bcast["c-polling"].median == pytest.approx(0.5, rel=0.05)
    assert bcast["c-polling"].lowest <= bcast["c-polling"].median <= bcast["c-polling"].highest
    assert len(found) == 2 * len(another_barrier.COLLECTIVES)
