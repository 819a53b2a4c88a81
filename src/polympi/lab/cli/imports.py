"""``polympi import``: outputs of other tools as rows of our table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.markup import escape
from rich.table import Table

from polympi.lab.cli.console import errors, results
from polympi.lab.errors import UsageError
from polympi.lab.findings.phrases import count
from polympi.lab.importers import Added, append_rows, import_file, parse_netpipe_options
from polympi.lab.samples.store import RunDirectory
from polympi.lab.units import format_ns, format_size


def import_files(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Outputs of OSU, OMB-Py, IMB or NetPIPE.")],
    into: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Add the rows to this result directory; its report shows them.")
    ] = None,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the rows to a new CSV file.")] = None,
    netpipe_options: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="How NetPIPE was called, which its files do not say: '-S -I', or '' for none."
        ),
    ] = None,
) -> None:
    """Read outputs of other benchmarks (OSU, OMB-Py, IMB, NetPIPE) and show them as rows of our table."""
    called = parse_netpipe_options(netpipe_options)
    imported = [import_file(path, called) for path in files]
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
        for sentence in _outcome(append_rows(RunDirectory.open(into).path, rows), into):
            results.print(sentence, markup=False, soft_wrap=True)
    if csv is None and into is None:
        results.print(_table(rows))


def _outcome(added: Added, into: Path) -> list[str]:
    """What became of the files, a sentence each, and how many rows there are to see."""
    sentences = [f"{name} was imported before: nothing of it was added" for name in added.known]
    sentences += [f"{name}: rows of another file of that name stay beside the new ones" for name in added.renewed]
    shown = f": 'polympi report {into}' shows them" if added.rows else ""
    return [*sentences, f"{count(added.rows, 'row')} added to {into}{shown}"]


def _table(rows: pl.DataFrame) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("tool", "benchmark", "mode", "payload"):
        table.add_column(name)
    for name in ("size", "ranks", "time"):
        table.add_column(name, justify="right")
    table.add_column("statistic")
    table.add_column("MB/s", justify="right")
    for row in rows.iter_rows(named=True):
        table.add_row(
            escape(row["tool"]),
            escape(row["benchmark"]),
            escape(row["mode"]),
            escape(row["payload"]),
            "-" if row["size_bytes"] is None else format_size(row["size_bytes"]),
            "-" if row["ranks"] is None else str(row["ranks"]),
            "-" if row["time_ns"] is None else format_ns(row["time_ns"]),
            row["statistic"] or "-",
            "-" if row["mb_per_s"] is None else f"{row['mb_per_s']:.4g}",
        )
    return table
