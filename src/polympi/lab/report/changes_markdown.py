"""A comparison of two runs as Markdown, for a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from polympi.lab.conclusions.phrases import count
from polympi.lab.report.changes import KEY, Table, group_table, row_table
from polympi.lab.report.escape import escape
from polympi.lab.report.escape import table as markdown_table
from polympi.lab.statistics.comparison.model import Comparison


def render_changes(comparison: Comparison, before: str, after: str, sentences: Sequence[str], *, every: bool) -> str:
    """The comparison as Markdown; text from outside is escaped.

    The first of the sentences is the answer; ``every`` shows all rows, not only those that changed.
    """
    answer, *others = sentences
    parts = [f"### polympi diff: {escape(before)} → {escape(after)}", f"**{escape(answer)}**", *map(escape, others)]
    changed, whole = group_table(comparison, every=False), group_table(comparison, every=True)
    if changed.lines:
        parts.append(_table(changed))
    rows = row_table(comparison, every=every)
    if rows.lines:
        title = "All rows" if every else "Rows that changed"
        parts.append(_folded(f"{title} ({len(rows.lines)})", rows))
    parts += [_folded(f"All {count(len(whole.lines), 'group')}", whole), escape(KEY)]
    return "\n\n".join(parts) + "\n"


def _folded(title: str, table: Table) -> str:
    return f"<details><summary>{title}</summary>\n\n{_table(table)}\n\n</details>"


def _table(table: Table) -> str:
    cells = [line.cells for line in table.lines]
    return markdown_table(table.headers, cells, right=range(table.numbers, len(table.headers) - 1))
