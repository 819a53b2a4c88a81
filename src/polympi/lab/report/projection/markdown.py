"""A projection as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from polympi.lab.projection.against import Miss, answer
from polympi.lab.projection.conclusions import model_sentence, summary
from polympi.lab.projection.model import Projection
from polympi.lab.report.escape import escape
from polympi.lab.report.generator import MARKDOWN_MARK
from polympi.lab.report.projection.tables import (
    KEY,
    Table,
    against_table,
    arm_table,
    cost_table,
    network_sentence,
)


def render_markdown(projection: Projection, found: Sequence[Miss] = ()) -> str:
    """The whole projection; text from outside is escaped.

    Args:
        projection: the projection.
        found: what was foretold and measured, if there is something to compare with.
    """
    parts = [f"{MARKDOWN_MARK} {projection.polympi} -->", f"# Projection of {escape(projection.run)}"]
    if found:
        parts += [escape(answer(list(found))), _table(against_table(found))]
    parts += [escape(text) for text in (*summary(projection), model_sentence(projection))]
    for stack in projection.stacks:
        parts += [f"## {escape(stack.stack)}", escape(network_sentence(stack.network)), _table(cost_table(stack))]
        for arm in filter(lambda one: one.shown, stack.arms):
            table = arm_table(projection, stack, arm)
            parts += [f"### {escape(table.title)}", _table(table)]
    parts += [
        escape(KEY),
        escape(f"Simulated with {projection.simulator}; projection.json has all it takes to repeat."),
    ]
    return "\n\n".join(parts) + "\n"


def _table(table: Table) -> str:
    rule = ["---" if number < table.words else "---:" for number in range(len(table.headers))]
    rows = [[escape(cell) for cell in cells] for cells in (table.headers, *table.lines)]
    rows.insert(1, rule)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
