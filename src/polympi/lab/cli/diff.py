"""``polympi diff``: has a binding become slower from one run to the next?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.table import Table
from rich.text import Text

from polympi.lab.cli.console import errors, results
from polympi.lab.cli.names import complete_results
from polympi.lab.samples.store import RunDirectory
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.comparison import comparable, compare, diff_exit_code
from polympi.lab.units import format_ns, format_size

_STYLES = {"slower": "red", "faster": "green", "ambiguous": "yellow"}


def diff(
    before: Annotated[
        Path,
        typer.Argument(metavar="A", help="Result directory of the earlier run.", autocompletion=complete_results),
    ],
    after: Annotated[
        Path, typer.Argument(metavar="B", help="Result directory of the later run.", autocompletion=complete_results)
    ],
    absolute: Annotated[
        bool,
        typer.Option("--absolute", help="Judge times instead of ratios to C: for another MPI, stack or machine."),
    ] = False,
    every: Annotated[bool, typer.Option("--all", help="Show the unchanged rows too.")] = False,
) -> None:
    """Compare two runs: every binding by its ratio to C, so that the drift of the machine between them drops out.

    Exit codes: 0 the same or faster; 1 slower; 2 not comparable.
    """
    first, second = (analyse(RunDirectory.open(path)) for path in (before, after))
    reasons = comparable(first, second, absolute=absolute)
    comparison = compare(first, second, absolute=absolute)
    for reason in reasons:
        errors.print(f"polympi: {reason}", markup=False, soft_wrap=True)
    if not reasons:
        _show(comparison, absolute, every)
    raise typer.Exit(diff_exit_code(comparison, reasons))


def _show(comparison: pl.DataFrame, absolute: bool, every: bool) -> None:
    shown = comparison if every else comparison.filter(pl.col("verdict") != "same")
    if not shown.is_empty():
        results.print(_table(shown, absolute))
    counts = dict(comparison["verdict"].value_counts().iter_rows())
    words = ", ".join(f"{counts[name]} {name}" for name in ("slower", "faster", "ambiguous", "same") if name in counts)
    drift = comparison["c_change"].drop_nulls().median()
    machine = f" C itself, the machine, changed by {float(str(drift)) - 1:+.1%}." if drift is not None else ""
    results.print(f"{comparison.height} rows: {words}.{machine}", soft_wrap=True)


def _table(rows: pl.DataFrame, absolute: bool) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("binding", "case", "size"):
        table.add_column(name, overflow="fold")
    for name in ("A", "B", "change", "interval"):
        table.add_column(name, justify="right")
    table.add_column("verdict")
    stacks = rows["stack"].n_unique() > 1
    for row in rows.iter_rows(named=True):
        case = "/".join(row[name] for name in ("benchmark", "mode", "payload"))
        table.add_row(
            f"{row['stack']} {row['binding']}" if stacks else row["binding"],
            case,
            format_size(row["size_bytes"]),
            _value(row["before"], absolute),
            _value(row["after"], absolute),
            f"{row['change'] - 1:+.1%}",
            "-" if row["change_low"] is None else f"{row['change_low'] - 1:+.1%} .. {row['change_high'] - 1:+.1%}",
            Text(row["verdict"], style=_STYLES.get(row["verdict"], "")),
        )
    return table


def _value(value: float, absolute: bool) -> str:
    return format_ns(value) if absolute else f"{value:.3f} x C"
