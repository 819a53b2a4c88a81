"""Rows of other tools' outputs that were imported into a result directory."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from polympi.lab.errors import ResultError

_SCHEMA = {
    "tool": pl.String,
    "benchmark": pl.String,
    "mode": pl.String,
    "size_bytes": pl.Int64,
    "ranks": pl.Int64,
    "time_ns": pl.Float64,
    "mb_per_s": pl.Float64,
    "source": pl.String,
}


def imported_rows(directory: Path) -> pl.DataFrame:
    """The rows of ``imported.csv``; empty if nothing was imported.

    Raises:
        ResultError: the file is there and does not hold such rows.
    """
    path = directory / "imported.csv"
    if not path.is_file():
        return pl.DataFrame(schema=_SCHEMA)
    try:
        frame = pl.read_csv(path, infer_schema=False)
        missing = [name for name in _SCHEMA if name not in frame.columns]
        if missing:
            raise ResultError(f"'{path}' lacks the columns {', '.join(missing)}: write it again with polympi import.")
        return frame.select([pl.col(name).cast(kind) for name, kind in _SCHEMA.items()])
    except (pl.exceptions.PolarsError, OSError) as error:
        raise ResultError(f"'{path}' cannot be read: write it again with polympi import.") from error
