"""The files of a projection."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import polars as pl

from polympi.lab.projection.against import Miss, answer
from polympi.lab.projection.conclusions import model_sentence, summary
from polympi.lab.projection.model import Projection, Row
from polympi.lab.projection.store import NAME, render_json
from polympi.lab.report.escape import escape
from polympi.lab.report.escape import table as markdown_table
from polympi.lab.report.generator import MARKDOWN_MARK, write_text
from polympi.lab.report.projection.page import render_page
from polympi.lab.report.projection.tables import KEY, Table, against_table, arm_table, cost_table, network_sentence


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


_COLUMNS = [*(field.name for field in msgspec.structs.fields(Row)), "added_ns", "ratio"]


def write_projection(projection: Projection, folder: Path, found: Sequence[Miss] = ()) -> list[Path]:
    """Write the record, the page, which is returned first, Markdown and CSV; predicted and measured figures apart."""
    texts = {
        "projection.html": render_page(projection, found),
        "projection.md": render_markdown(projection, found),
        "projection.csv": _rows(projection).write_csv(),
        NAME: render_json(projection),
    }
    if found:
        texts["against.csv"] = _against(found).write_csv()
    return [write_text(folder / name, text) for name, text in texts.items()]


def _rows(projection: Projection) -> pl.DataFrame:
    rows = [msgspec.structs.asdict(row) | {"added_ns": row.added_ns, "ratio": row.ratio} for row in projection.rows]
    return pl.DataFrame(rows, infer_schema_length=None) if rows else pl.DataFrame(schema=_COLUMNS)


def _against(found: Sequence[Miss]) -> pl.DataFrame:
    names = ("stack", "binding", "pattern", "size_bytes", "predicted_ns", "measured_ns", "error", "within", "given")
    rows = [{name: getattr(one, name) for name in names} for one in found]
    # Earlier versions named the column so, and programs read it.
    return pl.DataFrame(rows, infer_schema_length=None).rename({"predicted_ns": "foretold_ns"})
