"""The imported rows of a result directory (``imported.csv``); rows are only ever added."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from polympi.lab.errors import ResultError, UsageError
from polympi.lab.importers.rows import IMPORTED_SCHEMA
from polympi.lab.samples.store import RunDirectory

FILE = "imported.csv"


def kept_rows(directory: Path) -> pl.DataFrame:
    """All rows imported into a result directory so far; none if nothing was.

    Raises:
        ResultError: the file is damaged.
    """
    path = directory / FILE
    if not path.is_file():
        return pl.DataFrame(schema=IMPORTED_SCHEMA)
    try:
        rows = pl.read_csv(path, schema_overrides=IMPORTED_SCHEMA)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise ResultError(f"'{path}' is damaged: move it away and import the files again.") from error
    if rows.columns != list(IMPORTED_SCHEMA):
        raise ResultError(f"'{path}' has other columns than imported rows: move it away and import the files again.")
    return rows


def append_rows(directory: Path, rows: pl.DataFrame) -> int:
    """Add rows to ``imported.csv`` of a result directory; those already there are not added twice.

    What the file holds stays byte for byte as it is, so that no earlier row can be lost.

    Args:
        directory: a result directory.
        rows: columns as in :data:`IMPORTED_SCHEMA`.

    Returns:
        How many rows were added.

    Raises:
        ResultError: it is no result directory, or its imported rows are damaged.
        UsageError: the file cannot be written.
    """
    RunDirectory.open(directory)
    path = directory / FILE
    new = rows.join(kept_rows(directory), on=list(IMPORTED_SCHEMA), how="anti", nulls_equal=True)
    if new.is_empty():
        return 0
    try:
        started = path.is_file() and path.stat().st_size > 0
        unfinished = started and not path.read_bytes().endswith(b"\n")
        text = ("\n" if unfinished else "") + new.write_csv(include_header=not started)
        with path.open("ab") as stream:
            stream.write(text.encode())
    except OSError as error:
        raise UsageError(f"Cannot write '{path}': {error.strerror}.") from error
    return new.height
