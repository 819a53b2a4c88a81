"""Two runs compared: the table, as JSON and as Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.conclusions.changes import relative
from polympi.lab.conclusions.phrases import count, plain_ratio, verb
from polympi.lab.conclusions.rows import Family
from polympi.lab.report.escape import escape
from polympi.lab.report.escape import table as markdown_table
from polympi.lab.statistics.comparison.model import SAME, UNKNOWN, Change, Comparison, GroupChange, RowChange
from polympi.lab.statistics.comparison.verdicts import MOST_LAUNCHES
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
    """A table of changes."""

    headers: tuple[str, ...]  # of the columns; the columns from `numbers` to before the last, the verdict, hold numbers
    numbers: int  # the first column of numbers
    lines: list[Line]


def group_table(comparison: Comparison, *, every: bool) -> Table:
    """The groups, what became slower first; ``every`` also lists those that are the same."""
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
    """The rows that changed; ``every`` lists all rows."""
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
    return (row.binding, case, size, *values, relative(row.change), interval_words(row))


def _change(group: GroupChange) -> tuple[str, str, str]:
    return relative(group.change), interval_words(group), "–" if group.c_change is None else relative(group.c_change)


def interval_words(change: Change) -> str:
    """The interval of a change: ``+12 to +30 %``."""
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


DIFF_FORMAT: Final = 1  # raised when a reader of the old form would misread the new one


class DiffDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What ``--json`` of ``polympi diff`` and ``polympi gate`` writes."""

    format: int = DIFF_FORMAT
    before: str
    after: str
    exit_code: int  # of the command: 0 nothing slower, 1 slower, 2 not comparable, 3 unknown
    answer: str  # the answer in one sentence; of runs that are not comparable, why they are not
    absolute: bool  # times were judged, not ratios to C
    threshold: float  # the smallest relative change that counts
    groups: list[GroupChange] = []  # the groups; empty if the runs are not comparable
    rows: list[RowChange] = []


def render_json(document: DiffDocument) -> str:
    """The document as indented JSON, with a line break at its end."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def render_changes(comparison: Comparison, title: str, sentences: Sequence[str], *, every: bool) -> str:
    """The comparison as Markdown, the answer first; text from outside is escaped, and ``every`` shows all rows."""
    answer, *others = sentences
    parts = [f"### {escape(title)}", f"**{escape(answer)}**", *map(escape, others)]
    changed, whole = group_table(comparison, every=False), group_table(comparison, every=True)
    if changed.lines:
        parts.append(_table(changed))
    rows = row_table(comparison, every=every)
    if rows.lines:
        heading = "All rows" if every else "Rows that changed"
        parts.append(_folded(f"{heading} ({len(rows.lines)})", rows))
    parts += [_folded(f"All {count(len(whole.lines), 'group')}", whole), escape(KEY)]
    return "\n\n".join(parts) + "\n"


def _folded(title: str, table: Table) -> str:
    return f"<details><summary>{title}</summary>\n\n{_table(table)}\n\n</details>"


def _table(table: Table) -> str:
    cells = [line.cells for line in table.lines]
    return markdown_table(table.headers, cells, right=range(table.numbers, len(table.headers) - 1))
