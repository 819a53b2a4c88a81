"""A history as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from polympi.lab.conclusions.history import RATES, Difference, differences
from polympi.lab.report.escape import escape
from polympi.lab.report.escape import table as markdown_table
from polympi.lab.report.generator import MARKDOWN_MARK
from polympi.lab.report.history.tables import Table, run_table, series_table, step_table
from polympi.lab.statistics.history.model import History, Series, Step
from polympi.lab.statistics.history.runs import Run

HISTORY_FORMAT: Final = 1  # raised when a reader of the old form would misread the new one


class RunOfHistory(msgspec.Struct, frozen=True, kw_only=True):
    """A run of a history."""

    run: int  # its number, from 1, in order of time
    directory: str
    created: str
    changed: list[Difference]  # since the run before


class HistoryDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What ``polympi history --json`` writes."""

    format: int = HISTORY_FORMAT
    answer: str  # in one sentence
    threshold: float  # the smallest relative change that counts
    looks: int  # how many tests of a boundary between runs the p-values are adjusted for
    runs: list[RunOfHistory]
    left_out: dict[str, str]  # runs that can't be compared, each with the reason
    steps: list[Step]  # the changes found
    series: list[Series]


def render_json(history: History, runs: Sequence[Run], said: Sequence[str], left_out: dict[str, str]) -> str:
    """The history as indented JSON, with a line break at its end."""
    listed = [
        RunOfHistory(
            run=number,
            directory=str(run.path),
            created=run.run.created,
            changed=differences(runs[number - 2], run) if number > 1 else [],
        )
        for number, run in enumerate(runs, start=1)
    ]
    document = HistoryDocument(
        answer=said[0],
        threshold=history.threshold,
        looks=history.looks,
        runs=listed,
        left_out=left_out,
        steps=history.steps,
        series=history.series,
    )
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def render_markdown(history: History, runs: Sequence[Run], said: Sequence[str], polympi: str) -> str:
    """The history as Markdown, the answer first; text from outside is escaped."""
    answer, *others = said
    parts = [f"{MARKDOWN_MARK} {escape(polympi)} -->", f"**{escape(answer)}**", *map(escape, others)]
    steps = step_table(history, runs)
    parts += [_table(steps)] if steps.lines else []
    parts += [_folded(series_table(history)), _folded(run_table(runs)), escape(RATES)]
    return "\n\n".join(parts) + "\n"


def _folded(table: Table) -> str:
    return f"<details><summary>{table.title} ({len(table.lines)})</summary>\n\n{_table(table)}\n\n</details>"


def _table(table: Table) -> str:
    right = [number for number in range(len(table.headers)) if number not in table.words]
    return markdown_table(table.headers, table.lines, right=right)
