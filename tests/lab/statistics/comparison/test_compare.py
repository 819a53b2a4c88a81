"""Runs compared that are made up: what is planted is found, what is not is not."""

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from synthetic import EFFECTS, SIZES, make_run

from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.comparison.compare import compare, compare_medians
from polympi.lab.statistics.comparison.model import Comparison, GroupChange, RowChange
from polympi.lab.statistics.comparison.verdicts import exit_code_of
from polympi.lab.statistics.model import Analysis

CASES = [("latency", "standard", "bytes", s) for s in SIZES] + [("barrier", "standard", "none", 0)]
SLOWED = EFFECTS | {"mpi4py": (520.0, 0.0, 1.2)}
Make = Callable[..., Analysis]


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Make:
    folder = tmp_path_factory.mktemp("runs")
    counter = iter(range(100))

    def make(seed: int, **options: object) -> Analysis:
        settings = {"cases": CASES, "events": 1, "blocks": 9} | options
        return analyse(make_run(folder / str(next(counter)), seed=seed, **settings))

    return make


@pytest.fixture(scope="module")
def before(analysed: Make) -> Analysis:
    return analysed(1)


def groups(comparison: Comparison, **fields: str) -> list[GroupChange]:
    return [g for g in comparison.groups if all(getattr(g, name) == value for name, value in fields.items())]


def rows(comparison: Comparison, **fields: object) -> list[RowChange]:
    return [r for r in comparison.rows if all(getattr(r, name) == value for name, value in fields.items())]


def exit_code(comparison: Comparison) -> int:
    return exit_code_of([group.verdict for group in comparison.groups])


def test_the_same_code_on_a_machine_that_drifted_is_the_same(before: Analysis, analysed: Make) -> None:
    twice = {name: (2 * per_call, 2 * per_byte, 2.0) for name, (per_call, per_byte, _) in EFFECTS.items()}
    comparison = compare(before, analysed(2, drift=0.3, effects=twice))
    assert {group.binding for group in comparison.groups} == {"mpi4py", "mpi4py-object"}
    latency = groups(comparison, benchmark="latency")
    assert [group.verdict for group in latency] == ["same", "same"]
    assert all(group.c_change is not None and group.c_change > 1.6 for group in latency)
    assert "slower" not in {row.verdict for row in comparison.rows}
    assert exit_code(comparison) == 0


def test_a_planted_slowdown_is_found_and_sized(before: Analysis, analysed: Make) -> None:
    comparison = compare(before, analysed(3, effects=SLOWED))
    (group,) = groups(comparison, binding="mpi4py", benchmark="latency")
    assert (group.verdict, group.rows, group.launches_before, group.launches_after) == ("slower", len(SIZES), 9, 9)
    assert group.change_low is not None
    assert group.change_low < group.change < group.change_high
    (row,) = rows(comparison, binding="mpi4py", size_bytes=2**22)
    assert row.verdict == "slower"
    assert row.change == pytest.approx(1.2, rel=0.02)
    assert row.after / row.before == pytest.approx(1.2, rel=0.02)
    assert {group.verdict for group in groups(comparison, binding="mpi4py-object")} == {"same"}
    assert exit_code(comparison) == 1


def test_the_way_back_is_faster(before: Analysis, analysed: Make) -> None:
    comparison = compare(analysed(3, effects=SLOWED), before)
    (group,) = groups(comparison, binding="mpi4py", benchmark="latency")
    assert group.verdict == "faster"
    assert exit_code(comparison) == 0


@pytest.mark.parametrize(("threshold", "verdict"), [(0.05, "slower"), (0.1, "slower"), (0.3, "same")])
def test_a_change_below_the_threshold_is_never_slower(
    before: Analysis, analysed: Make, threshold: float, verdict: str
) -> None:
    comparison = compare(before, analysed(3, effects=SLOWED), threshold=threshold)
    (row,) = rows(comparison, binding="mpi4py", size_bytes=2**22)
    assert row.verdict == verdict
    assert (exit_code(comparison) == 1) == (verdict == "slower")


def test_a_change_within_what_c_shows_against_itself_is_not_known(analysed: Make) -> None:
    """C that is 1.4 times as slow against itself in one run explains a binding that is 1.3 times as slow."""
    jumped = {"c-again": (0.0, 0.0, 1.4), "mpi4py": (520.0, 0.0, 1.3 * np.sqrt(1.4))}
    comparison = compare(analysed(1, noise=0.005), analysed(2, noise=0.005, effects=EFFECTS | jumped))
    (row,) = rows(comparison, binding="mpi4py", size_bytes=2**22)
    assert row.floor_ratio == pytest.approx(1.4, rel=0.02)
    assert row.change_low is not None
    assert row.change_low > 1.2
    assert row.verdict == "unknown"


def test_without_c_twice_nothing_is_called_slower(before: Analysis, analysed: Make) -> None:
    comparison = compare(before, analysed(3, effects={k: v for k, v in SLOWED.items() if k != "c-again"}))
    (row,) = rows(comparison, binding="mpi4py", size_bytes=2**22)
    assert (row.floor_ratio, row.verdict) == (None, "unknown")
    assert exit_code(comparison) == 3


def test_absolute_times_are_judged_when_asked(before: Analysis, analysed: Make) -> None:
    twice = {name: (2 * per_call, 2 * per_byte, 2.0) for name, (per_call, per_byte, _) in EFFECTS.items()}
    comparison = compare(before, analysed(4, effects=twice), absolute=True)
    latency = groups(comparison, benchmark="latency")
    assert {group.binding: group.verdict for group in latency} == dict.fromkeys(
        ("c", "mpi4py", "mpi4py-object"), "slower"
    )
    (eight,) = rows(comparison, binding="c", size_bytes=8)
    assert eight.before == pytest.approx(800, rel=0.2)
    assert eight.change == pytest.approx(2, rel=0.2)


def test_absolute_times_of_two_stacks_meet(before: Analysis, analysed: Make) -> None:
    other = analysed(5, stacks=("openmpi",))
    assert compare(before, other).groups == []
    assert {row.stack for row in compare(before, other, absolute=True).rows} == {"mpich → openmpi"}


@pytest.mark.parametrize(("launches", "enough"), [(2, False), (4, False), (5, True), (6, True)])
def test_from_five_launches_a_run_on_a_large_change_is_found(analysed: Make, launches: int, enough: bool) -> None:
    slow = analysed(7, blocks=launches, effects=EFFECTS | {"mpi4py": (520.0, 0.0, 3.0)})
    comparison = compare(analysed(6, blocks=launches), slow)
    (group,) = groups(comparison, binding="mpi4py", benchmark="latency")
    assert group.verdict == ("slower" if enough else "unknown")
    if not enough:
        assert group.p_value == 1
        assert group.launches_needed is not None
        assert group.launches_needed > launches


def test_only_what_is_chosen_is_judged_and_all_of_c_shows_the_noise(before: Analysis, analysed: Make) -> None:
    after = analysed(3, effects=SLOWED)
    chosen = (pl.col("binding") == "mpi4py") & (pl.col("size_bytes") == 8)
    found = compare(before, after, chosen=chosen)
    (row,) = [r for r in found.rows if r.benchmark == "latency"]
    (same_row,) = rows(compare(before, after), binding="mpi4py", benchmark="latency", size_bytes=8)
    assert {r.binding for r in found.rows} == {"mpi4py"}
    assert (row.change, row.floor_ratio, row.c_change) == (same_row.change, same_row.floor_ratio, same_row.c_change)


def heavy_medians(random: np.random.Generator, factors: dict[tuple[str, int], float]) -> pl.DataFrame:
    """Launch medians of eight bindings in 24 sizes and 6 collectives: 5 % of noise, now and then far more."""
    cases = [("latency", 2**k) for k in range(24)] + [("bcast", 2**k) for k in range(6)]
    arms = ["c", "c-again", *(f"b{n}" for n in range(8))]
    shape = (9, len(arms), len(cases))
    logs = random.normal(0, 0.1, (9, 1, 1)) + random.normal(0, 0.02, (9, len(arms), 1))
    logs = (
        logs + random.normal(0, 0.05, shape) + np.where(random.random(shape) < 0.03, random.exponential(0.5, shape), 0)
    )
    for (binding, number), factor in factors.items():
        logs[:, arms.index(binding), number] += np.log(factor)
    return pl.DataFrame(
        [
            ("made-up", block, arm, benchmark, "standard", "bytes", size, 2, float(np.exp(logs[block, a, c]) * 1000))
            for block in range(9)
            for a, arm in enumerate(arms)
            for c, (benchmark, size) in enumerate(cases)
        ],
        schema=("stack", "block", "binding", "benchmark", "mode", "payload", "size_bytes", "ranks", "median_ns"),
        orient="row",
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("direction", [1, -1])
def test_one_row_and_rows_in_opposite_directions_are_found_inside_their_group(seed: int, direction: int) -> None:
    random = np.random.default_rng(seed)
    first = heavy_medians(random, {})
    factor = 3.0**direction
    second = heavy_medians(random, {("b1", 5): factor, ("b2", 0): 3.0, ("b2", 1): 3.0, ("b2", 9): 1 / 3})
    comparison = compare_medians(first, second, permutations=2000)
    (one,) = groups(comparison, binding="b1", benchmark="latency")
    expected = ("slower", 1, 0) if direction == 1 else ("faster", 0, 1)
    assert (one.verdict, one.rows_slower, one.rows_faster) == expected
    assert one.change == pytest.approx(1.0, abs=0.1)
    assert [r.size_bytes for r in rows(comparison, binding="b1", verdict=expected[0])] == [2**5]
    (both,) = groups(comparison, binding="b2", benchmark="latency")
    assert (both.verdict, both.rows_slower, both.rows_faster) == ("slower", 2, 1)
    untouched = [g for g in comparison.groups if (g.binding, g.benchmark) not in {("b1", "latency"), ("b2", "latency")}]
    assert {group.verdict for group in untouched} <= {"same", "unknown"}
