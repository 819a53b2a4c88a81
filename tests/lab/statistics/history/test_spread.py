"""By how much runs differ."""

import numpy as np
import pytest

from polympi.lab.statistics.history.spread import reach, spread_of, spreads


def test_the_spread_is_that_of_runs_with_or_without_a_step() -> None:
    medians = np.random.default_rng(1).normal(0, 0.05, 2000)
    assert spread_of(list(medians)) == pytest.approx(0.05, rel=0.08)
    assert spread_of(list(medians + np.repeat([0.0, 1.0], 1000))) == pytest.approx(0.05, rel=0.08)
    assert spread_of([1.0]) is None


def test_quiet_and_short_series_have_the_usual_spread() -> None:
    quiet, usual, loud = [0.0] * 8, [0.0, 0.1] * 4, [0.0, 0.4] * 4
    found = spreads([quiet, usual, usual, usual, loud, [0.0, 5.0]])
    assert found[0] == found[1] == pytest.approx(spread_of(usual))
    assert found[4] == pytest.approx(4 * found[1])
    assert found[5] < spread_of([0.0, 5.0])  # a step between two runs, or their spread: nobody knows


def test_chance_exceeds_the_reach_as_often_as_it_says() -> None:
    random = np.random.default_rng(2)
    differences = random.normal(0, 0.1, (4000, 3)).mean(axis=1) - random.normal(0, 0.1, (4000, 5)).mean(axis=1)
    beyond = np.mean(np.abs(differences) > reach(0.1, 3, 5, 0.05))
    assert beyond == pytest.approx(0.05, abs=0.012)
