"""The simulation of ``polympi history``, small; its histories are the same in every run."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import history_simulation as simulation

FEW = ("latency/standard/bytes", "barrier")


@pytest.mark.parametrize("between", [0.0, simulation.BETWEEN])
def test_changes_are_found_at_their_runs_and_no_others(between: float) -> None:
    equal, planted = (
        simulation.simulate(scenario, 12, runs=8, between=between, seed=3, benches=FEW)
        for scenario in (simulation.EQUAL, simulation.PLANTED)
    )
    assert sum(outcome.false > 0 for outcome in [*equal, *planted]) <= 1
    assert sum(outcome.found for outcome in planted) >= (11 if between == 0 else 6)
    assert not any(outcome.found for outcome in equal)


def test_targets_are_missed_when_they_should_be() -> None:
    quiet = simulation.Outcome("nothing", 0.0, found=False, late=False, false=0, last=False, groups=24)
    alarm = replace(quiet, false=1)
    assert simulation.is_met([quiet] * 95 + [alarm] * 5)
    assert not simulation.is_met([quiet] * 94 + [alarm] * 6)
    found = replace(quiet, scenario=simulation.PLANTED.name, found=True)
    late = replace(found, found=False, late=True)
    assert simulation.is_met([found] * 95 + [late] * 5)
    assert not simulation.is_met([found] * 94 + [late] * 6)
    assert not simulation.is_met([replace(late, between=0.03)] * 100)
