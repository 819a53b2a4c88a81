"""The pure parts of the benchmarks that examine the laboratory: what they select, estimate and count."""

import sys
from dataclasses import astuple
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from polympi.lab.errors import UsageError

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import evidence
import one_bad_launch


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
