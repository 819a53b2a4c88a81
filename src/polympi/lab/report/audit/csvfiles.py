"""The tables of an audit as CSV files, one line per rank, without rounding: seconds and bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from polympi.lab.audit.model import Audit, Calls
from polympi.lab.report.audit.write import CSV_FILES
from polympi.lab.report.generator import write_text

_CALLS = {
    "rank": pl.Int64,
    "procedure": pl.String,
    "file": pl.String,
    "line": pl.Int64,
    "function": pl.String,
    "communicator": pl.String,
    "calls": pl.Int64,
    "seconds": pl.Float64,
    "messages_sent": pl.Int64,
    "bytes_sent": pl.Int64,
    "messages_received": pl.Int64,
    "bytes_received": pl.Int64,
}


def write_csv(audit: Audit, into: Path) -> list[Path]:
    """Write the tables of calls, of messages and of ranks."""
    tables = (_calls(audit), _messages(audit), _ranks(audit))
    return [write_text(into / name, table.write_csv()) for name, table in zip(CSV_FILES, tables, strict=True)]


def _calls(audit: Audit) -> pl.DataFrame:
    tables = [_of_ranks(one, [rank.rank for rank in audit.ranks]) for one in audit.calls]
    return pl.concat([pl.DataFrame(schema=_CALLS), *tables])


def _of_ranks(one: Calls, ranks: list[int]) -> pl.DataFrame:
    """A line for each rank that made such calls."""
    callers = np.flatnonzero(one.calls)
    numbers = np.array(ranks)[callers] if len(one.calls) == len(ranks) else callers
    figures = ("calls", "seconds", "messages_sent", "bytes_sent", "messages_received", "bytes_received")
    site = (one.procedure, one.site.file, one.site.line, one.site.function, one.communicator)
    columns = [numbers, *([value] * len(callers) for value in site), *(getattr(one, name)[callers] for name in figures)]
    return pl.DataFrame(dict(zip(_CALLS, columns, strict=True)), schema=_CALLS)


def _messages(audit: Audit) -> pl.DataFrame:
    senders, receivers = np.nonzero(audit.messages)
    return pl.DataFrame(
        {
            "from_rank": senders,
            "to_rank": receivers,
            "messages": audit.messages[senders, receivers],
            "bytes": audit.message_bytes[senders, receivers],
        }
    )


def _ranks(audit: Audit) -> pl.DataFrame:
    names = ("rank", "host", "pid", "seconds", "in_mpi", "ended", "calls", "events_lost", "clock_error", "last")
    lines = [{name: getattr(rank, name) for name in names} for rank in audit.ranks]
    return pl.DataFrame(lines, infer_schema_length=None)
