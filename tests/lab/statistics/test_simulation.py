"""Does the method keep its promises? Simulated runs of which the truth is known."""

from collections import Counter

import numpy as np
import pytest
from synthetic import make_run

from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.effects import paired_effect
from polympi.lab.statistics.intervals import interval_ranks, median_interval
from polympi.lab.statistics.sign_flips import flip_q_values
from polympi.lab.statistics.stopping import StopRule
from polympi.lab.statistics.verdicts import FASTER, LIMIT, SLOWER, verdict

REPLICATIONS = 3000
TRUE_RATIO = 1.3
# Of skewed noise the mean of two launches has a larger median than one launch. The bias is a twelfth of the spread of a
# launch, which costs the narrow intervals of many launches about 0.8 percentage points; 3000 runs tell 0.4 (one s.e.).
SKEW = 0.015
ARMS, CASES = 9, 83  # about 750 rows, as a quick run of all bindings has
TABLES = 100
MOST_OF_5_PERCENT = 0.11  # of 100 tables with a chance of 5 % each, more than 11 are this in one of 200 simulations


def drifting_pairs(random, blocks):
    """Times of a binding and of both launches of C: a random walk common to all, skewed noise for each launch."""
    walk = np.exp(np.cumsum(random.normal(0, 0.1, blocks)))
    noise = np.exp(random.gumbel(0, 0.02, (3, blocks)))
    return TRUE_RATIO * 900 * walk * noise[0], 900 * walk * np.sqrt(noise[1] * noise[2])


def coverage(blocks, seed):
    random = np.random.default_rng(seed)
    effects = (paired_effect(*drifting_pairs(random, blocks)) for _ in range(REPLICATIONS))
    return np.mean([e.log_interval.low <= np.log(TRUE_RATIO) <= e.log_interval.high for e in effects])


@pytest.mark.parametrize("blocks", [6, 9, 10, 12, 15, 17, 20, 23, 30])
def test_intervals_of_drifting_launches_cover_the_truth(blocks):
    nominal = interval_ranks(blocks)[2]
    assert 0.945 <= nominal <= 0.98
    found = coverage(blocks, seed=blocks)
    assert 0.93 <= found <= nominal + SKEW
    assert found >= nominal - SKEW


@pytest.mark.parametrize("spread", [0.005, 0.01, 0.015, 0.02, 0.03])
def test_stopping_at_a_precision_costs_little_coverage(spread):
    """A row stops when its interval happens to be narrow, which makes it cover a little less often than it says."""
    random = np.random.default_rng(round(1000 * spread))
    rule = StopRule(6, 30)
    covered = []
    for _ in range(400):
        ratios = random.normal(0, spread, 30)
        blocks = next(n for n in range(6, 31) if rule.check(1e5 * ratios[:n], ratios[:n]))
        interval = median_interval(ratios[:blocks])
        covered.append(interval.low <= 0 <= interval.high)
    assert np.mean(covered) >= 0.90


@pytest.mark.slow
def test_null_runs_at_quick_settings_show_almost_nothing(tmp_path):
    nothing = (0.0, 0.0, 1.0)
    effects = dict.fromkeys(("c", "c-again", "same", "same-too"), nothing)
    verdicts = {"again": Counter(), "others": Counter()}
    for seed in range(10):
        summary = analyse(make_run(tmp_path / str(seed), seed=seed, effects=effects, events=1)).summary
        compared = summary.filter(verdict="reference").height
        assert compared > 25
        rows = summary.remove(verdict="reference").remove(benchmark="startup")
        for binding, word in rows.select("binding", "verdict").iter_rows():
            verdicts["again" if binding == "c-again" else "others"][word] += 1
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


def log_ratio_table(random, blocks, *, arms=ARMS, cases=CASES, common=0.03, own=0.03, bad=0.03):
    """Log-ratios without any effect: skewed noise for each launch and each time, and launches that go wrong."""

    def launches(count):
        noise = random.gumbel(0, common, (count, 1, blocks)) + random.gumbel(0, own, (count, cases, blocks))
        wrong = random.random((count, 1, blocks)) < bad
        return noise + np.where(wrong, np.log(3) * random.random((count, 1, blocks)), 0)

    drift = np.cumsum(random.normal(0, 0.1, blocks))
    times, c = drift + launches(arms), drift + launches(2)
    return (times - c.mean(axis=0)).reshape(arms * cases, blocks)


def called(table):
    """Which rows are slower or faster if the noise floor takes none away."""
    rows = zip(table, flip_q_values(table), strict=True)
    words = [q <= LIMIT and verdict(paired_effect(np.exp(row), np.ones(len(row))), 0.0, q) for row, q in rows]
    return np.array([word in (SLOWER, FASTER) for word in words])


@pytest.mark.parametrize(
    ("blocks", "noise"),
    [
        *((blocks, {}) for blocks in (6, 10)),
        (9, {"common": 0.1, "own": 0.01}),
        *((blocks, {"arms": 1, "common": 0.1, "own": 0.01}) for blocks in (9, 20)),
    ],
)
@pytest.mark.slow
def test_a_table_without_effects_seldom_has_a_verdict(blocks, noise):
    """Without an effect every verdict is false: 5 % of the tables may have one, however many rows move together."""
    random = np.random.default_rng(blocks)
    tables = [called(log_ratio_table(random, blocks, **noise)) for _ in range(TABLES)]
    assert np.mean([table.any() for table in tables]) <= MOST_OF_5_PERCENT
    assert np.mean([table.mean() for table in tables]) <= 0.05


@pytest.mark.parametrize("blocks", [9, 10])
@pytest.mark.parametrize("rows", [40, 750, 1000])
def test_a_lone_clear_effect_is_found_in_a_table_of_any_size(blocks, rows):
    random = np.random.default_rng(rows + blocks)
    found = []
    for _ in range(20):
        table = log_ratio_table(random, blocks, arms=-(-rows // 50), cases=50, common=0.015, own=0.02, bad=0)[:rows]
        table[0] += np.log(1.3)
        found.append(called(table)[0])
    assert np.mean(found) >= 0.9


@pytest.mark.parametrize("true", [40, 400, 700])
def test_of_many_effects_most_are_found_and_few_verdicts_are_false(true):
    random = np.random.default_rng(true)
    found, false = [], []
    for _ in range(10):
        table = log_ratio_table(random, 9, common=0.015, own=0.02, bad=0.02)
        chosen = random.permutation(len(table))[:true]
        table[chosen] += random.choice(np.log([1.2, 1.5, 4]), true)[:, None]
        verdicts = called(table)
        found.append(verdicts[chosen].mean())
        false.append((verdicts.sum() - verdicts[chosen].sum()) / max(1, verdicts.sum()))
    assert np.mean(found) >= 0.95
    assert np.mean(false) <= 0.05
