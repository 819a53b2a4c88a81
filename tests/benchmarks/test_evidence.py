"""The pure parts of the benchmarks that examine the laboratory: what they select, estimate and count."""

import math
import sys
from dataclasses import astuple
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from synthetic import make_run

from polympi.lab.errors import UsageError
from polympi.lab.statistics.analysis import analyse

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import evidence
import noise
import one_bad_launch
import planted_delay

NOTHING = (0.0, 0.0, 1.0)
LATENCY = [("latency", "standard", "bytes", 2**k) for k in range(3, 11)]


@pytest.mark.parametrize(("delay", "met"), [(200.0, True), (100.0, False), (300.0, False), (0.0, False)])
def test_a_delay_is_found_and_sized(tmp_path, delay, met):
    effects = {"c": NOTHING, "c-again": NOTHING, "c-delayed": (delay, 0.0, 1.0)}
    directory = make_run(tmp_path / "run", cases=LATENCY, effects=effects, noise=0.005, drift=0.02, events=1)
    found = planted_delay.found_delays(analyse(directory).summary)
    assert [f.size_bytes for f in found] == [size for *_, size in LATENCY]
    assert planted_delay.is_met(found) is met
    assert ("the target is met" if met else "MISSED") in planted_delay.conclusion(found, "mpich")
    if delay:
        assert all(f.low_ns < delay < f.high_ns for f in found[:1])


def test_a_delay_of_the_right_size_does_not_count_where_it_is_not_found():
    found = [planted_delay.Found(8, 900.0, 200.0, -10.0, 410.0, "not separated")]
    assert not planted_delay.is_met(found)


def test_again_rows_are_those_that_could_have_been_separated(tmp_path):
    effects = {"c": NOTHING, "c-again": NOTHING, "mpi4py": (500.0, 0.0, 1.0)}
    summary = analyse(make_run(tmp_path / "run", effects=effects, events=1)).summary
    rows = noise.again_rows(summary)
    assert set(rows["binding"]) == {"c-again"}
    assert "import" not in rows["mode"]  # C loads nothing
    assert rows.height == summary.filter(binding="c-again").height
    few = analyse(make_run(tmp_path / "few", effects=effects, blocks=5, events=1)).summary
    assert noise.again_rows(few).is_empty()


def again(verdicts, ratio=1.02):
    figures = ("ratio_to_c", "ratio_low", "ratio_high", "confidence")
    schema = {"verdict": pl.String} | dict.fromkeys(figures, pl.Float64)
    rows = [
        (verdict, ratio, *((0.9, 1.1) if verdict == "not separated" else (0.99 * ratio, 1.01 * ratio)), 0.96875)
        for verdict in verdicts
    ]
    return pl.DataFrame(rows, schema=schema, orient="row")


def test_counting_takes_both_directions():
    counted = noise.count_rows(again(["slower", "faster", "ambiguous", *["not separated"] * 37], ratio=1 / 1.02))
    assert (counted.rows, counted.separated, counted.excluding) == (40, 2, 3)
    assert counted.share == pytest.approx(0.05)
    assert counted.expected == pytest.approx(40 / 32)
    assert counted.largest == pytest.approx(1.02)
    assert noise.is_met(counted)
    assert "2 of 40 A/A rows (5.0%)" in noise.conclusion(counted, 10, "mpich")
    assert "3 exclude 1, where chance alone gives about 1.2" in noise.conclusion(counted, 10, "mpich")


def test_one_row_more_misses_the_target_and_so_does_no_row():
    assert not noise.is_met(noise.count_rows(again([*["slower"] * 3, *["not separated"] * 37])))
    nothing = noise.count_rows(again([]))
    assert math.isclose(nothing.largest, 1.0)
    assert not noise.is_met(nothing)


def test_only_complete_quick_runs_on_the_stack_are_counted(tmp_path, capsys):
    effects = {"c": NOTHING, "c-again": NOTHING}
    small = {"cases": LATENCY[:1], "effects": effects, "events": 1}
    make_run(tmp_path / "run-01", **small)
    make_run(tmp_path / "run-02", ended="interrupted", **small)
    make_run(tmp_path / "run-03", profile="standard", **small)
    make_run(tmp_path / "run-04", stacks=("openmpi",), **small)
    make_run(tmp_path / "run-05", **small)
    assert [run.path.name for run in noise.runs_in(tmp_path, "mpich")] == ["run-01", "run-05"]
    assert capsys.readouterr().err.count("not counted") == 3


def test_raw_figures_are_never_overwritten(tmp_path):
    file = tmp_path / "raw.csv"
    evidence.refuse_existing(file)
    evidence.keep_raw(pl.DataFrame({"size_bytes": [8]}), file)
    assert file.read_text() == "size_bytes\n8\n"
    with pytest.raises(UsageError, match="never overwritten"):
        evidence.refuse_existing(file)
    with pytest.raises(FileExistsError):
        evidence.keep_raw(pl.DataFrame({"size_bytes": [9]}), file)
    with pytest.raises(UsageError, match="no folder"):
        evidence.refuse_existing(tmp_path / "none" / "raw.csv")


def simulated(design, bad, runs=8, factor=3.0):
    random = np.random.default_rng(5)
    rows = [astuple(row) for _ in range(runs) for row in one_bad_launch.simulate(design, bad, factor, random)]
    return one_bad_launch.shares(pl.DataFrame(rows, schema=list(one_bad_launch.Judged.__annotations__), orient="row"))


def test_one_bad_launch_of_c_hides_an_effect_in_six_blocks_and_not_in_nine():
    (six,) = simulated(one_bad_launch.Design(6, both=False), "C").to_dicts()
    quick = pl.concat([simulated(one_bad_launch.QUICK, bad) for bad in ("none", "C", "binding")])
    assert six["slower_1.5"] < 0.1
    assert quick["slower_1.5"].min() > 0.95
    assert quick["width"].max() < 0.2
    assert six["width"] > 0.5
    assert one_bad_launch.is_met(quick)
    assert not one_bad_launch.is_met(pl.DataFrame([six]))


def test_both_launches_of_c_make_the_intervals_narrower():
    once, twice = (simulated(one_bad_launch.Design(9, both=both), "none", runs=12) for both in (False, True))
    assert twice["width"][0] < 0.95 * once["width"][0]
    assert twice["coverage"][0] > 0.9


@pytest.mark.parametrize(("column", "value"), [("slower_1.5", 0.9), ("slower_4.2", 0.9), ("false", 0.06)])
def test_a_quick_run_that_does_not_withstand_a_bad_launch_misses_the_target(column, value):
    kept = {"design": one_bad_launch.QUICK.name, "slower_1.5": 1.0, "slower_4.2": 1.0, "false": 0.0}
    assert one_bad_launch.is_met(pl.DataFrame([kept]))
    assert not one_bad_launch.is_met(pl.DataFrame([kept, kept | {column: value}]))
