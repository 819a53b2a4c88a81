"""Writes a projection into its folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import polars as pl

from polympi.lab.projection.against import Miss
from polympi.lab.projection.model import Projection, Row
from polympi.lab.projection.store import NAME, render_json
from polympi.lab.report.generator import write_text
from polympi.lab.report.projection.markdown import render_markdown
from polympi.lab.report.projection.page import render_page

_COLUMNS = [*(field.name for field in msgspec.structs.fields(Row)), "added_ns", "ratio"]


def write_projection(projection: Projection, folder: Path, found: Sequence[Miss] = ()) -> list[Path]:
    """Write the record, the page, Markdown and CSV; predicted and measured figures as a separate table.

    Returns:
        The files, the page first.

    Raises:
        UsageError: a file cannot be written.
    """
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
    names = ("stack", "binding", "pattern", "size_bytes", "foretold_ns", "measured_ns", "error", "within", "given")
    return pl.DataFrame([{name: getattr(one, name) for name in names} for one in found], infer_schema_length=None)
