"""``polympi import``: outputs of other tools as rows of our table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.table import Table

from polympi.lab.cli.console import errors, results
from polympi.lab.errors import UsageError
from polympi.lab.importers import append_rows, import_file
from polympi.lab.samples.store import RunDirectory
from polympi.lab.units import format_ns, format_size


def import_files(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Outputs of OSU, OMB-Py, IMB or NetPIPE.")],
    into: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Add the rows to this result directory; its report shows them.")
    ] = None,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the rows to a new CSV file.")] = None,
) -> None:
    """Read outputs of other benchmarks (OSU, OMB-Py, IMB, NetPIPE) and show them as rows of our table."""
    imported = [import_file(path) for path in files]
    rows = pl.concat([one.rows for one in imported])
    for one, path in zip(imported, files, strict=True):
        for note in one.notes:
            errors.print(f"! {path}: {note}", markup=False, soft_wrap=True, style="yellow")
    if csv is not None:
        if csv.exists():
            raise UsageError(f"'{csv}' exists: choose another name.")
        rows.write_csv(csv)
        results.print(str(csv), markup=False, soft_wrap=True)
    if into is not None:
        added = append_rows(RunDirectory.open(into).path, rows)
        results.print(f"{added} rows added to {into}: 'polympi report {into}' shows them", markup=False)
    if csv is None and into is None:
        results.print(_table(rows))


def _table(rows: pl.DataFrame) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("tool", "benchmark", "mode"):
        table.add_column(name)
    for name in ("size", "ranks", "time", "MB/s"):
        table.add_column(name, justify="right")
    for row in rows.iter_rows(named=True):
        table.add_row(
            row["tool"],
            row["benchmark"],
            row["mode"],
            "-" if row["size_bytes"] is None else format_size(row["size_bytes"]),
            "-" if row["ranks"] is None else str(row["ranks"]),
            "-" if row["time_ns"] is None else format_ns(row["time_ns"]),
            "-" if row["mb_per_s"] is None else f"{row['mb_per_s']:.4g}",
        )
    return table
