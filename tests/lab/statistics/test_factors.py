"""What settings, placements and other stacks cost: planted effects are found, and nothing else is."""

import math

import numpy as np
import polars as pl
import pytest
from launch_medians import a_run, launch_medians, launches_of
from scipy.stats import wilcoxon
from synthetic import make_run

from polympi.lab.records import Level, StackRun
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.factors import Contrast, contrasts, factor_rows
from polympi.lab.statistics.floor import floor_between
from polympi.lab.statistics.intervals import median_interval
from polympi.lab.statistics.keys import RowKey

ARMS = ["c", "c-again", "mpi4py"]
BASE = Level()
OFF = Level(factor="setting", name="off", environment={"A": "0"})


def run_of(stacks=("mpich",), levels=(BASE, OFF), ranks=(0,), **other):
    planned = [
        StackRun(stack=named(stack, level.name, n), installed=stack, level=level.name, bindings=ARMS, ranks=n)
        for stack in stacks
        for n in ranks
        for level in levels or (BASE,)
    ]
    return a_run(stacks=planned, levels=list(levels), **other)


def named(stack, level="", ranks=0):
    return ", ".join([stack, *([f"{ranks} ranks"] if ranks else []), *([level] if level else [])])


def medians(times):
    """Launch medians of one case, block by block, by stack and binding."""
    return pl.concat(launch_medians(map(float, t), binding, stack) for (stack, binding), t in times.items())


def key(stack, binding="c-again"):
    return RowKey(stack, binding, "latency", "standard", "bytes", 8, 2)


def rows_of(times, run=None, records=None, floors=None):
    frame = medians(times)
    return factor_rows(frame, run or run_of(), launches_of(frame) if records is None else records, floors or {})


def test_each_level_is_compared_with_the_base_on_its_stack_and_each_stack_with_the_first_at_the_base() -> None:
    found = contrasts(run_of(stacks=("mpich", "openmpi")))
    assert found == [
        Contrast("setting", "off", "", "mpich, off", "mpich"),
        Contrast("setting", "off", "", "openmpi, off", "openmpi"),
        Contrast("stack", "openmpi", "mpich", "openmpi", "mpich"),
    ]


def test_numbers_of_ranks_are_compared_each_with_itself() -> None:
    found = contrasts(run_of(ranks=(2, 4)))
    assert [(one.stack, one.base_stack) for one in found] == [
        ("mpich, 2 ranks, off", "mpich, 2 ranks"),
        ("mpich, 4 ranks, off", "mpich, 4 ranks"),
    ]
    assert contrasts(run_of(levels=())) == []


def test_what_drifts_from_block_to_block_cancels_for_c_and_for_a_binding() -> None:
    weather = np.exp(np.random.default_rng(1).normal(0.0, 0.5, 9))
    times = {("mpich", "c"): 1000 * weather, ("mpich", "c-again"): 1000 * weather, ("mpich", "mpi4py"): 2000 * weather}
    times |= {
        ("mpich, off", "c"): 1500 * weather,
        ("mpich, off", "c-again"): 1500 * weather,
        ("mpich, off", "mpi4py"): 2500 * weather,
    }
    of_c, of_mpi4py = rows_of(times)
    assert (of_c.binding, of_mpi4py.binding) == ("c", "mpi4py")
    assert (of_c.ratio, of_c.ratio_low, of_c.ratio_high) == pytest.approx((1.5, 1.5, 1.5))
    assert of_mpi4py.ratio == pytest.approx(1.25)
    assert of_mpi4py.delta_ns == pytest.approx(500 * np.median(weather))
    assert (of_c.stack, of_c.base_stack, of_c.level, of_c.blocks) == ("mpich, off", "mpich", "off", 9)


def test_c_is_the_mean_of_its_two_launches_and_one_of_them_where_the_other_is_missing() -> None:
    times = {("mpich", "c"): [100.0] * 6, ("mpich", "c-again"): [400.0] * 6, ("mpich, off", "c"): [100.0] * 6}
    [row] = rows_of(times)
    assert (row.base_ns, row.median_ns, row.ratio) == pytest.approx((200.0, 100.0, 0.5))
    assert rows_of({("mpich", "c-again"): [1.0] * 6, ("mpich, off", "c-again"): [2.0] * 6}) == []


def test_interval_and_signs_are_those_of_the_log_ratios() -> None:
    random = np.random.default_rng(3)
    off, on = random.lognormal(7.2, 0.1, 9), random.lognormal(7, 0.1, 9)
    [row] = rows_of({("mpich", "mpi4py"): on, ("mpich, off", "mpi4py"): off})
    wanted = median_interval(np.log(off / on))
    assert wanted is not None
    assert (row.ratio_low, row.ratio_high) == pytest.approx((math.exp(wanted.low), math.exp(wanted.high)))
    assert row.confidence == wanted.coverage
    assert (row.p_value < 0.05) == (wilcoxon(np.log(off / on)).pvalue < 0.05)


def test_blocks_before_and_after_a_break_are_no_pair() -> None:
    frame = medians({("mpich", "mpi4py"): [100.0] * 8, ("mpich, off", "mpi4py"): [200.0] * 8})
    records = launches_of(frame)
    for record in records:
        late = record.block >= 6 or (record.block == 5 and record.stack == "mpich, off")
        record.started = f"2026-01-01T0{5 if late else 1}:00:00+00:00"
    run = run_of(resumed=["2026-01-01T03:00:00+00:00"])
    [row] = factor_rows(frame, run, records, {})
    assert row.blocks == 7  # of block 5 one half was made before the break


def test_without_an_a_a_arm_at_both_levels_a_row_is_at_best_ambiguous() -> None:
    times = {("mpich", "mpi4py"): [100.0] * 9, ("mpich, off", "mpi4py"): [200.0] * 9}
    [row] = rows_of(times, floors={key("mpich"): 0.01})
    assert (row.verdict, row.floor_ratio) == ("ambiguous", None)
    [row] = rows_of(times, floors={key("mpich"): 0.01, key("mpich, off"): 0.02})
    assert row.verdict == "slower"
    assert row.floor_ratio == pytest.approx(math.exp(floor_between(0.01, 0.02, of_means=False)))


def test_an_effect_within_the_noise_of_either_level_is_not_separated() -> None:
    times = {("mpich", "mpi4py"): [100.0] * 9, ("mpich, off", "mpi4py"): [105.0] * 9}
    [row] = rows_of(times, floors={key("mpich"): 0.001, key("mpich, off"): 0.1})
    assert row.verdict == "not separated"


@pytest.mark.parametrize("of_means", [False, True])
def test_the_floor_between_two_levels_is_the_reach_of_the_noise_of_their_ratio(of_means: bool) -> None:
    """From many made-up cases: half the interval of a ratio without an effect is as long as the floor says."""
    random, noise = np.random.default_rng(5), {"base": 0.02, "level": 0.06}
    floors, reaches = [], []
    for _ in range(4000):
        c, again = ({name: random.normal(0, s, 9) for name, s in noise.items()} for _ in range(2))
        own = {name: _half(c[name] - again[name]) * math.sqrt(1.5 / 2) for name in noise}
        floors.append(floor_between(own["base"], own["level"], of_means=of_means))
        ratio = c["level"] - c["base"]
        reaches.append(_half((ratio + again["level"] - again["base"]) / 2 if of_means else ratio))
    # The root of the mean square is what adds up.
    assert np.sqrt(np.mean(np.square(floors))) == pytest.approx(np.sqrt(np.mean(np.square(reaches))), rel=0.03)


def _half(values) -> float:
    interval = median_interval(values)
    assert interval is not None
    return (interval.high - interval.low) / 2


def test_a_planted_setting_is_found_in_all_bindings_and_one_that_does_nothing_in_none(tmp_path) -> None:
    run = make_run(tmp_path / "run", levels={"slow": (0.0, 0.0, 1.2), "nothing": (0.0, 0.0, 1.0)})
    rows = [row for row in analyse(run).factors if row.benchmark != "startup"]
    assert {row.factor for row in rows} == {"setting"}
    slow, nothing = ([row for row in rows if row.level == name] for name in ("slow", "nothing"))
    assert {row.binding for row in slow} == {"c", "mpi4py", "mpi4py-object"}
    assert {row.verdict for row in slow} == {"slower"}
    assert all(abs(row.ratio - 1.2) < 0.05 for row in slow if row.binding == "c")
    assert sum(row.verdict in ("slower", "faster") for row in nothing) <= 0.05 * len(nothing)


@pytest.mark.slow
def test_false_alarms_among_settings_that_do_nothing_are_rare(tmp_path) -> None:
    """Of eight runs in which no level differs from the base, hardly a row is called slower or faster."""
    cases = [("latency", "standard", "bytes", 2**n) for n in range(12)]
    alarms = total = 0
    for seed in range(8):
        run = make_run(tmp_path / f"{seed}", seed=seed, cases=cases, events=0, levels={"nothing": (0.0, 0.0, 1.0)})
        rows = [row for row in analyse(run).factors if row.benchmark == "latency"]
        alarms += sum(row.verdict in ("slower", "faster") for row in rows)
        total += len(rows)
    assert total == 8 * 12 * 3
    assert alarms <= 0.05 * total
