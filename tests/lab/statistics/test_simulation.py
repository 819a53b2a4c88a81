"""Does the method keep its promises? Simulated runs of which the truth is known."""

from collections import Counter

import numpy as np
import pytest
from synthetic import make_run

from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.effects import paired_effect
from polympi.lab.statistics.intervals import interval_ranks, median_interval
from polympi.lab.statistics.stopping import PreciseBlocks

REPLICATIONS = 3000
TRUE_RATIO = 1.3


def drifting_pairs(random, blocks):
    """Launch medians of a binding and of C: a random walk common to both, skewed noise for each launch."""
    walk = np.exp(np.cumsum(random.normal(0, 0.1, blocks)))
    noise = np.exp(random.gumbel(0, 0.02, (2, blocks)))
    return TRUE_RATIO * 900 * walk * noise[0], 900 * walk * noise[1]


def coverage(blocks, seed):
    random = np.random.default_rng(seed)
    effects = (paired_effect(*drifting_pairs(random, blocks)) for _ in range(REPLICATIONS))
    return np.mean([e.log_interval.low <= np.log(TRUE_RATIO) <= e.log_interval.high for e in effects])


@pytest.mark.parametrize("blocks", [6, 9, 12, 15, 17, 20, 23])
def test_intervals_of_drifting_launches_cover_the_truth(blocks):
    nominal = interval_ranks(blocks)[2]
    assert 0.945 <= nominal <= 0.97
    found = coverage(blocks, seed=blocks)
    assert 0.93 <= found <= 0.975
    assert found >= nominal - 0.01


@pytest.mark.parametrize("blocks", [10, 30])
def test_intervals_keep_their_nominal_coverage_where_that_is_higher(blocks):
    assert coverage(blocks, seed=blocks) == pytest.approx(interval_ranks(blocks)[2], abs=0.012)


@pytest.mark.parametrize("spread", [0.005, 0.01, 0.015, 0.02, 0.03])
def test_stopping_at_a_precision_costs_little_coverage(spread):
    """A row stops when its interval happens to be narrow, which makes it cover a little less often than it says."""
    random = np.random.default_rng(round(1000 * spread))
    rule = PreciseBlocks(6, 30)
    covered = []
    for _ in range(400):
        ratios = random.normal(0, spread, 30)
        blocks = next(n for n in range(6, 31) if rule.check(1e5 * ratios[:n], ratios[:n]))
        interval = median_interval(ratios[:blocks])
        covered.append(interval.low <= 0 <= interval.high)
    assert np.mean(covered) >= 0.90


def test_null_runs_at_quick_settings_show_almost_nothing(tmp_path):
    nothing = (0.0, 0.0, 1.0)
    effects = dict.fromkeys(("c", "c-again", "same", "same-too"), nothing)
    verdicts = {"again": Counter(), "others": Counter()}
    for seed in range(10):
        summary = analyse(make_run(tmp_path / str(seed), seed=seed, effects=effects, events=1)).summary
        compared = summary.filter(verdict="reference").height
        assert compared > 25
        rows = summary.remove(verdict="reference").remove(benchmark="startup")
        for binding, verdict in rows.select("binding", "verdict").iter_rows():
            verdicts["again" if binding == "c-again" else "others"][verdict] += 1
    for counts in verdicts.values():
        judged = sum(counts.values())
        assert judged >= 260
        assert counts["slower"] + counts["faster"] <= 0.05 * judged
        assert counts["ambiguous"] <= 0.05 * judged
        assert counts["not separated"] >= 0.95 * judged


def test_real_effects_do_not_make_the_again_arm_look_different(tmp_path):
    effects = {"c": (0, 0, 1), "c-again": (0, 0, 1)} | {f"slow-{i}": (300.0, 0.1, 1.0) for i in range(4)}
    counts = Counter()
    for seed in range(4):
        summary = analyse(make_run(tmp_path / str(seed), seed=seed, effects=effects, events=1, blocks=10)).summary
        counts.update(summary.filter(binding="c-again")["verdict"])
        slow = summary.filter(binding="slow-0", benchmark="latency", size_bytes=8)
        assert set(slow["verdict"]) == {"slower"}
    assert counts["slower"] + counts["faster"] <= 0.05 * counts.total()
