"""A projection as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from polympi.lab.projection.against import Miss, answer
from polympi.lab.projection.conclusions import model_sentence, summary
from polympi.lab.projection.model import Projection
from polympi.lab.report.escape import escape
from polympi.lab.report.escape import table as markdown_table
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
    """The whole projection; text from outside is escaped."""
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
    return markdown_table(table.headers, table.lines, right=range(table.words, len(table.headers)))
