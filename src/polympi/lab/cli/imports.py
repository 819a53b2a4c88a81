"""``polympi import``: outputs of other tools as rows of our table."""

from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.table import Table

from polympi.lab.cli.console import errors, results
from polympi.lab.conclusions.phrases import count
from polympi.lab.errors import UsageError
from polympi.lab.importers import Added, Imported, append_rows, import_file, parse_netpipe_options
from polympi.lab.samples.store import RunDirectory
from polympi.lab.units import format_ns, format_size

_SHARED = ("tool", "benchmark", "mode", "payload", "ranks", "statistic")
_LISTED_FILES = 3  # names in a sentence before it only counts them


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
    rows = pl.concat(_each_once(files, imported))
    if csv is not None:
        if csv.exists():
            raise UsageError(f"'{csv}' exists: choose another name.")
        rows.write_csv(csv)
        results.print(str(csv), markup=False, soft_wrap=True)
    if into is not None:
        for sentence in _outcome(append_rows(RunDirectory.open(into).path, rows), into):
            results.print(sentence, markup=False, soft_wrap=True)
    if csv is None and into is None:
        _show(rows)


def _each_once(files: list[Path], imported: list[Imported]) -> list[pl.DataFrame]:
    """The rows of each file, with notes on standard error; a file that is given twice counts once."""
    tables: list[pl.DataFrame] = []
    for path, one in zip(files, imported, strict=True):
        if one.rows.height and any(one.rows.equals(table) for table in tables):
            notes = ["The same file stands before it, and is imported once."]
        else:
            notes = one.notes
            tables.append(one.rows)
        for note in notes:
            errors.print(f"! {path}: {note}", markup=False, soft_wrap=True, style="yellow")
    return tables


def _outcome(added: Added, into: Path) -> list[str]:
    sentences = []
    if added.known:
        sentences.append(f"imported before, and not added again: {_some(added.known)}")
    if added.renewed:
        sentences.append(f"rows of other files with these names stay next to the new ones: {_some(added.renewed)}")
    shown = f": 'polympi report {into}' shows them" if added.rows else ""
    return [*sentences, f"{count(added.rows, 'row')} added to {into}{shown}"]


def _some(names: list[str]) -> str:
    more = len(names) - _LISTED_FILES
    return ", ".join(names[:_LISTED_FILES]) + (f" and {count(more, 'more file')}" if more > 0 else "")


def _show(rows: pl.DataFrame) -> None:
    """A table for all rows that differ in size alone; what they share stands above it."""
    for (tool, benchmark, mode, payload, ranks, statistic), part in rows.group_by(_SHARED, maintain_order=True):
        shared = [tool, benchmark, mode, payload]
        shared += [count(int(ranks), "rank")] if isinstance(ranks, int) else []
        shared += [f"time: {statistic}"] if statistic else []
        results.print(" · ".join(map(str, shared)), markup=False, highlight=False, soft_wrap=True)
        table = Table(box=None, pad_edge=False)
        for name in ("size", "time", "MB/s"):
            table.add_column(name, justify="right", min_width=10)
        for size, ns, mb in part.select("size_bytes", "time_ns", "mb_per_s").iter_rows():
            table.add_row(format_size(size), "-" if ns is None else format_ns(ns), "-" if mb is None else f"{mb:.4g}")
        results.print(table)
        results.print()
