"""The imported rows of a result directory (``imported.csv``); rows are added and never removed."""

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from polympi.lab.errors import ResultError, UsageError, system_reason
from polympi.lab.importers.rows import IMPORTED_SCHEMA
from polympi.lab.samples.store import RunDirectory

FILE = "imported.csv"

# Files of earlier versions lack these; they are read as empty.
_LATER_COLUMNS = {"sent_bytes", "statistic", "time_mean_ns", "options", "content"}


@dataclass(frozen=True)
class Added:
    """What an import added to a result directory."""

    rows: int  # how many rows
    known: list[str]  # names of the files whose rows were all there already
    renewed: list[str]  # names of the files of which there are new rows, while other content of the same name has rows


def kept_rows(directory: Path) -> pl.DataFrame:
    """All rows imported into a result directory so far, if any; ResultError if the file is damaged or unreadable."""
    path = directory / FILE
    if not path.is_file():
        return pl.DataFrame(schema=IMPORTED_SCHEMA)
    try:
        text = pl.read_csv(path.read_bytes(), infer_schema=False)
    except OSError as error:
        raise ResultError(f"Cannot read '{path}': {system_reason(error)}.") from error
    except pl.exceptions.PolarsError as error:
        raise ResultError(f"'{path}' is damaged: move it away and import the files again.") from error
    found = set(text.columns)
    if not found <= set(IMPORTED_SCHEMA) <= found | _LATER_COLUMNS:
        raise ResultError(f"'{path}' has other columns than imported rows: move it away and import the files again.")
    none = pl.lit(None, pl.String)
    columns = [(pl.col(n) if n in found else none).cast(dtype).alias(n) for n, dtype in IMPORTED_SCHEMA.items()]
    try:
        return text.select(columns)
    except pl.exceptions.PolarsError as error:
        raise ResultError(f"'{path}' is damaged: move it away and import the files again.") from error


def append_rows(directory: Path, rows: pl.DataFrame) -> Added:
    """Add rows to ``imported.csv`` of a result directory; those already there are not added twice.

    A file is known by its name and its content: another file with equal figures is a source of its own, and so is a
    file that has changed. What ``imported.csv`` holds stays as it is, so that no earlier row can be lost; one of an
    earlier version is written again with the columns that it lacks. ResultError if it is no result directory or its
    rows are damaged, UsageError if it cannot be written.
    """
    RunDirectory.open(directory)
    path = directory / FILE
    kept = kept_rows(directory)
    new = rows.join(kept, on=list(IMPORTED_SCHEMA), how="anti", nulls_equal=True, maintain_order="left")
    if new.height:
        try:
            if path.is_file() and pl.read_csv(path, n_rows=0).columns != list(IMPORTED_SCHEMA):
                _rewrite(path, kept)
            _append(path, new)
        except OSError as error:
            raise UsageError(f"Cannot write '{path}': {system_reason(error)}.") from error
    return Added(new.height, _known(rows, new), _renewed(kept, new))


def _known(rows: pl.DataFrame, new: pl.DataFrame) -> list[str]:
    """Names of the files that gave rows, but no new ones."""
    files = ["source", "content"]
    known = rows.select(files).unique(maintain_order=True).join(new, on=files, how="anti", nulls_equal=True)
    return known["source"].to_list()


def _renewed(kept: pl.DataFrame, new: pl.DataFrame) -> list[str]:
    """Names of the files that gave new rows, while there are rows of another content by that name."""
    files = ["source", "content"]
    before = kept.select(files).unique()
    changed = new.select(files).unique(maintain_order=True).join(before, on=files, how="anti", nulls_equal=True)
    return changed.join(before, on="source", how="semi")["source"].unique(maintain_order=True).to_list()


def _rewrite(path: Path, rows: pl.DataFrame) -> None:
    """Write the file again; the old one stays until the new one is complete."""
    whole = path.with_suffix(".csv.new")
    whole.write_text(rows.write_csv(), encoding="utf-8")
    whole.replace(path)


def _append(path: Path, rows: pl.DataFrame) -> None:
    started = path.is_file() and path.stat().st_size > 0
    unfinished = started and not path.read_bytes().endswith(b"\n")
    text = ("\n" if unfinished else "") + rows.write_csv(include_header=not started)
    with path.open("ab") as stream:
        stream.write(text.encode())
