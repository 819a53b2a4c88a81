"""The tables of a history, for its page, its Markdown and the terminal."""

from collections.abc import Sequence
from dataclasses import dataclass

from polympi.lab.conclusions.changes import relative
from polympi.lab.conclusions.history import differences, step_words
from polympi.lab.conclusions.phrases import count, plain_ratio
from polympi.lab.report.changes import interval_words
from polympi.lab.statistics.history.model import History, Point, Series
from polympi.lab.statistics.history.runs import Run


@dataclass(frozen=True)
class Table:
    """A table of which the first columns are words."""

    title: str
    headers: tuple[str, ...]
    words: tuple[int, ...]  # the columns that hold words
    lines: list[tuple[str, ...]]


def step_table(history: History, runs: Sequence[Run]) -> Table:
    """The changes in order of time."""
    many = _many_stacks(history)
    headers = ("run", *(("stack",) if many else ()), "binding", "benchmark", "change", "interval", "C itself", "runs")
    lines = [
        (
            f"{step.run} ({runs[step.run - 1].path.name})",
            *((step.stack,) if many else ()),
            step.binding,
            step.benchmark,
            f"{relative(step.change)} {step.verdict}",
            interval_words(step),
            "–" if step.c_change is None else relative(step.c_change),
            f"{step.runs_before} → {step.runs_after}",
            step_words(step, runs),
        )
        for step in history.steps
    ]
    names = 4 if many else 3
    return Table("Changes", (*headers, "also changed"), (*range(names), names + 4), lines)


def series_table(history: History) -> Table:
    """Every binding in every benchmark: the first ratio, the newest one, and how often it changed."""
    many = _many_stacks(history)
    headers = (*(("stack",) if many else ()), "binding", "benchmark", "first", "newest", "rows", "runs", "changes")
    lines = [
        (
            *((one.stack,) if many else ()),
            one.binding,
            one.benchmark,
            *(_ratio(point) for point in (one.points[0], one.points[-1])),
            str(one.rows),
            str(len(one.points)),
            str(_changes(history, one) or "–"),
        )
        for one in history.series
    ]
    return Table("All bindings by benchmark", headers, tuple(range(3 if many else 2)), lines)


def run_table(runs: Sequence[Run]) -> Table:
    """The runs, each with what changed since the one before."""
    lines: list[tuple[str, ...]] = []
    for number, run in enumerate(runs, start=1):
        found = differences(runs[number - 2], run) if number > 1 else []
        launches = run.medians.select("stack", "block").unique().height
        changed = "; ".join(map(str, found)) or ("–" if number > 1 else "")
        when = run.run.created[:16].replace("T", " ")
        lines.append((str(number), str(run.path), when, count(launches, "block"), changed))
    return Table("Runs", ("run", "directory", "began", "blocks", "changed since the run before"), (1, 2, 4), lines)


def _ratio(point: Point) -> str:
    if point.low is None or point.high is None:
        return f"{plain_ratio(point.ratio)} ×"
    return f"{plain_ratio(point.ratio)} × ({plain_ratio(point.low)} to {plain_ratio(point.high)})"


def _changes(history: History, one: Series) -> int:
    key = (one.stack, one.binding, one.benchmark)
    return sum((step.stack, step.binding, step.benchmark) == key for step in history.steps)


def _many_stacks(history: History) -> bool:
    return len({one.stack for one in history.series}) > 1
