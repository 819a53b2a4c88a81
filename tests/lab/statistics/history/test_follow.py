"""From launch medians to series and steps."""

import numpy as np
import polars as pl
import pytest

from polympi.lab.statistics.history.follow import follow
from polympi.lab.statistics.history.segments import looks

ROWS = [("latency", "standard", size) for size in (8, 64, 512)] + [("barrier", "standard", 0)]


def run(
    number: int,
    *,
    slow: float = 1.0,
    noise: float = 0.01,
    bindings: tuple[str, ...] = ("one", "two"),
    again: bool = True,
) -> pl.DataFrame:
    """Launch medians of nine blocks, in which `one` takes `slow` times as long in latency."""
    random = np.random.default_rng(number)
    lines = []
    for block in range(9):
        weather = np.exp(random.normal(0, 0.2))
        for binding in ("c", *(("c-again",) if again else ()), *bindings):
            for benchmark, mode, size in ROWS:
                factor = slow if (binding, benchmark) == ("one", "latency") else 1.0
                own = 1000.0 * weather * factor * np.exp(random.normal(0, noise))
                lines.append(("mpich", block, binding, benchmark, mode, "bytes", size, 2, own))
    names = ("stack", "block", "binding", "benchmark", "mode", "payload", "size_bytes", "ranks", "median_ns")
    return pl.DataFrame(lines, schema=names, orient="row")


def test_a_step_is_found_at_its_run_with_its_size() -> None:
    history = follow([run(n, slow=1.3 if n >= 5 else 1.0) for n in range(8)])
    [step] = history.steps
    assert (step.binding, step.benchmark, step.run, step.previous) == ("one", "latency", 6, 5)
    assert (step.verdict, step.runs_before, step.runs_after, step.launches_before) == ("slower", 5, 3, 45)
    assert step.change_low is not None
    assert step.change_low < 1.3 < step.change_high  # type: ignore[operator]
    assert step.p_value < 0.05
    series = {(one.binding, one.benchmark): one for one in history.series}
    assert series["one", "latency"].rows == 3
    assert [point.run for point in series["one", "latency"].points] == list(range(1, 9))
    ratios = [point.ratio for point in series["one", "latency"].points]
    assert ratios == pytest.approx([1.0] * 5 + [1.3] * 3, rel=0.03)
    assert history.looks == 4 * looks(8)


@pytest.mark.parametrize(
    ("slow", "options", "threshold"),
    [
        (1.05, {}, 0.1),  # below the threshold
        (1.3, {"again": False}, 0.1),  # nothing shows the noise
        (1.3, {"noise": 1.0}, 0.1),
        (1.3, {}, 0.5),
    ],
)
def test_what_is_no_step(slow: float, options: dict[str, object], threshold: float) -> None:
    made = [run(n, slow=slow if n >= 3 else 1.0, **options) for n in range(6)]  # type: ignore[arg-type]
    assert follow(made, threshold=threshold).steps == []


def test_runs_that_differ_from_each_other_anyhow_show_no_step() -> None:
    levels = np.exp(np.random.default_rng(3).normal(0, 0.15, 12))
    assert follow([run(n, slow=level) for n, level in enumerate(levels)]).steps == []


def test_a_step_back_is_faster_and_small_steps_between_are_joined() -> None:
    levels = [1.0] * 4 + [1.4] * 4 + [1.44] * 4 + [1.0] * 4
    found = follow([run(n, slow=level, noise=0.003) for n, level in enumerate(levels)]).steps
    assert [(step.run, step.verdict) for step in found] == [(5, "slower"), (13, "faster")]


def test_a_binding_may_be_missing_in_some_runs() -> None:
    made = [run(n, slow=1.3 if n >= 6 else 1.0, bindings=("two",) if n == 3 else ("one", "two")) for n in range(9)]
    history = follow(made)
    [step] = history.steps
    assert (step.run, step.previous, step.runs_before) == (7, 6, 5)
    assert history.looks == 2 * looks(8) + 2 * looks(9)


def test_only_what_is_chosen_is_judged() -> None:
    made = [run(n, slow=1.3 if n >= 3 else 1.0) for n in range(6)]
    history = follow(made, chosen=pl.col("binding") == "two")
    assert {one.binding for one in history.series} == {"two"}
    assert history.steps == []
