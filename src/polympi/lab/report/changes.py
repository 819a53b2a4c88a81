"""The tables of a comparison of two runs: the words of each cell, the same in the terminal and in Markdown."""

from __future__ import annotations

from dataclasses import dataclass

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.conclusions.changes import relative
from polympi.lab.conclusions.phrases import count, plain_ratio, verb
from polympi.lab.conclusions.rows import Family
from polympi.lab.statistics.comparison.launches import MOST_LAUNCHES
from polympi.lab.statistics.comparison.model import SAME, UNKNOWN, Change, Comparison, GroupChange, RowChange
from polympi.lab.statistics.verdicts import FASTER, SLOWER
from polympi.lab.units import format_ns

_ORDER = (SLOWER, FASTER, UNKNOWN, SAME)
KEY = (
    "In brackets after unknown: how many launches a run would probably be enough. The change of a group is that of "
    "its typical row; before and after are ratios to C, or times where those were judged."
)


@dataclass(frozen=True)
class Line:
    """One line of a table: its cells, and the verdict of what it shows."""

    cells: tuple[str, ...]
    verdict: str


@dataclass(frozen=True)
class Table:
    """A table of changes.

    Attributes:
        headers: of the columns; the columns from ``numbers`` to before the last, the verdict, hold numbers.
        numbers: the first column of numbers.
        lines: the lines.
    """

    headers: tuple[str, ...]
    numbers: int
    lines: list[Line]


def group_table(comparison: Comparison, *, every: bool) -> Table:
    """The groups, what became slower first.

    ``every`` also lists those that are the same.
    """
    chosen = [group for group in comparison.groups if every or group.verdict != SAME]
    chosen.sort(key=lambda group: _ORDER.index(group.verdict))
    many = _many_stacks(comparison)
    headers = (*_stack("stack", many), "binding", "benchmark", "change", "interval", "C itself", "rows", "verdict")
    lines = [
        Line((*_stack(g.stack, many), g.binding, g.benchmark, *_change(g), _rows(g), _verdict(g)), g.verdict)
        for g in chosen
    ]
    return Table(headers, 3 if many else 2, lines)


def row_table(comparison: Comparison, *, every: bool) -> Table:
    """The rows that changed.

    ``every`` lists all rows.
    """
    chosen = [row for row in comparison.rows if every or row.verdict in (SLOWER, FASTER)]
    many = _many_stacks(comparison)
    headers = (*_stack("stack", many), "binding", "case", "size", "before", "after", "change", "interval")
    lines = [Line((*_stack(r.stack, many), *_row(r, comparison.absolute), _verdict(r)), r.verdict) for r in chosen]
    return Table((*headers, "verdict"), 3 if many else 2, lines)


def rest_sentence(comparison: Comparison) -> str | None:
    """What a table without the groups that are the same leaves out; None if there are none."""
    same = sum(group.verdict == SAME for group in comparison.groups)
    return f"{count(same, 'group')} {verb(same, 'is', 'are')} the same; --all shows what is left out." if same else None


def _row(row: RowChange, absolute: bool) -> tuple[str, ...]:
    values = [format_ns(v) if absolute else f"{plain_ratio(v)}×" for v in (row.before, row.after)]
    case = Family(row.stack, row.benchmark, row.mode, row.payload).title
    size = "" if row.payload == "none" else BENCHMARKS[row.benchmark].size_words(row.size_bytes)
    return (row.binding, case, size, *values, relative(row.change), _interval(row))


def _change(group: GroupChange) -> tuple[str, str, str]:
    return relative(group.change), _interval(group), "–" if group.c_change is None else relative(group.c_change)


def _interval(change: Change) -> str:
    if change.change_low is None or change.change_high is None:
        return "–"
    return f"{relative(change.change_low).removesuffix(' %')} to {relative(change.change_high)}"


def _rows(group: GroupChange) -> str:
    parts = [f"{n} {word}" for n, word in ((group.rows_slower, SLOWER), (group.rows_faster, FASTER)) if n]
    return f"{', '.join(parts)} of {group.rows}" if parts else str(group.rows)


def _verdict(change: Change) -> str:
    if change.verdict != UNKNOWN:
        return change.verdict
    return f"{UNKNOWN} ({change.launches_needed or f'>{MOST_LAUNCHES}'})"


def _many_stacks(comparison: Comparison) -> bool:
    return len({group.stack for group in comparison.groups}) > 1


def _stack(text: str, many: bool) -> tuple[str, ...]:
    return (text,) if many else ()
