"""The simulation of ``polympi diff``, small; its pairs are the same in every run."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import diff_simulation as simulation

FEW = ("latency/standard/bytes", "bandwidth/standard/bytes", "bcast/standard/bytes", "barrier")


def test_a_made_up_run_has_every_arm_in_every_block_and_only_the_planted_change() -> None:
    quiet = simulation.Noise(0, 0, 0, 0, 0, 0, 0, later=1.3)
    machine = simulation.Machine(3, quiet, np.random.default_rng(1), FEW)
    before, after = (machine.run(simulation.PLANTED[0], later=later) for later in (False, True))
    arms, cases = len(simulation.BINDINGS) + 2, len(machine.cases)
    assert before.height == 3 * arms * cases
    assert before.group_by("block", "binding").len()["len"].unique().to_list() == [cases]
    factors = after.with_columns(factor=after["median_ns"] / before["median_ns"])
    planted = (pl.col("binding") == simulation.CHANGED) & (pl.col("benchmark") == "latency")
    sizes = sum(case.benchmark == "latency" for case in machine.cases)
    assert factors.filter(planted)["factor"].to_list() == pytest.approx([3.9] * 3 * sizes)
    assert factors.remove(planted)["factor"].to_list() == pytest.approx([1.3] * (before.height - 3 * sizes))


@pytest.mark.parametrize("launches", [6, 9])
@pytest.mark.slow
def test_equal_runs_show_nothing_slower(launches: int) -> None:
    pairs = 50  # docs/evidence.md has 1000
    outcomes = simulation.simulate(simulation.EQUAL, pairs, launches=launches, benches=FEW)
    assert sum(outcome.slower > 0 for outcome in outcomes) <= 0.05 * pairs
    assert all(outcome.groups == 30 for outcome in outcomes)
    assert {outcome.exit_code for outcome in outcomes} <= {0, 1, 3}
    assert sum(outcome.same for outcome in outcomes) > (0.3 if launches == 6 else 0.6) * pairs * 30


@pytest.mark.parametrize("scenario", simulation.PLANTED, ids=lambda scenario: scenario.name)
def test_what_is_planted_is_found_among_nine_launches(scenario: simulation.Scenario) -> None:
    outcomes = simulation.simulate(scenario, 10, launches=9)
    assert simulation.share(outcomes, lambda o: o.found) >= 0.9
    assert all(outcome.exit_code == 1 for outcome in outcomes if outcome.found)


def test_targets_are_missed_when_they_should_be() -> None:
    outcome = simulation.Outcome("nothing", 9, 0, found=False, groups=30, slower=0, faster=0, same=30, unknown=0)
    wrong = replace(outcome, exit_code=1, slower=1)
    assert simulation.is_met([outcome] * 95 + [wrong] * 5)
    assert not simulation.is_met([outcome] * 94 + [wrong] * 6)
    found = replace(wrong, scenario="latency, 3 times", found=True)
    missed = replace(outcome, scenario="latency, 3 times")
    elsewhere = replace(wrong, scenario="latency, 3 times")
    assert simulation.is_met([found] * 95 + [missed] * 5)
    assert not simulation.is_met([found] * 94 + [elsewhere] * 6)
    assert elsewhere.false_alarm
    assert not found.false_alarm
